"""Locked files from the first sync to the picture of a page: asked for, tried, forgotten, and never written down."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_rag.core.errors import NeedsPasswordError, UserFacingError
from desktop_rag.core.ledger import FileRow, FileState, Stage, StageState
from desktop_rag.core.types import ElementKind, Route
from desktop_rag.library import Library
from tests.fixtures.locked_files import lock_pdf, lock_word

pytestmark = pytest.mark.slow

PASSWORD = "Zwieback-7731-Halyard"
OTHER = "Marzipan-4410-Bollard"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "documents"
    path.mkdir()
    lock_pdf(path / "budget.pdf", "The dredger costs 310,000 euros a year.", PASSWORD, table=True)
    lock_word(path / "minutes.docx", "The harbour master retires in June.", PASSWORD)
    lock_pdf(path / "owner.pdf", "The lighthouse was automated in 1986.", PASSWORD, owner_only=True)
    lock_pdf(path / "strange.pdf", "Nobody will read this.", OTHER)
    return path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def library(base: Path, folder: Path) -> Iterator[Library]:
    with Library.open("w", base=base) as opened:
        opened.add_paths([str(folder)])
        opened.sync(stages=[Stage.TEXT])
        yield opened


def row(library: Library, name: str) -> FileRow:
    return next(row for row in library.status().files if Path(row.file).name == name)


def test_a_locked_file_says_so_and_one_that_only_its_owner_may_change_is_read(library: Library) -> None:
    budget = row(library, "budget.pdf")
    assert (budget.state, budget.locked) == (FileState.NEEDS_PASSWORD, True)
    assert budget.reason == "budget.pdf is locked with a password. Enter its password to have it read."
    assert row(library, "minutes.docx").state is FileState.NEEDS_PASSWORD
    assert row(library, "owner.pdf").stages[Stage.TEXT] is StageState.DONE
    assert sorted(Path(one.file).name for one in library.locked()) == ["budget.pdf", "minutes.docx", "strange.pdf"]


def test_a_wrong_password_says_so_and_changes_nothing(library: Library) -> None:
    for name in ("budget.pdf", "minutes.docx"):
        with pytest.raises(NeedsPasswordError, match=f"The password given does not open {name}"):
            library.unlock(row(library, name).document, "zwieback-7731-halyard")
        assert row(library, name).state is FileState.NEEDS_PASSWORD
    with pytest.raises(NeedsPasswordError, match=r"Enter the password of budget\.pdf"):
        library.unlock(row(library, "budget.pdf").document, "")
    with pytest.raises(UserFacingError, match="not in the workspace any more"):
        library.unlock("no such document", PASSWORD)


def test_the_right_password_opens_the_file_for_all_stages_and_for_its_picture(library: Library) -> None:
    budget = row(library, "budget.pdf").document
    assert library.unlock(budget, PASSWORD).state is FileState.PENDING
    library.sync()

    assert row(library, "budget.pdf").stages[Stage.TABLES] is StageState.DONE
    assert library.search("What does the dredger cost?", k=1)[0].element.document == budget
    assert any(hit.element.kind is ElementKind.TABLE for hit in library.search("flow of pump P-103", k=5))
    assert library.page_picture(budget, 1, 1.0).png.startswith(b"\x89PNG")
    assert row(library, "minutes.docx").state is FileState.NEEDS_PASSWORD


def test_one_password_can_be_for_others_too(library: Library) -> None:
    library.unlock(row(library, "budget.pdf").document, PASSWORD, for_others=True)
    library.sync(stages=[Stage.TEXT])

    assert row(library, "minutes.docx").state is FileState.WORKING
    assert row(library, "strange.pdf").state is FileState.NEEDS_PASSWORD
    assert "does not open strange.pdf" in row(library, "strange.pdf").reason
    assert library.search("harbour master retires", route=Route.KEYWORD, k=1)[0].file.endswith("minutes.docx")


def test_after_a_restart_the_text_can_be_found_and_the_picture_asks_again(base: Path, library: Library) -> None:
    library.take_passwords([PASSWORD])
    library.sync(stages=[Stage.TEXT, Stage.VECTORS])
    library.close()

    with Library.open("w", base=base) as opened:
        opened.sync()
        budget = row(opened, "budget.pdf")
        assert opened.search("What does the dredger cost?", k=1)[0].element.document == budget.document
        assert (budget.state, budget.locked) == (FileState.PARTLY, True)
        assert budget.reason == "What is still to be looked for in it waits for its password."
        assert budget.stages[Stage.TABLES] is StageState.PENDING
        with pytest.raises(NeedsPasswordError, match=r"budget\.pdf is locked\. Enter its password to see its pages\."):
            opened.page_picture(budget.document, 1, 1.0)

        opened.unlock(budget.document, PASSWORD)
        assert opened.page_picture(budget.document, 1, 1.0).pages == 1
        opened.sync()
        budget = row(opened, "budget.pdf")
        assert (budget.state, budget.reason, budget.locked) == (FileState.INDEXED, "", False)
        assert budget.stages[Stage.TABLES] is StageState.DONE


def test_no_password_is_ever_written_down(base: Path, library: Library) -> None:
    with pytest.raises(NeedsPasswordError):
        library.unlock(row(library, "strange.pdf").document, PASSWORD)
    library.unlock(row(library, "budget.pdf").document, PASSWORD, for_others=True)
    library.sync(stages=[Stage.TEXT, Stage.TABLES])
    library.page_picture(row(library, "budget.pdf").document, 1, 1.0)
    library.set_settings(library.settings)
    library.close()

    files = [path for path in base.rglob("*") if path.is_file()]
    written = {path.name for path in files}
    assert {"catalogue.sqlite", "desktop-rag.log"} <= written
    for path in files:
        content = path.read_bytes()
        for encoding in ("utf-8", "utf-16-le"):
            assert PASSWORD.encode(encoding) not in content, path


def test_the_memory_of_passwords_has_no_text_form() -> None:
    import pickle

    from desktop_rag.core.passwords import Passwords

    passwords = Passwords()
    passwords.give("d", PASSWORD)
    passwords.give_for_any(OTHER)
    assert passwords.of("d") == (PASSWORD, OTHER)
    assert passwords.of("e") == (OTHER,)
    assert PASSWORD not in repr(passwords) + str(vars(type(passwords)))
    with pytest.raises(TypeError):
        pickle.dump(passwords, io.BytesIO())
