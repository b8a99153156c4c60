"""Office files: told apart by what they hold, unlocked with their password, charts read from their numbers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import msoffcrypto.format.ooxml
import pptx
import pytest

from desktop_rag.core.errors import NeedsPasswordError
from desktop_rag.ingest.readers import find_reader
from desktop_rag.ingest.readers.number_format import shown_number


def lock(path: Path, password: str) -> None:
    """Lock an Office file as Office does."""
    target = io.BytesIO()
    msoffcrypto.format.ooxml.OOXMLFile(io.BytesIO(path.read_bytes())).encrypt(password, target)
    path.write_bytes(target.getvalue())


def write_docx(path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("The vault opens at nine.")
    document.save(str(path))


def write_pptx(path: Path) -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "The vault opens at nine."
    presentation.save(str(path))


@pytest.mark.parametrize(("name", "write"), [("a.docx", write_docx), ("a.pptx", write_pptx)])
def test_a_locked_file_is_read_with_its_password_only(tmp_path: Path, name: str, write: Callable[[Path], None]) -> None:
    path = tmp_path / name
    write(path)
    lock(path, "sésame")
    reader = find_reader(path)
    with pytest.raises(NeedsPasswordError, match=rf"{name} is locked with a password\. Enter"):
        reader.read(path, None)
    with pytest.raises(NeedsPasswordError, match=rf"The password given does not open {name}"):
        reader.read(path, "open")
    assert reader.read(path, "sésame").blocks[0].text == "The vault opens at nine."


def test_containers_are_known_by_what_they_hold(tmp_path: Path) -> None:
    write_docx(tmp_path / "one.pptx")
    write_pptx(tmp_path / "two.zip")
    assert find_reader(tmp_path / "one.pptx").name == "word"
    assert find_reader(tmp_path / "two.zip").name == "slides"


def test_an_entry_far_inside_the_archive_still_tells(tmp_path: Path) -> None:
    write_pptx(tmp_path / "a.pptx")
    with (
        zipfile.ZipFile(tmp_path / "a.pptx") as source,
        zipfile.ZipFile(tmp_path / "b.bin", "w", zipfile.ZIP_STORED) as target,
    ):
        target.writestr("docProps/thumbnail.jpeg", bytes(100_000))
        for part in source.namelist():
            if part != "docProps/thumbnail.jpeg":
                target.writestr(part, source.read(part))
    assert find_reader(tmp_path / "b.bin").name == "slides"


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.48, "0%", "48%"),
        (0.0725, "0.00%", "7.25%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (1234567.0, "#,##0", "1,234,567"),
        (12500000.0, '#,##0.0,,"M"', "12.5M"),
        (12.5, '"$"#,##0.00_);[Red]("$"#,##0.00)', "$12.50"),
        (12.5, "[$€-407] 0.00", "€ 12.50"),
        (-3.0, "0.0", "-3.0"),
        (-0.001, "0.0", "0.0"),
        (2.5, "0.##", "2.5"),
        (3.0, "0.##", "3"),
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (5.0, '0 "kg"', "5 kg"),
        (12345.0, "0.00E+00", "12345"),
        (0.5, "# ?/?", "0.5"),
        (7.0, "", "7"),
        (float("nan"), "0.0", "nan"),
    ],
)
def test_numbers_are_shown_as_their_format_says(value: float, code: str, text: str) -> None:
    assert shown_number(value, code) == text
