"""Files that are not what they should be: each ends in the right state with a sentence that a person understands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pymupdf
import pytest

from desktop_rag.core.ledger import FileRow, FileState, Stage, StageState
from desktop_rag.core.types import Route
from desktop_rag.library import Library
from tests.fixtures.locked_files import lock_pdf, lock_word

pytestmark = pytest.mark.slow

NEEDS_PASSWORD, FAILED, READ = FileState.NEEDS_PASSWORD, FileState.FAILED, None
_ZERO_PAGES = (
    b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    b"trailer<</Root 1 0 R/Size 3>>\n%%EOF\n"
)


@dataclass(frozen=True, slots=True)
class Expected:
    """The state (None: its text is read), how the reason goes, and how many pages there are."""

    state: FileState | None = READ
    reason: str = "$"
    pages: int = 1


_DAMAGED = r"The file is damaged; what could be repaired was read, but text may be missing\.$"
_SCANNED = r"(The only page is a scan|Both pages are scans)"


def check(rows: Mapping[str, FileRow], expected: Mapping[str, Expected]) -> None:
    """Compare all rows at once, so that a failure shows every file that is wrong."""
    assert set(rows) == set(expected)
    wrong = {
        name: (str(row.state), row.reason, row.pages) for name, row in rows.items() if not _is_as(row, expected[name])
    }
    assert not wrong


def _is_as(row: FileRow, wanted: Expected) -> bool:
    read = row.stages[Stage.TEXT] is StageState.DONE
    state = read if wanted.state is READ else row.state is wanted.state and not read
    return state and re.match(wanted.reason, row.reason) is not None and row.pages == wanted.pages


def read(base: Path, paths: list[Path], root: Path, passwords: tuple[str, ...] = ()) -> dict[str, FileRow]:
    """Read the text of ``paths``; return their rows by the path below ``root``."""
    with Library.open("w", base=base) as library:
        library.add_paths([str(path) for path in paths])
        library.take_passwords(passwords)
        library.sync(stages=[Stage.TEXT])
        return {str(Path(row.file).relative_to(root)): row for row in library.status().files}


def pdf(text: str, pages: int = 1) -> bytes:
    with pymupdf.open() as document:
        for number in range(1, pages + 1):
            page = document.new_page()
            for line in range(40):
                page.insert_text((72, 80 + 16 * line), f"{text} Page {number}, line {line}.", fontsize=11)
        return bytes(document.tobytes())


def test_hard_files_written_here(tmp_path: Path) -> None:
    root = tmp_path / "files"
    for folder in ("north", "south"):
        (root / folder).mkdir(parents=True)
        (root / folder / "report.pdf").write_bytes(pdf(f"This is the report of the {folder}."))
    long_name = "many words " * 20 + ".md"
    whole = pdf("The quay was mended.", 3)
    contents = {
        "zero.pdf": b"",
        "no-pages.pdf": _ZERO_PAGES,
        "cut.pdf": whole[: int(len(whole) * 0.8)],
        "startxref.pdf": re.sub(rb"startxref\n\d+", b"startxref\n7", whole),
        "nonsense.pdf": b"%PDF-1.7\n" + bytes(range(256)) * 20,
        "pdf.txt": whole,
        "text.pdf": b"Only words, whatever the name says.\n",
        "latin.txt": "Die Fähre fährt über die Mühlache, und zwar täglich außer sonntags.\n".encode("latin-1"),
        "wide.txt": "\ufeffWörter in zwei Bytes.\n".encode("utf-16-le"),
        "comma.csv": b"Ort;Tiefe\nHafen;7,5\nKanal;9,2\n",
        "blank.txt": b" \n\n \n",
        "Übersicht – 概要 – ملخص 📄.txt": "Ein Überblick.\n".encode(),
        long_name: b"# Long names\n\nAre no trouble.\n",
    }
    for name, data in contents.items():
        (root / name).write_bytes(data)
    lock_pdf(root / "locked.pdf", "A secret.", "nobody knows it")
    lock_word(root / "locked.docx", "Another secret.", "nobody knows it")
    lock_pdf(root / "copying-forbidden.pdf", "Everyone may read this.", "the owner's", owner_only=True)

    rows = read(tmp_path / "home", [root], root)

    locked = "is locked with a password. Enter its password to have it read."
    check(
        rows,
        {
            "north/report.pdf": Expected(),
            "south/report.pdf": Expected(),
            "zero.pdf": Expected(FAILED, r"zero\.pdf is empty \(0 bytes\)\. Put the full file there", 0),
            "no-pages.pdf": Expected(FAILED, r"no-pages\.pdf has no pages\. Get a fresh copy of it", 0),
            "cut.pdf": Expected(READ, _DAMAGED, 3),
            "startxref.pdf": Expected(READ, _DAMAGED, 3),
            "nonsense.pdf": Expected(FAILED, r"nonsense\.pdf (is damaged|has no pages).* fresh copy", 0),
            "pdf.txt": Expected(pages=3),
            "text.pdf": Expected(),
            "latin.txt": Expected(),
            "wide.txt": Expected(),
            "comma.csv": Expected(),
            "blank.txt": Expected(FAILED, r"blank\.txt holds no text\. Put the full file there", 0),
            "Übersicht – 概要 – ملخص 📄.txt": Expected(),
            long_name: Expected(),
            "locked.pdf": Expected(NEEDS_PASSWORD, re.escape(f"locked.pdf {locked}"), 0),
            "locked.docx": Expected(NEEDS_PASSWORD, re.escape(f"locked.docx {locked}"), 0),
            "copying-forbidden.pdf": Expected(),
        },
    )
    assert rows["north/report.pdf"].document != rows["south/report.pdf"].document


def test_hard_files_of_the_collection(corpus: Path, tmp_path: Path) -> None:
    root = corpus / "edge_cases"
    notes = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))
    files = notes if isinstance(notes, list) else notes["files"]
    known = {entry["file"]: re.search(r"password: (\S+)", entry.get("note") or "") for entry in files}
    passwords = tuple(found.group(1) for found in known.values() if found)
    assert len(passwords) == 2
    largest = root / "620-pages.pdf"
    paths = [path for path in sorted(root.rglob("*")) if path.is_file() and path != largest]

    rows = read(tmp_path / "home", paths, root, passwords)

    expected = dict.fromkeys(rows, Expected())
    expected |= {
        "encrypted-unknown-password.pdf": Expected(
            NEEDS_PASSWORD, r"The password given does not open encrypted-unkn", 0
        ),
        "zero-byte.pdf": Expected(FAILED, r"zero-byte\.pdf is empty \(0 bytes\)", 0),
        "zero-page.pdf": Expected(FAILED, r"zero-page\.pdf has no pages", 0),
        "truncated.pdf": Expected(READ, _DAMAGED),
        "corrupt-xref-and-bytes.pdf": Expected(READ, _DAMAGED, 3),
        "damaged-content-streams.pdf": Expected(READ, _DAMAGED, 33),
        "font-without-unicode-map.pdf": Expected(READ, _SCANNED),
        "image-only-skewed.pdf": Expected(READ, _SCANNED, 2),
        "cjk-vertical-rtl.pdf": Expected(pages=3),
        "rotated-pages.pdf": Expected(pages=3),
    }
    check(rows, expected)
    with Library.open("w", base=tmp_path / "home") as library:
        for name, words in (("encrypted-known-password.pdf", "pump P-204 cartridges"), ("pdf-named-as-text.txt", "")):
            document = rows[name].document
            assert rows[name].elements > 0
            if words:
                assert library.search(words, route=Route.KEYWORD, k=1)[0].element.document == document
