"""Why a page was found: how well each part of it fits each word of the question."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_rag.core.types import BBox


@dataclass(frozen=True, slots=True)
class WordHeat:
    """How well the patches of a page fit one word; ``values`` lie between 0 and 1, row by row from the top left."""

    word: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The patches of a page, ``columns`` times ``rows`` over its whole area, and how well they fit a question.

    ``total`` is the mean over the words, as 0 to 1; ``best`` is the place that fits best, in points. ``model`` is the
    display name of what looked at the page.
    """

    document: str
    page: int
    columns: int
    rows: int
    words: tuple[WordHeat, ...]
    total: tuple[float, ...]
    best: BBox
    model: str
