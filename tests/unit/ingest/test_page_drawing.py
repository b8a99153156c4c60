"""Pictures of pages for a page model: bounded in size, and a page that cannot be drawn spoils no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from desktop_rag.core.ledger import FileState
from desktop_rag.ingest.later import Part
from desktop_rag.ingest.page_drawing import DrawnPages, draw
from desktop_rag.ingest.parse import ParseFailure


def drawn(path: Path, first: int = 1, last: int = 9) -> DrawnPages | ParseFailure:
    return draw("d", path, None, 160, lambda _: None, Part("t", first, last))


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "plan.pdf"
    with pymupdf.open() as document:
        document.new_page(width=300, height=400)
        document.new_page(width=14_400, height=7_200)
        document.new_page(width=20, height=14_400)
        document.save(path)
    return path


def test_pictures_are_no_larger_than_models_look_and_no_mere_stripes(pdf: Path) -> None:
    pages = drawn(pdf)

    assert isinstance(pages, DrawnPages)
    assert [(page.columns, page.rows) for page in pages.pages] == [(1200, 1600), (1600, 800), (64, 1600)]
    assert all(len(page.pixels) == 3 * page.columns * page.rows for page in pages.pages)
    assert pages.pages[2].width > 20  # with the white beside it


def test_a_page_that_cannot_be_drawn_is_named_and_spoils_no_other(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really = pymupdf.Page.get_pixmap

    def get_pixmap(page: Any, **wanted: Any) -> Any:
        if page.number == 1:
            raise RuntimeError("no such image")
        return really(page, **wanted)

    monkeypatch.setattr(pymupdf.Page, "get_pixmap", get_pixmap)
    pages = drawn(pdf)

    assert isinstance(pages, DrawnPages)
    assert [bool(page.pixels) for page in pages.pages] == [True, False, True]
    assert pages.pages[1].failure == "Page 2 of plan.pdf cannot be drawn (RuntimeError)."


def test_a_file_that_is_gone_or_has_no_pages_is_a_failure_and_no_exception(tmp_path: Path) -> None:
    (tmp_path / "song.mp3").write_bytes(b"ID3")
    for name in ("gone.pdf", "song.mp3"):
        failure = drawn(tmp_path / name)
        assert isinstance(failure, ParseFailure)
        assert failure.state is FileState.FAILED
        assert name in failure.reason
