"""A real library over a real folder: what is on the disk can be found, and what is gone cannot."""

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from desktop_rag.core.errors import CancelledError, UserFacingError, WorkspaceBusyError
from desktop_rag.core.events import (
    AnswerDone,
    AnswerEvent,
    EvidenceFound,
    LibraryEvent,
    Notice,
    SyncDone,
    SyncProgress,
)
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import FileState, FolderState, Stage, StageState
from desktop_rag.core.types import Route
from desktop_rag.library import Library

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "documents"
    path.mkdir()
    (path / "heating.md").write_text(
        "# Heat pump\n\nThe heat pump in the cellar was installed in March 2021 and cost 18,400 euros.\n\n"
        "## Service\n\nIts filter is cleaned every six months by Ms Okafor.\n",
        encoding="utf-8",
    )
    (path / "garden.txt").write_text(
        "The apple trees behind the shed were planted in 1987. They are pruned in late winter.\n", encoding="utf-8"
    )
    write_pdf(
        path / "report.pdf", ["The bridge over the mill stream is 83 metres long.", "It was painted green in 2009."]
    )
    return path


@pytest.fixture
def library(tmp_path: Path, folder: Path) -> Iterator[Library]:
    with Library.open("w", base=tmp_path / "home") as opened:
        opened.add_paths([str(folder)])
        yield opened


def write_pdf(path: Path, pages: list[str]) -> None:
    with pymupdf.open() as document:
        for text in pages:
            document.new_page().insert_text((72, 100), text, fontsize=12)
        document.save(path)


def states(library: Library) -> dict[str, FileState]:
    return {Path(row.file).name: row.state for row in library.status().files}


def found(library: Library, question: str, route: Route = Route.HYBRID) -> str:
    hits = library.search(question, route=route, k=1)
    return Path(hits[0].file).name if hits else ""


def test_every_route_finds_the_file_and_page_that_says_it(library: Library, folder: Path) -> None:
    summary = library.sync()

    assert (summary.added, summary.failed) == (3, ())
    assert set(states(library).values()) == {FileState.INDEXED}
    for route in (Route.TEXT, Route.KEYWORD, Route.HYBRID, Route.BEST):
        hit = library.search("When was the bridge painted green?", route=route)[0]
        assert (hit.file, hit.element.page, hit.route) == (str(folder / "report.pdf"), 2, route)
        assert (hit.rank, hit.element.document != "") == (1, True)
    assert found(library, "How long is the bridge?") == "report.pdf"
    assert found(library, "Who cleans the filter of the heat pump?") == "heating.md"


def test_the_ledger_names_stages_pages_and_elements(library: Library) -> None:
    library.sync()

    row = next(row for row in library.status().files if row.file.endswith("report.pdf"))
    assert (row.pages, row.elements) == (2, 2)
    assert row.stages[Stage.TEXT] is StageState.DONE
    assert row.stages[Stage.VECTORS] is StageState.DONE
    assert row.stages[Stage.OCR] is StageState.OFF


def test_text_can_be_found_by_its_words_before_there_are_vectors(library: Library) -> None:
    library.sync(stages=[Stage.TEXT])

    assert found(library, "bridge mill stream", Route.KEYWORD) == "report.pdf"
    assert library.search("bridge", route=Route.TEXT) == ()
    assert states(library)["report.pdf"] is FileState.WORKING

    library.sync()
    assert found(library, "bridge over water", Route.TEXT) == "report.pdf"


def test_an_edit_replaces_what_was_there(library: Library, folder: Path) -> None:
    library.sync()
    (folder / "garden.txt").write_text("A pond with eleven carp lies behind the shed.\n", encoding="utf-8")

    assert library.sync().replaced == 1

    assert "carp" in library.search("pond behind the shed", k=1)[0].element.text
    texts = [hit.element.text for hit in library.search("apple trees planted 1987", route=Route.KEYWORD)]
    assert not any("apple" in text for text in texts)


def test_a_deleted_file_leaves_no_ghost(library: Library, folder: Path) -> None:
    library.sync()
    (folder / "report.pdf").unlink()

    assert library.sync().removed == 1

    assert "report.pdf" not in states(library)
    for route in (Route.TEXT, Route.KEYWORD, Route.HYBRID):
        assert all("report.pdf" not in hit.file for hit in library.search("bridge", route=route))


def test_a_renamed_file_keeps_its_document_and_is_not_read_again(library: Library, folder: Path) -> None:
    library.sync()
    before = library.search("bridge", k=1)[0].element.document
    (folder / "report.pdf").rename(folder / "bridges.pdf")

    summary = library.sync()

    assert (summary.moved, summary.added, summary.removed) == (1, 0, 0)
    hit = library.search("bridge", k=1)[0]
    assert (Path(hit.file).name, hit.element.document) == ("bridges.pdf", before)


def test_an_unreachable_folder_is_offline_and_nothing_is_lost(library: Library, folder: Path) -> None:
    library.sync()
    away = folder.with_name("unplugged")
    folder.rename(away)

    summary = library.sync()

    assert summary.removed == 0
    assert library.folders()[0].state is FolderState.OFFLINE
    assert set(states(library).values()) == {FileState.OFFLINE}
    assert found(library, "How long is the bridge?") == "report.pdf"
    told: list[AnswerEvent] = []
    answer = library.ask("How long is the bridge?", use_model=False, emit=told.append)
    assert answer.evidence
    (notice,) = [event.text for event in told if isinstance(event, Notice)]
    assert notice.startswith(f"Offline now: {folder}.")

    away.rename(folder)
    library.sync()
    assert set(states(library).values()) == {FileState.INDEXED}
    assert library.offline_note(item.document for item in answer.evidence) == ""


def test_a_bad_document_is_a_recorded_failure_and_the_batch_goes_on(library: Library, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nthis is no PDF")
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "song.mp3").write_bytes(b"ID3\x04\x00" + bytes(64))
    with pymupdf.open() as document:
        document.new_page()
        document.save(folder / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")

    summary = library.sync()

    rows = {Path(row.file).name: row for row in library.status().files}
    assert {Path(row.file).name for row in summary.failed} == {"broken.pdf", "empty.pdf", "locked.pdf"}
    assert rows["locked.pdf"].state is FileState.NEEDS_PASSWORD
    assert "0 bytes" in rows["empty.pdf"].reason
    assert rows["song.mp3"].state is FileState.UNSUPPORTED
    assert "song.mp3" in rows["song.mp3"].reason
    assert rows["report.pdf"].state is FileState.INDEXED


def test_a_failed_file_is_not_tried_again_until_it_changes(library: Library, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nthis is no PDF")
    library.sync()
    seen: list[str] = []

    library.sync(job=Job(lambda progress: seen.append(progress.stage)))
    assert "Reading" not in seen

    write_pdf(folder / "broken.pdf", ["Now it is whole."])
    library.sync()
    assert states(library)["broken.pdf"] is FileState.INDEXED


def test_a_stopped_sync_keeps_what_it_did_and_the_next_one_finishes(library: Library) -> None:
    job = Job()

    def stop(progress: Progress) -> None:
        if progress.stage == "Reading":
            job.cancel()

    job = Job(stop)
    with pytest.raises(CancelledError):
        library.sync(job=job)

    library.sync()
    assert set(states(library).values()) == {FileState.INDEXED}


def test_what_a_person_let_wait_waits_when_the_workspace_is_opened_again(tmp_path: Path) -> None:
    for paused in (True, False):
        with Library.open(base=tmp_path) as library:
            library.set_paused(paused)
        with Library.open(base=tmp_path) as library:
            assert library.paused is paused


def test_progress_never_goes_backwards_and_ends_complete(library: Library) -> None:
    events: list[LibraryEvent] = []

    library.sync(emit=events.append)

    for stage in ("Reading", "Understanding"):
        done = [e.progress.done for e in events if isinstance(e, SyncProgress) and e.progress.stage == stage]
        last = [e.progress for e in events if isinstance(e, SyncProgress) and e.progress.stage == stage][-1]
        assert done == sorted(done)
        assert last.done == last.total > 0
    assert isinstance(events[-1], SyncDone)
    assert events[-1].indexed == 3


def test_removing_a_folder_takes_its_documents_along(library: Library) -> None:
    library.sync()

    library.remove_folder(library.folders()[0].id)

    assert library.status().files == ()
    assert library.search("bridge") == ()


def test_a_folder_inside_a_watched_one_is_not_read_twice(library: Library, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "a.txt").write_text("A note about the sundial.", encoding="utf-8")

    library.add_paths([str(folder / "sub")])
    library.sync()

    assert len(library.folders()) == 1
    assert len(library.search("sundial", route=Route.KEYWORD)) == 1


def test_a_path_that_is_not_there_is_named(library: Library, tmp_path: Path) -> None:
    with pytest.raises(UserFacingError, match=r"nowhere.*does not exist"):
        library.add_paths([str(tmp_path / "nowhere")])


def test_only_one_process_writes_and_others_may_read(library: Library, tmp_path: Path) -> None:
    library.sync()

    with pytest.raises(WorkspaceBusyError):
        Library.open("w", base=tmp_path / "home")
    with Library.open("w", base=tmp_path / "home", read_only=True) as reader:
        assert found(reader, "How long is the bridge?") == "report.pdf"
        with pytest.raises(UserFacingError, match="reading only"):
            reader.sync()


def test_workspaces_do_not_see_each_other(library: Library, tmp_path: Path) -> None:
    library.sync()

    with Library.open("other", base=tmp_path / "home") as other:
        assert other.search("bridge") == ()
        assert other.status().files == ()


def test_an_answer_is_evidence_first_and_is_kept(library: Library, folder: Path) -> None:
    library.sync()
    events: list[AnswerEvent] = []

    answer = library.ask("How long is the bridge over the mill stream?", use_model=False, emit=events.append)

    assert isinstance(events[0], EvidenceFound)
    assert isinstance(events[-1], AnswerDone)
    assert "83 metres" in answer.evidence[0].quote
    assert (answer.evidence[0].file, answer.evidence[0].page) == (str(folder / "report.pdf"), 1)
    (thread,) = library.threads()
    assert library.turns(thread.id)[0].answer == answer


@pytest.mark.parametrize(("question", "said"), [("  ", "empty"), ("why " * 3000, "limit")])
def test_a_question_that_is_none_is_refused_with_a_reason(library: Library, question: str, said: str) -> None:
    with pytest.raises(UserFacingError, match=said):
        library.ask(question)


def test_a_page_picture_has_the_pages_size_and_is_sharp(library: Library) -> None:
    library.sync()
    for name in ("report.pdf", "heating.md"):
        hit = next(h for h in library.search("bridge heat pump garden", k=10) if h.file.endswith(name))

        picture = library.page_picture(hit.element.document, 1, 2.0)

        assert picture.png.startswith(b"\x89PNG")
        assert picture.width_px == pytest.approx(picture.page.width * 2, abs=2)
        assert hit.element.bbox.x1 <= picture.page.width
    with pytest.raises(UserFacingError, match="no page 99"):
        library.page_picture(hit.element.document, 99, 1.0)


def test_rows_without_a_ledger_entry_are_removed_at_the_next_start(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    """A crash after a deletion from the ledger and before the one from LanceDB would leave such rows."""
    library.sync()
    row = next(row for row in library.status().files if row.file.endswith("report.pdf"))
    library._catalogue.files.remove([row.document])
    (folder / "report.pdf").unlink()
    library.close()

    with Library.open("w", base=tmp_path / "home") as again:
        again.sync()
        assert row.document not in again._elements.documents()


def test_a_changed_reader_reads_the_file_again(library: Library) -> None:
    library.sync()
    row = next(row for row in library.status().files if row.file.endswith("garden.txt"))
    library._catalogue.files.update(row.document, reader="text/0")

    library.sync()

    assert library._catalogue.files.get(row.document).reader != "text/0"
