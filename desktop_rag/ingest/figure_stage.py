"""The figure stage of a few pages, as it runs in a worker: figures with captions, labels, and words in pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from blake3 import blake3

from desktop_rag.core.types import BBox, Element, ElementKind
from desktop_rag.ingest.figures import FoundFigure, Label, figure_elements, figures_on
from desktop_rag.ingest.figures.boxes import holds
from desktop_rag.ingest.figures.captions import figure_name, nearby_text
from desktop_rag.ingest.figures.finder import in_rows
from desktop_rag.ingest.figures.output import PlacedFigure
from desktop_rag.ingest.figures.regions import PictureKey, furniture, picture_keys, regions_of
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.ocr import Picture, TextRecogniser
from desktop_rag.ingest.ocr_layout import box_of, place
from desktop_rag.ingest.ocr_rapid import RapidRecogniser
from desktop_rag.ingest.ocr_stage import READABLE, page_picture
from desktop_rag.ingest.parse import ParseFailure, part_failure
from desktop_rag.ingest.readers.pdf_fonts import LayerCheck
from desktop_rag.ingest.readers.pdf_glyphs import read_page

ENTRY = "desktop_rag.ingest.figure_stage:FigureEntry"

_BESIDE = 5
"""So many pages before and after are looked at to tell which pictures stand on every page."""

_RUNNING, _FEW_LINES = 40, 5
"""From so many characters on a line is running text; so many such lines are a page of it."""

_BROKEN = (RuntimeError, ValueError, AttributeError, KeyError)


class FigureEntry:
    """What a worker runs for each part; keeps the models of text recognition in memory from one part to the next."""

    def __init__(self, recogniser: TextRecogniser | None = None) -> None:
        self._recogniser = recogniser

    def __call__(
        self,
        document: str,
        path: Path,
        password: str | None,
        max_tokens: int,
        on_pages: Callable[[int], None],
        part: Part,
    ) -> PartRead | ParseFailure:
        """Find the figures on the pages of ``part``. A bad document is a ParseFailure, never an exception."""
        try:
            figures = self._figures(path, password, part)
        except Exception as error:
            return part_failure(error, path, "a figure")
        elements = figure_elements(document, part.title, figures, max_tokens)
        return PartRead(elements, len({element.page for element in elements}))

    def _figures(self, path: Path, password: str | None, part: Part) -> list[PlacedFigure]:
        from desktop_rag.ingest.readers import find_reader
        from desktop_rag.ingest.readers.base import ShowsPages

        reader = find_reader(path)
        if not isinstance(reader, ShowsPages):
            return []
        found: list[PlacedFigure] = []
        with reader.open_pages(path, password) as document:
            layer = LayerCheck(document)
            repeated = _repeated(document, part)
            for number in range(part.first, min(part.last, document.page_count) + 1):
                try:
                    page = document[number - 1]
                    figures, scanned = _on_page(page, number, layer, repeated, part.known)
                except _BROKEN:  # a page that is too damaged to be looked at has no figures
                    continue
                placed = [self._placed(page, figure, part) for figure in figures]
                found += [one for one in placed if not (scanned and reads_as_text(one.figure))]
        return found

    def _placed(self, page: Any, figure: FoundFigure, part: Part) -> PlacedFigure:
        picture, scale = page_picture(page, figure.place)
        if not figure.drawn or not figure.labels:
            figure = replace(figure, labels=self._with_recognised(figure, picture, scale, part))
        name = figure_name(figure.caption[0].text) if figure.caption else ""
        worded = bool(figure.caption or figure.labels)
        nearby = nearby_text(name, figure.bbox, figure.page, part.known) if worded else ""
        return PlacedFigure(figure, nearby, heading_of(figure, part.known), digest_of(picture))

    def _with_recognised(self, figure: FoundFigure, picture: Picture, scale: float, part: Part) -> tuple[Label, ...]:
        """Return the labels of a figure with the words that stand in its picture.

        Where nothing but single signs is seen, they are strokes and corners.
        """
        recogniser = self._recogniser = self._recogniser or RapidRecogniser(part.threads, engine="", pack=part.model)
        known = [label.bbox for label in (*figure.labels, *figure.caption)]
        labels = list(figure.labels)
        for line in (place(line, scale) for line in recogniser.recognise(picture)):
            box = moved(box_of(line.corners), figure.place)
            if line.text and line.confidence >= READABLE and not any(holds(one, box) for one in known):
                labels.append(Label(line.text, box, line.confidence))
        return tuple(in_rows(labels)) if any(len(label.text) > 1 for label in labels) else ()


def moved(box: BBox, place: BBox) -> BBox:
    """Return a box of a part of a page as a box of the page."""
    return BBox(box.x0 + place.x0, box.y0 + place.y0, box.x1 + place.x0, box.y1 + place.y0)


def digest_of(picture: Picture) -> str:
    """Return what tells one picture from another, however the file around it changes."""
    return blake3(repr(picture.shape).encode("ascii") + picture.tobytes()).hexdigest()


def heading_of(figure: FoundFigure, known: Sequence[Element]) -> tuple[str, ...]:
    """Return the heading path of the text that stands nearest above a figure, on its page or on an earlier one."""
    texts = [element for element in known if element.kind is not ElementKind.FIGURE and element.heading]
    above = [e for e in texts if e.page < figure.page or (e.page == figure.page and e.bbox.y0 <= figure.bbox.y1)]
    nearest = max(above, key=lambda element: (element.page, element.bbox.y0), default=None)
    return nearest.heading if nearest is not None else ()


def _repeated(document: Any, part: Part) -> frozenset[PictureKey]:
    first, last = max(1, part.first - _BESIDE), min(part.last + _BESIDE, document.page_count)
    keys: list[set[PictureKey]] = []
    for number in range(first, last + 1):
        try:
            keys.append(picture_keys(document[number - 1]))
        except _BROKEN:
            continue
    return furniture(keys)


def reads_as_text(figure: FoundFigure) -> bool:
    """Whether the picture of a page without a text layer shows lines of text: that page is a scan, and no figure."""
    running = [label.text for label in figure.labels if len(label.text) >= _RUNNING]
    letters = sum(len(label.text) for label in figure.labels)
    return len(running) >= _FEW_LINES and 2 * sum(map(len, running)) > letters


def _on_page(
    page: Any, number: int, layer: LayerCheck, repeated: frozenset[PictureKey], known: Sequence[Element]
) -> tuple[list[FoundFigure], bool]:
    """Return the figures of a page, and whether it has hardly any text layer."""
    regions = regions_of(page, repeated)
    if not regions:
        return [], False
    text = read_page(page, number, layer)
    return figures_on(regions, text, known), text.scanned
