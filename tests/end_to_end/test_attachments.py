"""Attachments of messages are documents of their own: found, shown, locked, moved and removed with their message."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pymupdf
import pytest
from openpyxl import Workbook

from desktop_rag.core.ledger import FileRow, FileState, Stage, StageState
from desktop_rag.core.reports import SyncSummary
from desktop_rag.core.types import Route
from desktop_rag.library import Library
from tests.fixtures.locked_files import lock_pdf
from tests.fixtures.ole_file import ole_file
from tests.fixtures.scans import drawn, paragraph, scanned_pdf

pytestmark = pytest.mark.slow

PASSWORD = "Zwieback-7731"


def pdf(*texts: str) -> bytes:
    with pymupdf.open() as document:
        for text in texts:
            document.new_page().insert_text((72, 100), text, fontsize=12)
        return bytes(document.tobytes())


def workbook() -> bytes:
    book, out = Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    for line in (("Berth", "Depth in m"), ("East 4", 7.5), ("West 2", 11)):
        sheet.append(line)
    book.save(out)
    return out.getvalue()


def message(subject: str, text: str, *attached: tuple[str, bytes]) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"] = "Harbour Office <office@example.org>", "crew@example.org"
    mail["Subject"], mail["Message-ID"] = subject, "<1@example.org>"
    mail.set_content(text)
    for name, data in attached:
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return mail


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "mail"
    path.mkdir()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as package:
        package.writestr("a.txt", "hidden in an archive")
    inner = message("Old rule", "See the plan.", ("rule.pdf", pdf("Ferries give way to pilot boats since 1957.")))
    mail = message(
        "Dredging",
        "The report is attached.",
        ("report.pdf", pdf("Summary of the season.", "The channel was dredged to 9.2 metres in May.")),
        ("../berths.xlsx", workbook()),
        ("data.zip", archive.getvalue()),
    )
    mail.add_attachment(inner)
    (path / "dredging.eml").write_bytes(mail.as_bytes())
    return path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def library(base: Path, folder: Path) -> Iterator[Library]:
    with Library.open("w", base=base) as opened:
        opened.add_paths([str(folder)])
        yield opened


def rows(library: Library, folder: Path) -> dict[str, FileRow]:
    return {row.file.removeprefix(f"{folder}/"): row for row in library.status().files}


def read(library: Library) -> SyncSummary:
    """Bring the text up to date; no model is needed for that."""
    return library.sync(stages=[Stage.TEXT])


def kept(base: Path) -> list[str]:
    return sorted(path.name for path in (base / "workspaces" / "w" / "attachments").rglob("*") if path.is_file())


def test_each_attachment_is_a_document_with_its_own_state_and_pages(library: Library, folder: Path) -> None:
    assert library.sync().added == 1

    found = rows(library, folder)
    assert {name: (row.state, row.pages) for name, row in found.items()} == {
        "dredging.eml": (FileState.INDEXED, 1),
        "dredging.eml › report.pdf": (FileState.INDEXED, 2),
        "dredging.eml › berths.xlsx": (FileState.INDEXED, 1),
        "dredging.eml › data.zip": (FileState.UNSUPPORTED, 0),
        "dredging.eml › Old rule.eml": (FileState.INDEXED, 1),
        "dredging.eml › Old rule.eml › rule.pdf": (FileState.INDEXED, 1),
    }
    assert "data.zip is a ZIP archive" in found["dredging.eml › data.zip"].reason

    hit = library.search("How deep was the channel dredged?", k=1)[0]
    assert (hit.file, hit.element.page) == (f"{folder}/dredging.eml › report.pdf", 2)
    assert hit.as_json()["file"] == hit.file
    assert library.page_picture(hit.element.document, 2, 1.0).pages == 2
    assert Path(library.document_path(hit.element.document)).read_bytes().startswith(b"%PDF")
    assert library.search("Who gives way to pilot boats?", k=1)[0].file.endswith("Old rule.eml › rule.pdf")
    sheet = library.search("depth of berth West 2", route=Route.KEYWORD, k=1)[0]
    assert sheet.file.endswith("› berths.xlsx")
    assert library.page_picture(sheet.element.document, 1, 1.0).pages == 1

    summary = library.sync()
    assert (summary.added, summary.replaced, summary.removed, summary.unchanged) == (0, 0, 0, 1)
    assert {name: row.document for name, row in rows(library, folder).items()} == {
        name: row.document for name, row in found.items()
    }


def test_an_edited_message_keeps_what_is_the_same_and_drops_what_is_gone(
    base: Path, library: Library, folder: Path
) -> None:
    report = ("report.pdf", pdf("Tugs cost 900 euros an hour."))
    mail = message("Fees", "See below.", report, ("old.pdf", pdf("The old crane was scrapped.")))
    (folder / "fees.eml").write_bytes(mail.as_bytes())
    read(library)
    before = rows(library, folder)["fees.eml › report.pdf"].document
    mail = message("Fees", "See below.", report, ("new.pdf", pdf("The new crane lifts 80 tonnes.")))
    (folder / "fees.eml").write_bytes(mail.as_bytes())

    assert read(library).replaced == 1

    found = rows(library, folder)
    assert found["fees.eml › report.pdf"].document == before
    assert "fees.eml › old.pdf" not in found
    assert "old.pdf" not in kept(base)
    assert library.search("what does the new crane lift", route=Route.KEYWORD, k=1)[0].file.endswith(
        "fees.eml › new.pdf"
    )
    assert not any(
        "scrapped" in hit.element.text for hit in library.search("old crane scrapped", route=Route.KEYWORD, k=10)
    )


def test_a_moved_message_takes_its_attachments_along(library: Library, folder: Path) -> None:
    library.sync()
    before = rows(library, folder)
    (folder / "2024").mkdir()
    (folder / "dredging.eml").rename(folder / "2024" / "spring.eml")

    assert library.sync().moved == 1

    after = rows(library, folder)
    inner = "Old rule.eml › rule.pdf"
    assert after[f"2024/spring.eml › {inner}"].document == before[f"dredging.eml › {inner}"].document
    assert len(after) == len(before)


@pytest.mark.parametrize("how", ["deleted", "folder removed"])
def test_a_removed_message_leaves_nothing(base: Path, library: Library, folder: Path, how: str) -> None:
    read(library)
    assert kept(base) == ["Old rule.eml", "berths.xlsx", "data.zip", "report.pdf", "rule.pdf"]
    if how == "deleted":
        (folder / "dredging.eml").unlink()
        read(library)
    else:
        library.remove_folder(library.folders()[0].id)

    assert library.status().files == ()
    assert kept(base) == []
    assert library.search("channel dredged", route=Route.KEYWORD) == ()


def test_a_locked_attachment_waits_for_its_password(library: Library, folder: Path, tmp_path: Path) -> None:
    lock_pdf(tmp_path / "secret.pdf", "The safe is behind the chart table.", PASSWORD)
    mail = message("Safe", "As agreed.", ("secret.pdf", (tmp_path / "secret.pdf").read_bytes()))
    (folder / "safe.eml").write_bytes(mail.as_bytes())
    read(library)
    row = rows(library, folder)["safe.eml › secret.pdf"]
    assert (row.state, row.reason) == (
        FileState.NEEDS_PASSWORD,
        "secret.pdf is locked with a password. Enter its password to have it read.",
    )

    library.unlock(row.document, PASSWORD)
    read(library)

    assert library.search("safe behind the chart table", route=Route.KEYWORD, k=1)[0].element.document == row.document
    assert library.page_picture(row.document, 1, 1.0).pages == 1


def test_later_stages_look_at_attachments_too(library: Library, folder: Path, tmp_path: Path) -> None:
    scanned_pdf(tmp_path / "scan.pdf", [drawn(paragraph(60, 40, ["The tide gauge stands", "at pier seven."]))])
    mail = message("Scan", "Here.", ("scan.pdf", (tmp_path / "scan.pdf").read_bytes()))
    (folder / "scan.eml").write_bytes(mail.as_bytes())
    library.sync(stages=[Stage.TEXT, Stage.OCR])

    assert rows(library, folder)["scan.eml › scan.pdf"].stages[Stage.OCR] is StageState.DONE
    assert library.search("tide gauge", route=Route.KEYWORD, k=1)[0].file.endswith("scan.eml › scan.pdf")


def test_lost_copies_are_taken_from_the_message_again(base: Path, library: Library, folder: Path) -> None:
    read(library)
    report = rows(library, folder)["dredging.eml › report.pdf"].document
    Path(library.document_path(report)).unlink()

    read(library)

    assert library.page_picture(report, 2, 1.0).pages == 2
    assert kept(base) == ["Old rule.eml", "berths.xlsx", "data.zip", "report.pdf", "rule.pdf"]


def test_messages_inside_messages_are_opened_three_deep(library: Library, folder: Path) -> None:
    mail = message("Level 4", "Innermost.", ("deep.pdf", pdf("Too deep.")))
    for level in (3, 2, 1):
        outer = message(f"Level {level}", "Forwarded.")
        outer.add_attachment(mail)
        mail = outer
    (folder / "nested.eml").write_bytes(mail.as_bytes())
    read(library)

    found = rows(library, folder)
    deepest = found["nested.eml › Level 2.eml › Level 3.eml › Level 4.eml"]
    assert deepest.reason == "What is attached to it was not read: messages inside messages are opened 3 deep."
    assert not any(name.endswith("deep.pdf") for name in found)


def test_an_outlook_message_gives_its_attachments_and_the_message_inside(library: Library, folder: Path) -> None:
    def utf16(text: str) -> bytes:
        return text.encode("utf-16-le")

    attached, inner = "__attach_version1.0_#00000000", "__attach_version1.0_#00000001/__substg1.0_3701000D"
    streams = {
        "__properties_version1.0": bytes(32),
        "__substg1.0_0037001F": utf16("Pilots"),
        "__substg1.0_1000001F": utf16("The roster is attached."),
        f"{attached}/__substg1.0_3707001F": utf16("roster.pdf"),
        f"{attached}/__substg1.0_37010102": pdf("Pilot Okafor has the night watch."),
        f"{inner}/__properties_version1.0": bytes(24) + struct.pack("<HHIQ", 0x0040, 0x0039, 6, 133_000_000 * 10**9),
        f"{inner}/__substg1.0_0037001F": utf16("Fog"),
        f"{inner}/__substg1.0_0C1A001F": utf16("Ada"),
        f"{inner}/__substg1.0_1000001F": utf16("In fog the siren sounds twice a minute."),
        f"{inner}/{attached}/__substg1.0_3707001F": utf16("siren.pdf"),
        f"{inner}/{attached}/__substg1.0_37010102": pdf("The siren is tested on Mondays."),
    }
    (folder / "pilots.msg").write_bytes(ole_file(streams))
    read(library)

    found = rows(library, folder)
    assert {name for name in found if name.startswith("pilots")} == {
        "pilots.msg",
        "pilots.msg › roster.pdf",
        "pilots.msg › Fog.eml",
        "pilots.msg › Fog.eml › siren.pdf",
    }
    assert library.search("night watch", route=Route.KEYWORD, k=1)[0].file.endswith("pilots.msg › roster.pdf")
    assert library.search("how often does the siren sound in fog", route=Route.KEYWORD, k=1)[0].file.endswith(
        "› Fog.eml"
    )
