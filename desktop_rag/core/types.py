"""What documents become on their way: pages, blocks, elements with their places, and hits.

Places are in PDF points (1/72 inch) with the origin at the top left of the page as it is shown, after any
page rotation. Pages are counted from 1 in file order. Times are milliseconds where a name ends in ``_ms``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from desktop_rag.core.ledger import Stage
from desktop_rag.core.tables import TableData

INSIDE = " › "
"""Stands in the name of a file between a message and what is attached to it: "mail.eml › report.pdf"."""


class ElementKind(StrEnum):
    """What an element of a document is."""

    TEXT = "text"
    TABLE = "table"
    FIGURE = "figure"
    SCAN = "scan"
    CODE = "code"


class Route(StrEnum):
    """A way from a question to ranked elements."""

    TEXT = "text"
    KEYWORD = "keyword"
    TABLE = "table"
    FIGURE = "figure"
    PAGE = "page"
    HYBRID = "hybrid"
    BEST = "best"


@dataclass(frozen=True, slots=True)
class BBox:
    """A rectangle on a page in points: left, top, right, bottom."""

    x0: float
    y0: float
    x1: float
    y1: float

    @staticmethod
    def around(boxes: Iterable[BBox]) -> BBox:
        """Return the smallest box that holds all of ``boxes``; raises ValueError when there is none."""
        rest = iter(boxes)
        first = next(rest, None)
        if first is None:
            raise ValueError("no boxes to enclose")
        x0, y0, x1, y1 = first.x0, first.y0, first.x1, first.y1
        for box in rest:  # one loop: this is called for each line of each page
            if box.x0 < x0:
                x0 = box.x0
            if box.y0 < y0:
                y0 = box.y0
            if box.x1 > x1:
                x1 = box.x1
            if box.y1 > y1:
                y1 = box.y1
        return BBox(x0, y0, x1, y1)

    def as_list(self) -> list[float]:
        """Return ``[x0, y0, x1, y1]`` rounded to a hundredth of a point, as the JSON contract has it."""
        return [round(value, 2) for value in (self.x0, self.y0, self.x1, self.y1)]


@dataclass(frozen=True, slots=True)
class Span:
    """The characters ``start`` to ``end`` (exclusive) of a text stand in ``bbox``: usually one line of the page.

    ``confidence`` is how sure text recognition is of them, from 0 to 1; a text layer is always sure.
    """

    start: int
    end: int
    bbox: BBox
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file seen on the disk. ``path`` is absolute; ``shown`` is the path as the user gave it."""

    path: Path
    shown: str
    folder_id: int
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its number from 1, its size in points as shown, and the printed label if it has another one."""

    number: int
    width: float
    height: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table or listing as a reader found it, before it is cut into elements.

    ``level`` is 0 for ordinary blocks and 1 (highest) to 6 for headings. Readers of formats without fixed pages leave
    ``page`` 0 and ``spans`` empty; the print view fills them in. ``markdown`` is set where it says more than ``text``.
    ``frame`` is a place that belongs to it beside its spans: the header of a table, whose names each row repeats.
    ``context`` says under what the block stands where that is printed on another page: the caption of a table.
    ``table`` is the id of the whole table of which this is a part.
    A figure may have a ``picture`` (the bytes of an image file) that the print view shows above its text.
    """

    kind: ElementKind
    text: str
    page: int = 0
    spans: tuple[Span, ...] = ()
    level: int = 0
    markdown: str = ""
    frame: BBox | None = None
    context: str = ""
    table: str = ""
    picture: bytes = b""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a message: its name as the sender gave it, and its bytes."""

    name: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What a reader made of a file.

    ``blocks`` stand in reading order. ``print_view`` is the laid-out PDF of a format without fixed pages, else empty.
    ``problem`` is a sentence for the ledger when the file could be read only in part. ``waiting`` names stages that
    still have something to do for it (pages without a text layer wait for OCR), and ``missing`` is a sentence for the
    ledger on what cannot be found until they are done. ``attachments`` become documents of their own. ``tables`` are
    the whole tables to which blocks belong.
    """

    title: str
    pages: tuple[Page, ...]
    blocks: tuple[Block, ...]
    print_view: bytes = b""
    problem: str = ""
    waiting: frozenset[Stage] = frozenset()
    missing: str = ""
    attachments: tuple[Attachment, ...] = ()
    tables: tuple[TableData, ...] = ()


@dataclass(frozen=True, slots=True)
class Element:
    """A piece of a document that can be found and cited: it stands on one page, in ``bbox``.

    ``text`` is what is quoted, ``spans`` says where each part of it stands, ``heading`` is the path of headings above
    it. ``content_hash`` is a digest of kind, title, headings and what is searched: equal hashes embed to equal vectors.
    ``table`` is the id, within the document, of the whole table of which this is a part; empty if it is none.

    Figures have more to be found by: ``nearby`` is what the text around says of it, ``described`` what a vision model
    sees in it. Neither is ever quoted: the one stands elsewhere, and the other is no document's word. ``picture`` is a
    digest of the figure's picture.
    """

    id: str
    document: str
    page: int
    bbox: BBox
    kind: ElementKind
    text: str
    spans: tuple[Span, ...]
    title: str
    heading: tuple[str, ...]
    content_hash: str
    markdown: str = ""
    table: str = ""
    nearby: str = ""
    described: str = ""
    picture: str = ""

    @property
    def retrieval_text(self) -> str:
        """The document's words that tell what the element is about: title and heading path, then the element itself."""
        context = " > ".join(part for part in (self.title, *self.heading) if part)
        return f"{context}\n{self.text}" if context else self.text

    @property
    def search_text(self) -> str:
        """The text that is embedded: as :attr:`retrieval_text`, and of a figure what else helps to find it."""
        return "\n".join(part for part in (self.retrieval_text, self.described, self.nearby) if part)


@dataclass(frozen=True, slots=True)
class Hit:
    """An element found by a route. ``score`` is that route's own measure; higher is better. ``rank`` counts from 1."""

    rank: int
    score: float
    route: Route
    element: Element
    file: str
    why: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Return the hit in the form of the JSON contract."""
        return {
            "rank": self.rank,
            "score": round(self.score, 6),
            "route": str(self.route),
            "file": self.file,
            "page": self.element.page,
            "kind": str(self.element.kind),
            "bbox": self.element.bbox.as_list(),
            "text": self.element.text,
            "element": self.element.id,
            "document": self.element.document,
            "heading": " > ".join(self.element.heading),
        }


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A rendered page or a part of it: PNG bytes, their size in pixels, and the page's size in points."""

    png: bytes
    width_px: int
    height_px: int
    page: Page
    pages: int
    """The number of pages of the document."""
    clip: BBox | None = None
    """The part of the page that is shown, to the pixel; None where all of it is."""
