"""Pictures of pages and of parts of them, as sharp as asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from desktop_rag.core.errors import NeedsPasswordError, UserFacingError
from desktop_rag.core.types import BBox, PagePicture
from desktop_rag.ingest.page_pictures import PagePictures
from desktop_rag.store.pictures import KeptPictures

MARK = BBox(300, 400, 320, 410)


@pytest.fixture
def pictures() -> Iterator[PagePictures]:
    pictures = PagePictures()
    yield pictures
    pictures.close()


def document(path: Path, *sizes: tuple[float, float], rotation: int = 0) -> Path:
    """Write a PDF with a black mark on each page."""
    with pymupdf.open() as pdf:
        for width, height in sizes:
            page = pdf.new_page(width=width, height=height)
            page.draw_rect(pymupdf.Rect(MARK.x0, MARK.y0, MARK.x1, MARK.y1), fill=(0, 0, 0), color=None)
            page.set_rotation(rotation)
        pdf.save(path)
    return path


def dark(picture: PagePicture) -> BBox:
    """Return where on the page the dark pixels of ``picture`` are, in points."""
    image = Image.open(BytesIO(picture.png)).convert("L").point(lambda value: 255 if value < 128 else 0)
    found = image.getbbox()
    assert found is not None, "nothing dark is there"
    left, top = (picture.clip.x0, picture.clip.y0) if picture.clip else (0.0, 0.0)
    shown = picture.clip.x1 - picture.clip.x0 if picture.clip else picture.page.width
    scale = picture.width_px / shown
    return BBox(left + found[0] / scale, top + found[1] / scale, left + found[2] / scale, top + found[3] / scale)


def near(box: BBox, other: BBox) -> bool:
    return box.as_list() == pytest.approx(other.as_list(), abs=0.6)


def test_the_whole_page_has_no_clip(tmp_path: Path, pictures: PagePictures) -> None:
    picture = pictures.render(document(tmp_path / "a.pdf", (595, 842)), 1, 2.0)
    assert (picture.width_px, picture.height_px, picture.clip) == (1190, 1684, None)
    assert near(dark(picture), MARK)


@pytest.mark.parametrize("scale", [0.7, 1.0, 3.3])
def test_a_part_says_what_it_shows(tmp_path: Path, pictures: PagePictures, scale: float) -> None:
    picture = pictures.render(document(tmp_path / "a.pdf", (595, 842)), 1, scale, "", BBox(250.3, 380.7, 350, 440))
    assert picture.clip is not None
    assert picture.clip.as_list() == pytest.approx([250.3, 380.7, 350, 440], abs=1.0 / scale)
    assert dark(picture).as_list() == pytest.approx(MARK.as_list(), abs=1.0 / scale + 0.1)
    assert (picture.page.width, picture.page.height) == (595, 842)


def test_a_part_that_sticks_out_is_moved_inside(tmp_path: Path, pictures: PagePictures) -> None:
    picture = pictures.render(document(tmp_path / "a.pdf", (595, 842)), 1, 1.0, "", BBox(-50, 800, 150, 1000))
    assert picture.clip == BBox(0, 642, 200, 842)


def test_a_part_wider_than_the_page_is_as_wide_as_the_page(tmp_path: Path, pictures: PagePictures) -> None:
    picture = pictures.render(document(tmp_path / "a.pdf", (400, 842)), 1, 1.0, "", BBox(200, 300, 900, 500))
    assert picture.clip == BBox(0, 300, 400, 500)


def test_parts_of_a_turned_page_are_those_of_the_page_as_shown(tmp_path: Path, pictures: PagePictures) -> None:
    path = document(tmp_path / "a.pdf", (595, 842), rotation=90)
    where = BBox(842 - MARK.y1, MARK.x0, 842 - MARK.y0, MARK.x1)
    assert near(dark(pictures.render(path, 1, 2.0)), where)
    part = BBox(where.x0 - 30, where.y0 - 30, where.x1 + 30, where.y1 + 30)
    assert near(dark(pictures.render(path, 1, 2.0, "", part)), where)


def test_of_a_sheet_too_tall_for_a_picture_the_top_comes_and_its_size(tmp_path: Path, pictures: PagePictures) -> None:
    picture = pictures.render(document(tmp_path / "a.pdf", (842, 400_000)), 1, 1.5)
    assert picture.clip is not None
    assert picture.clip.y0 == 0
    assert near(dark(picture), MARK)
    assert picture.page.height == 400_000
    assert picture.width_px * picture.height_px < 5_000_000


def test_a_part_of_a_page_of_200_inches_is_as_sharp_as_asked(tmp_path: Path, pictures: PagePictures) -> None:
    path = document(tmp_path / "a.pdf", (14_400, 14_400))
    picture = pictures.render(path, 1, 3.0, "", BBox(200, 300, 500, 500))
    assert (picture.width_px, picture.height_px) == (900, 600)
    assert near(dark(picture), MARK)


def test_no_picture_has_more_pixels_than_memory_is_meant_for(tmp_path: Path, pictures: PagePictures) -> None:
    picture = pictures.render(document(tmp_path / "a.pdf", (14_400, 14_400)), 1, 8.0, "", BBox(0, 0, 14_400, 14_400))
    assert picture.width_px * picture.height_px <= 16_100_000


def test_an_empty_part_is_refused_with_a_sentence(tmp_path: Path, pictures: PagePictures) -> None:
    with pytest.raises(UserFacingError, match=r"Page 1 of a\.pdf cannot be shown"):
        pictures.render(document(tmp_path / "a.pdf", (595, 842)), 1, 1.0, "", BBox(10, 10, 10, 20))


def test_a_file_that_changed_is_drawn_anew(tmp_path: Path, pictures: PagePictures) -> None:
    path = document(tmp_path / "a.pdf", (595, 842))
    assert pictures.render(path, 1, 1.0).page.width == 595
    document(tmp_path / "b.pdf", (300, 842)).replace(path)
    assert pictures.render(path, 1, 1.0).page.width == 300


def test_many_documents_are_shown_one_after_the_other(tmp_path: Path, pictures: PagePictures) -> None:
    paths = [document(tmp_path / f"{n}.pdf", (500 + n, 842)) for n in range(7)]
    for path in (*paths, *paths):
        assert near(dark(pictures.render(path, 1, 1.0)), MARK)


def test_a_picture_is_kept_and_taken_again_under_its_present_label(tmp_path: Path) -> None:
    path = document(tmp_path / "a.pdf", (200, 300))
    kept = KeptPictures(tmp_path / "kept", 1_000_000)
    drawn = PagePictures(kept)
    first = drawn.render(path, 1, 1.0, "i", document_id="d")
    drawn.close()
    times = path.stat()
    path.write_bytes(b"-" * times.st_size)  # nobody opens it any more: its size and time are those of before
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    again = PagePictures(kept).render(path, 1, 1.0, "1", document_id="d")
    assert again.png == first.png
    assert (first.page.label, again.page.label) == ("i", "1")


def test_no_picture_of_a_locked_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page()
        pdf.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="sesame")
    kept = KeptPictures(tmp_path / "kept", 1_000_000)
    drawn = PagePictures(kept)
    assert drawn.render(path, 1, 1.0, passwords=("sesame",), document_id="d").png
    drawn.close()
    assert kept.documents() == set()
    with pytest.raises(NeedsPasswordError):
        PagePictures(kept).render(path, 1, 1.0, document_id="d")
