"""Page pictures: asked of the engine at the density of the screen, kept for a while, never waited for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO

from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QImage

from desktop_rag.core.errors import NeedsPasswordError
from desktop_rag.core.types import BBox, PagePicture
from desktop_rag.ui.bridge import Bridge, Failure
from desktop_rag.ui.lit import rectangle

KEPT_PIXELS = 48_000_000
"""About 190 MB of pictures."""
_STEPS_PER_DOUBLING = 4
_LEAST_SCALE = 0.0625


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded picture of a page or a part of it.

    ``width`` and ``height`` are the page's size in points, ``part`` is what is shown of it, ``pages`` counts the
    document's pages, and ``scale`` is in pixels per point.
    """

    image: QImage
    width: float
    height: float
    pages: int
    scale: float
    part: QRectF
    whole: bool


@dataclass(frozen=True, slots=True)
class _Key:
    document: str
    page: int
    scale: float
    clip: BBox | None


Shown = Callable[[Picture], None]
NotShown = Callable[[str], None]


def step_scale(scale: float) -> float:
    """Return the next of a few scales that is at least ``scale``, so that a slow zoom does not ask for dozens."""
    step = _LEAST_SCALE
    while step < scale * 0.999 and step < 8:
        step *= 2 ** (1 / _STEPS_PER_DOUBLING)
    return round(step, 4)


@dataclass(frozen=True, slots=True)
class _Pixels:
    """A picture that is decoded but not yet Qt's: four bytes a pixel, blue first, row by row."""

    picture: PagePicture
    data: bytes
    width: int
    height: int


def _decode(picture: PagePicture) -> _Pixels:
    """Decode a picture without Qt, as it happens in the client's thread.

    Qt asks each of its image formats, which may wait for a lock of Qt while Python's own is held: where the window's
    thread holds the former and waits for the latter, both wait for ever.
    """
    from PIL import Image

    with Image.open(BytesIO(picture.png)) as opened:
        pixels = opened.convert("RGB").convert("RGBA")  # opaque: Qt wants the fourth byte full
    return _Pixels(picture, pixels.tobytes("raw", "BGRA"), pixels.width, pixels.height)


def _as_shown(pixels: _Pixels) -> Picture:
    picture, page, clip = pixels.picture, pixels.picture.page, pixels.picture.clip
    rows = QImage(pixels.data, pixels.width, pixels.height, 4 * pixels.width, QImage.Format.Format_RGB32)
    part = QRectF(0, 0, page.width, page.height) if clip is None else rectangle(clip)
    scale = picture.width_px / part.width() if part.width() else 1.0
    return Picture(rows.copy(), page.width, page.height, picture.pages, scale, part, clip is None)


class Pictures(QObject):
    """The cache; a picture that is on its way is asked for once, however many wait for it."""

    locked = Signal(str, str)
    """A document whose pages cannot be shown without its password, and the sentence that says so."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._kept: OrderedDict[_Key, Picture] = OrderedDict()
        self._waiting: dict[_Key, list[tuple[Shown, NotShown]]] = {}

    @property
    def kept(self) -> int:
        """The number of pictures at hand."""
        return len(self._kept)

    def forget(self) -> None:
        """Drop every picture, for the files may have changed; who waits for one still gets it."""
        self._kept.clear()

    def leave(self) -> None:
        """Drop everything: the engine is another one, and what was asked of the former one never comes."""
        self.forget()
        self._waiting.clear()

    def at_hand(self, document: str, page: int) -> Picture | None:
        """Return any kept picture of a whole page, the sharpest first, to be shown until the right one comes."""
        kept = self._kept.items()
        found = [one for key, one in kept if (key.document, key.page) == (document, page) and one.whole]
        return max(found, key=lambda picture: picture.scale, default=None)

    def ask(
        self, document: str, page: int, scale: float, shown: Shown, failed: NotShown, clip: BBox | None = None
    ) -> None:
        """Call ``shown`` with the picture of a page, or of its part ``clip``, at ``scale`` pixels per point or more.

        Of a page that is too large for one picture only a part comes, and the picture says so.
        """
        key = _Key(document, page, step_scale(scale), clip)
        if key in self._kept:
            self._kept.move_to_end(key)
            shown(self._kept[key])
            return
        waiting = self._waiting.setdefault(key, [])
        waiting.append((shown, failed))
        if len(waiting) == 1:
            self._bridge.call(
                "page_picture",
                document,
                page,
                key.scale,
                clip,
                convert=_decode,
                done=lambda pixels: self._arrived(key, _as_shown(pixels)),
                failed=lambda failure: self._did_not(key, failure),
            )

    def prefetch(self, document: str, page: int, scale: float) -> None:
        """Have a page at hand before it is turned to."""
        self.ask(document, page, scale, lambda _picture: None, lambda _message: None)

    def _arrived(self, key: _Key, picture: Picture) -> None:
        self._kept[key] = picture
        while len(self._kept) > 1 and self._pixels() > KEPT_PIXELS:
            self._kept.popitem(last=False)
        for shown, _failed in self._waiting.pop(key, []):
            shown(picture)

    def _did_not(self, key: _Key, failure: Failure) -> None:
        if isinstance(failure.error, NeedsPasswordError):
            self._waiting.pop(key, None)
            self.locked.emit(key.document, failure.message)
            return
        message = failure.message or self.tr("The picture of this page could not be made.")
        for _shown, failed in self._waiting.pop(key, []):
            failed(message)

    def _pixels(self) -> int:
        return sum(picture.image.width() * picture.image.height() for picture in self._kept.values())
