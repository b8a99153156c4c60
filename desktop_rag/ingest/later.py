"""The later stages of a file, in pieces of a few pages: what is asked of a worker, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_rag.core.tables import TableData
from desktop_rag.core.types import BBox, Element
from desktop_rag.models.vision import VisionFiles


@dataclass(frozen=True, slots=True)
class Part:
    """The pages ``first`` to ``last`` (inclusive, from 1) of a document that is in the index under ``title``.

    ``threads`` is how many cores the worker may take for it. ``model`` is the file of the model that it works with;
    empty for the one that comes along.
    ``known`` are the elements that the index has of these
    pages and of those beside them, for a stage that asks for them. ``place`` is a figure on the page ``first`` that the
    model ``vision`` shall describe.
    """

    title: str
    first: int
    last: int
    threads: int = 1
    model: str = ""
    known: tuple[Element, ...] = ()
    place: BBox | None = None
    vision: VisionFiles | None = None


@dataclass(frozen=True, slots=True)
class PartRead:
    """What a later stage found on the pages of a :class:`Part`.

    ``pages`` is the number of pages on which it found something, ``doubtful`` how many of them it is not sure of.
    ``tables`` are the whole tables of which elements are parts.
    ``description`` is what a vision model says of one figure.
    """

    elements: tuple[Element, ...]
    pages: int
    doubtful: int = 0
    tables: tuple[TableData, ...] = ()
    description: str = ""
