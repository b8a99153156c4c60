"""Picture files: a page for each picture, in its printed size, with a print view that shows it."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from desktop_rag.core.errors import ReadError
from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.page_pictures import PagePictures
from desktop_rag.ingest.readers import find_reader


def read(path: Path) -> ReadDocument:
    reader = find_reader(path)
    assert reader.name == "image"
    return reader.read(path, None)


def picture(mode: str = "RGB", size: tuple[int, int] = (200, 100)) -> Image.Image:
    """Red on the left half and white on the right."""
    whole = Image.new("RGB", size, "white")
    whole.paste("red", (0, 0, size[0] // 2, size[1]))
    return whole.convert(mode)


def colours(document: ReadDocument, page: int = 1) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The colours in the middle of the left and of the right half of a page of the print view."""
    with pymupdf.open(stream=document.print_view, filetype="pdf") as pdf:
        shown = pdf[page - 1].get_pixmap(alpha=False)
    return shown.pixel(shown.width // 4, shown.height // 2), shown.pixel(3 * shown.width // 4, shown.height // 2)


@pytest.mark.parametrize("suffix", ["png", "jpg", "tiff", "webp", "bmp", "gif", "avif"])
def test_each_format_is_a_page_that_waits_for_text_recognition(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"site_plan-2.{suffix}"
    picture().save(path)

    document = read(path)

    assert (document.title, document.blocks, document.waiting) == ("site plan 2", (), {Stage.OCR})
    assert (document.pages[0].width, document.pages[0].height) == (
        pytest.approx(150, abs=0.1),
        pytest.approx(75, abs=0.1),
    )
    assert "only after text recognition" in document.missing
    left, right = colours(document)
    assert left[0] > 240
    assert left[1] < 20
    assert min(right) > 240


def test_the_content_decides_and_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    picture().save(path, "PNG")
    assert len(read(path).pages) == 1


def test_a_text_that_begins_like_a_bitmap_is_text(tmp_path: Path) -> None:
    (tmp_path / "cars.txt").write_text("BMW built the first of these cars in 1928, under licence.")
    assert find_reader(tmp_path / "cars.txt").name == "text"


def test_the_resolution_gives_the_size_of_the_page(tmp_path: Path) -> None:
    picture(size=(600, 300)).save(tmp_path / "a.png", dpi=(300, 300))
    page = read(tmp_path / "a.png").pages[0]
    assert (page.width, page.height) == (pytest.approx(144, abs=0.2), pytest.approx(72, abs=0.2))


def test_a_resolution_that_cannot_be_is_not_believed(tmp_path: Path) -> None:
    picture(size=(960, 480)).save(tmp_path / "a.png", dpi=(1, 1))
    assert read(tmp_path / "a.png").pages[0].width == pytest.approx(720)


def test_each_picture_of_a_tiff_file_is_a_page(tmp_path: Path) -> None:
    first, second = picture("L"), picture("RGB", (100, 300))
    first.save(tmp_path / "fax.tif", save_all=True, append_images=[second])

    document = read(tmp_path / "fax.tif")

    assert [(page.number, round(page.width), round(page.height)) for page in document.pages] == [
        (1, 150, 75),
        (2, 75, 225),
    ]
    assert colours(document, 2)[0][0] > 240


def test_a_photo_is_shown_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held so that the picture must be turned clockwise
    picture().save(tmp_path / "photo.jpg", exif=exif)

    document = read(tmp_path / "photo.jpg")

    assert document.pages[0].height == 2 * document.pages[0].width
    with pymupdf.open(stream=document.print_view, filetype="pdf") as pdf:
        shown = pdf[0].get_pixmap(alpha=False)
    assert shown.pixel(shown.width // 2, shown.height // 4)[1] < 20
    assert min(shown.pixel(shown.width // 2, 3 * shown.height // 4)) > 240


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "I;16"])
def test_every_colour_mode_can_be_shown(tmp_path: Path, mode: str) -> None:
    path = tmp_path / ("a.tif" if mode in ("CMYK", "I;16") else "a.png")
    (picture("L").convert("I").convert(mode) if mode == "I;16" else picture(mode)).save(path)
    left, right = colours(read(path))
    assert sum(left) < sum(right)
    assert min(right) > 200


def test_what_is_transparent_lies_on_white_paper(tmp_path: Path) -> None:
    Image.new("RGBA", (40, 40), (0, 0, 0, 0)).save(tmp_path / "a.png")
    assert colours(read(tmp_path / "a.png")) == ((255, 255, 255), (255, 255, 255))


def test_the_page_can_be_shown_by_the_program(tmp_path: Path) -> None:
    picture().save(tmp_path / "a.png")
    (tmp_path / "view.pdf").write_bytes(read(tmp_path / "a.png").print_view)
    pictures = PagePictures()
    assert pictures.render(tmp_path / "view.pdf", 1, 2.0).width_px == 300
    pictures.close()


@pytest.mark.parametrize("suffix", ["png", "jpg", "tiff", "webp", "gif"])
def test_a_picture_that_breaks_off_is_named(tmp_path: Path, suffix: str) -> None:
    whole = tmp_path / f"whole.{suffix}"
    Image.effect_noise((300, 300), 90).convert("RGB").save(whole)
    path = tmp_path / f"part.{suffix}"
    path.write_bytes(whole.read_bytes()[: whole.stat().st_size // 3])
    with pytest.raises(ReadError, match=rf"part\.{suffix} is a damaged picture"):
        read(path)


def test_a_picture_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture().save(tmp_path / "a.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(ReadError, match="too many pixels"):
        read(tmp_path / "a.png")


def write_heic(path: Path, whole: Image.Image, exif: bytes = b"") -> None:
    """Write a HEIC file as telephones do. Only the tests can: what packs HEVC is no part of the program."""
    import pillow_heif

    pillow_heif.from_pillow(whole).save(str(path), quality=90, exif=exif or None)


@pytest.mark.parametrize("name", ["photo.heic", "photo.jpg"])
def test_a_heic_picture_is_known_by_its_content_and_shown(tmp_path: Path, name: str) -> None:
    write_heic(tmp_path / name, picture())

    document = read(tmp_path / name)

    assert (document.waiting, len(document.pages)) == ({Stage.OCR}, 1)
    assert document.pages[0].width == pytest.approx(150, abs=0.1)
    left, right = colours(document)
    assert left[0] > 220
    assert max(left[1:]) < 60
    assert min(right) > 240


def test_a_heic_picture_stands_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    write_heic(tmp_path / "turned.heic", picture(), exif.tobytes())

    page = read(tmp_path / "turned.heic").pages[0]

    assert page.height > page.width


def test_a_damaged_heic_picture_is_named(tmp_path: Path) -> None:
    write_heic(tmp_path / "torn.heic", picture())
    whole = (tmp_path / "torn.heic").read_bytes()
    (tmp_path / "torn.heic").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ReadError, match=r"torn\.heic is a damaged picture"):
        read(tmp_path / "torn.heic")
