"""Page pictures: asked of the engine at the density of the screen, kept for a while, never waited for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from desktop_rag.core.types import PagePicture
from desktop_rag.ui.bridge import Bridge, Failure

KEPT_PIXELS = 48_000_000
"""About 190 MB of pictures."""
_STEPS_PER_DOUBLING = 4


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded page picture: the page's size in points, the number of pages of the document, pixels per point."""

    image: QImage
    width: float
    height: float
    pages: int
    scale: float


@dataclass(frozen=True, slots=True)
class _Key:
    document: str
    page: int
    scale: float


Shown = Callable[[Picture], None]
NotShown = Callable[[str], None]


def step_scale(scale: float) -> float:
    """Return the next of a few scales that is at least ``scale``, so that a slow zoom does not ask for dozens."""
    step = 0.25
    while step < scale * 0.999 and step < 8:
        step *= 2 ** (1 / _STEPS_PER_DOUBLING)
    return round(step, 4)


def _decode(picture: PagePicture) -> Picture:
    image = QImage.fromData(picture.png)
    scale = picture.width_px / picture.page.width if picture.page.width else 1.0
    return Picture(image, picture.page.width, picture.page.height, picture.pages, scale)


class Pictures(QObject):
    """The cache; a picture that is on its way is asked for once, however many wait for it."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._kept: OrderedDict[_Key, Picture] = OrderedDict()
        self._waiting: dict[_Key, list[tuple[Shown, NotShown]]] = {}

    def forget(self) -> None:
        """Drop every picture: the files may have changed, or the engine is another one."""
        self._kept.clear()
        self._waiting.clear()

    def at_hand(self, document: str, page: int) -> Picture | None:
        """Return any kept picture of a page, the sharpest first, to be shown until the right one comes."""
        found = [picture for key, picture in self._kept.items() if (key.document, key.page) == (document, page)]
        return max(found, key=lambda picture: picture.scale, default=None)

    def ask(self, document: str, page: int, scale: float, shown: Shown, failed: NotShown) -> None:
        """Call ``shown`` with the picture of a page at ``scale`` pixels per point or a little more."""
        key = _Key(document, page, step_scale(scale))
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
                convert=_decode,
                done=lambda picture: self._arrived(key, picture),
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
        message = failure.message or self.tr("The picture of this page could not be made.")
        for _shown, failed in self._waiting.pop(key, []):
            failed(message)

    def _pixels(self) -> int:
        return sum(picture.image.width() * picture.image.height() for picture in self._kept.values())
