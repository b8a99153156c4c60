"""Which reader takes which file: content decides, and what is not read is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_rag.core.errors import ReadError, UnsupportedError
from desktop_rag.ingest.readers import find_reader


@pytest.mark.parametrize("name", ["a.pdf", "a.txt", "a"])
def test_a_pdf_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"%PDF-1.7\n...")
    assert find_reader(tmp_path / name).name == "pdf"


@pytest.mark.parametrize(
    ("name", "head", "words"),
    [
        ("film.mp4", b"\x00\x00\x00\x18ftypisom\x00\x00\x00\x00", "a sound or film file"),
        ("book.xlsb", b"PK\x03\x04rest", "a binary Excel workbook"),
        ("book.zip", b"PK\x03\x04....", "a ZIP archive"),
        ("letter.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Word document"),
        ("mystery.bin", b"\x00\x01\x02\x03", "'.bin'"),
    ],
)
def test_what_is_not_read_is_named(tmp_path: Path, name: str, head: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(head)
    with pytest.raises(UnsupportedError) as error:
        find_reader(tmp_path / name)
    assert name in str(error.value)
    assert words in str(error.value)


def test_empty_and_missing_files(tmp_path: Path) -> None:
    (tmp_path / "zero.pdf").touch()
    with pytest.raises(ReadError, match=r"zero\.pdf is empty"):
        find_reader(tmp_path / "zero.pdf")
    with pytest.raises(ReadError, match=r"gone\.pdf cannot be opened"):
        find_reader(tmp_path / "gone.pdf")
