"""Page pictures on the disk: found again, never more than there is room for, and never of another version."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_rag.core.types import BBox, Page, PagePicture
from desktop_rag.store.pictures import KeptPictures, PictureKey

KEY = PictureKey("d1", Path("/papers/a.pdf"), changed_ns=1, size=2, page=3, scale=1.5)


def picture(size: int = 100, clip: BBox | None = None) -> PagePicture:
    """Return a picture whose PNG has so many bytes, with line ends among them."""
    return PagePicture(b"\x89PNG\n" + b"\n" * (size - 5), 20, 30, Page(3, 595.0, 842.0, "iii"), 9, clip)


@pytest.fixture
def kept(tmp_path: Path) -> KeptPictures:
    return KeptPictures(tmp_path / "pictures", 10_000)


def test_a_picture_comes_back_as_it_was(kept: KeptPictures) -> None:
    assert kept.get(KEY) is None
    part = replace(KEY, clip=BBox(0.0, 1.5, 100.0, 200.25))
    kept.put(KEY, picture())
    kept.put(part, picture(50, part.clip))
    assert kept.get(KEY) == picture()
    assert kept.get(part) == picture(50, part.clip)
    assert kept.get(replace(KEY, scale=2.0)) is None


def test_a_file_that_changed_has_no_pictures_and_the_old_ones_go(kept: KeptPictures, tmp_path: Path) -> None:
    kept.put(KEY, picture())
    newer = replace(KEY, changed_ns=5)
    assert kept.get(newer) is None
    kept.put(newer, picture(70))
    assert kept.get(newer) == picture(70)
    assert len(list((tmp_path / "pictures" / "d1").iterdir())) == 1


def test_those_not_shown_for_longest_go_when_there_is_no_room(kept: KeptPictures, tmp_path: Path) -> None:
    keys = [replace(KEY, document=f"d{number}") for number in range(12)]
    for age, key in enumerate(keys[:9]):
        kept.put(key, picture(1000))
        os.utime(tmp_path / "pictures" / key.document / key.name, (1000 + age, 1000 + age))
    assert kept.get(keys[0]) is not None  # shown just now
    for key in keys[9:]:
        kept.put(key, picture(1000))

    there = {key.document for key in keys if kept.get(key) is not None}
    assert {"d0", "d11"} <= there
    assert "d1" not in there
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.picture")) <= 10_000


def test_pictures_of_other_documents_are_forgotten(kept: KeptPictures) -> None:
    kept.put(KEY, picture())
    kept.put(replace(KEY, document="d2"), picture())
    kept.keep_only(["d2"])
    assert kept.documents() == {"d2"}


@pytest.mark.parametrize("content", [b"", b"{}\npng", b"nothing", b'{"clip": null}\n'])
def test_a_damaged_picture_is_as_if_it_had_not_been_kept(kept: KeptPictures, tmp_path: Path, content: bytes) -> None:
    kept.put(KEY, picture())
    (tmp_path / "pictures" / "d1" / KEY.name).write_bytes(content)
    assert kept.get(KEY) is None


def test_nothing_is_written_without_room_or_by_a_reader(tmp_path: Path) -> None:
    for kept in (KeptPictures(tmp_path / "pictures", 0), KeptPictures(tmp_path / "pictures", 10_000, read_only=True)):
        kept.put(KEY, picture())
        assert kept.get(KEY) is None
    assert not (tmp_path / "pictures").exists()


def test_a_disk_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "pictures").write_text("a file where the folder should be", encoding="utf-8")
    kept = KeptPictures(tmp_path / "pictures", 10_000)
    kept.put(KEY, picture())
    assert kept.get(KEY) is None
