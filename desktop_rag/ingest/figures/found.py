"""What a found figure is, for those who use it."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_rag.core.types import BBox


@dataclass(frozen=True, slots=True)
class Label:
    """Words that stand in ``bbox`` on the page. ``confidence`` is 1 for a text layer, less for recognised words."""

    text: str
    bbox: BBox
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class FoundFigure:
    """A figure on ``page``: ``place`` is the drawing or picture itself with its labels, without the caption.

    Boxes are in points on the page as shown. ``drawn`` tells drawings from embedded pictures, whose words are in no
    text layer. ``caption`` and ``labels`` are lines in the order of reading.
    """

    page: int
    place: BBox
    drawn: bool
    caption: tuple[Label, ...] = ()
    labels: tuple[Label, ...] = ()

    @property
    def bbox(self) -> BBox:
        """The figure with its caption."""
        return BBox.around((self.place, *(line.bbox for line in self.caption)))
