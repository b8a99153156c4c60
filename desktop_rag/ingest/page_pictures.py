"""Pictures of pages, as sharp as the screen asks for: from the PDF itself or from a document's print view."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from desktop_rag.core.errors import NeedsPasswordError, UserFacingError
from desktop_rag.core.types import BBox, Page, PagePicture
from desktop_rag.store.pictures import KeptPictures, PictureKey

_OPEN_DOCUMENTS = 4
_DRAWN_PAGES = 4
_MOST_PIXELS = 16_000_000
"""64 MB as RGBA: more than any screen shows. What would have more is drawn at a smaller scale."""
_LEAST_WHOLE_SCALE = 0.5
"""A page that would be drawn smaller than this is too large for one picture: letters could not be read any more."""
_PART_PX = 2000

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")
_File = tuple[Path, int]
"""A path and when the file was changed."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A page as MuPDF's list of what is to be drawn: parts of a page with 20,000 rows come 30 times as fast from it."""

    shapes: Any
    width: float
    height: float


class PagePictures:
    """Renders pages; keeps a few documents open. MuPDF is not made for threads, so one picture is made at a time."""

    def __init__(self, kept: KeptPictures | None = None) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._open: OrderedDict[_File, Any] = OrderedDict()
        self._drawn: OrderedDict[tuple[_File, int], _Drawn] = OrderedDict()

    def render(
        self,
        path: Path,
        number: int,
        scale: float,
        label: str = "",
        clip: BBox | None = None,
        passwords: tuple[str, ...] = (),
        document_id: str = "",
    ) -> PagePicture:
        """Return page ``number`` (from 1) of the PDF at ``path``, or its part ``clip``, at ``scale`` pixels per point.

        A clip that sticks out of the page is moved inside. A picture that would be too large has fewer pixels per
        point; a page that would be illegible then comes as its top left part. Raises NeedsPasswordError when the file
        is locked and none of ``passwords`` opens it, UserFacingError when it is gone or damaged, or has no such page.

        With ``document_id`` it is kept on the disk and taken from there the next time, unless its file is locked.
        """
        key = _key(document_id, path, number, scale, clip) if document_id else None
        known = self._kept.get(key) if self._kept is not None and key is not None else None
        if known is not None:
            return replace(known, page=replace(known.page, label=label))
        picture, is_locked = self._draw(path, number, scale, label, clip, passwords)
        if self._kept is not None and key is not None and not is_locked:
            self._kept.put(key, picture)
        return picture

    def _draw(
        self, path: Path, number: int, scale: float, label: str, clip: BBox | None, passwords: tuple[str, ...]
    ) -> tuple[PagePicture, bool]:
        """Return the picture, and whether its file opens with a password only."""
        import pymupdf

        with self._lock:
            try:
                file = (path, path.stat().st_mtime_ns)
                document = self._document(file, passwords)
                if not 1 <= number <= document.page_count:
                    raise UserFacingError(f"{path.name} has {document.page_count} pages; there is no page {number}.")
                drawn = self._page(document, file, number)
                part = _inside(clip, drawn) if clip is not None else _first_part(drawn, scale)
                page = Page(number, drawn.width, drawn.height, label)
                return _picture(drawn, part, scale, page, document.page_count), bool(document.needs_pass)
            except (pymupdf.FileDataError, pymupdf.FileNotFoundError, OSError, RuntimeError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) and error.strerror else error
                raise UserFacingError(
                    f"Page {number} of {path.name} cannot be shown: {why}. Check that the file is still there."
                ) from error

    def close(self) -> None:
        """Close all documents, so that their files can be deleted on every platform."""
        with self._lock:
            self._drawn.clear()
            for document in self._open.values():
                document.close()
            self._open.clear()

    def _document(self, file: _File, passwords: tuple[str, ...]) -> Any:
        document = _kept(self._open, file, lambda: _opened(file[0], passwords))
        while len(self._open) > _OPEN_DOCUMENTS:
            gone, oldest = self._open.popitem(last=False)
            for key in [key for key in self._drawn if key[0] == gone]:
                del self._drawn[key]
            oldest.close()
        return document

    def _page(self, document: Any, file: _File, number: int) -> _Drawn:
        def draw() -> _Drawn:
            page = document[number - 1]
            return _Drawn(page.get_displaylist(), page.rect.width, page.rect.height)

        drawn = _kept(self._drawn, (file, number), draw)
        while len(self._drawn) > _DRAWN_PAGES:
            self._drawn.popitem(last=False)
        return drawn


def _key(document: str, path: Path, number: int, scale: float, clip: BBox | None) -> PictureKey | None:
    try:
        status = path.stat()
    except OSError:  # told when it is to be drawn
        return None
    return PictureKey(document, path, status.st_mtime_ns, status.st_size, number, scale, clip)


def _opened(path: Path, passwords: tuple[str, ...]) -> Any:
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    document = pymupdf.open(path, filetype="pdf")
    if document.needs_pass and not any(map(document.authenticate, passwords)):
        document.close()
        raise NeedsPasswordError(f"{path.name} is locked. Enter its password to see its pages.")
    return document


def _kept(store: OrderedDict[_Key, _Value], key: _Key, make: Callable[[], _Value]) -> _Value:
    """Return what ``store`` has for ``key``, made if need be, as its latest entry."""
    if key not in store:
        store[key] = make()
    store.move_to_end(key)
    return store[key]


def _inside(clip: BBox, page: _Drawn) -> BBox:
    width, height = min(clip.x1 - clip.x0, page.width), min(clip.y1 - clip.y0, page.height)
    left = max(0.0, min(clip.x0, page.width - width))
    top = max(0.0, min(clip.y0, page.height - height))
    if width <= 0 or height <= 0:
        raise ValueError("the part has no size")
    return BBox(left, top, left + width, top + height)


def _first_part(page: _Drawn, scale: float) -> BBox | None:
    """Return None where the whole page can be one picture, else its top left part."""
    if _bounded(scale, page.width, page.height) >= min(scale, _LEAST_WHOLE_SCALE):
        return None
    side = _PART_PX / scale
    return BBox(0.0, 0.0, min(side, page.width), min(side, page.height))


def _bounded(scale: float, width: float, height: float) -> float:
    return float(min(scale, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5))


def _picture(drawn: _Drawn, part: BBox | None, scale: float, page: Page, pages: int) -> PagePicture:
    import pymupdf

    shown = part or BBox(0.0, 0.0, drawn.width, drawn.height)
    scale = _bounded(scale, shown.x1 - shown.x0, shown.y1 - shown.y0)
    clip = None if part is None else pymupdf.Rect(part.x0, part.y0, part.x1, part.y1)
    pixmap = drawn.shapes.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=0, clip=clip)
    box = None
    if part is not None:
        left, top = pixmap.x / scale, pixmap.y / scale
        box = BBox(left, top, left + pixmap.width / scale, top + pixmap.height / scale)
    return PagePicture(pixmap.tobytes("png"), pixmap.width, pixmap.height, page, pages, box)
