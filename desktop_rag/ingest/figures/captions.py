"""The printed caption of a figure, and the text that speaks of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from desktop_rag.core.types import BBox, Element, ElementKind
from desktop_rag.ingest.figures.found import Label
from desktop_rag.ingest.readers.pdf_parts import Fragment

_KINDS = (
    r"(?:figure|fig\.?|chart|graph|diagram|map|plate|photo(?:graph)?|picture|illustration|image|exhibit|screenshot"
    r"|abbildung|abb\.?|bild|grafik|schaubild|karte|figura|imagen|gráfico|ilustración|schéma|carte|图|圖|図)"
)
_NUMBER = r"(?:[A-Z]{0,2}[-–.]?\d+(?:[-–.]\d+)*[a-z]?|[IVXL]+\b|[A-Z]\b)"
_NAMED = re.compile(rf"{_KINDS}\s*(?:no\.\s*)?{_NUMBER}", re.IGNORECASE)
_ENDS_NAME = re.compile(r"\s*(?:[.:—–|-]|$|\s(?=[^a-z]))")
_REFERS = re.compile(
    r"\s*(?:\([a-z]\)\s*)?(?:shows?|illustrates?|depicts?|compares?|presents?|displays?|provides?|lists?|gives?|contains"
    r"|is|are|and|in|of|below|above|zeigt|montre|muestra)\b"
)
_REACH = 2.2
"""A caption begins at most so many of its line heights away from its figure."""

_LINE_GAP = 0.75
_MOST_LINES = 7
_LONGEST_TITLE = 110
_NEARBY_CHARACTERS = 700


@dataclass(frozen=True, slots=True)
class Caption:
    """Where a caption stands, line by line, and by which name ("figure 3") the text speaks of the figure."""

    lines: tuple[Label, ...]
    name: str = ""

    @property
    def bbox(self) -> BBox:
        """The box around its lines."""
        return BBox.around(line.bbox for line in self.lines)


def named_captions(fragments: Sequence[Fragment]) -> list[Caption]:
    """Return the captions of a page that begin with a name such as "Figure 3.", with the lines that go on below."""
    return [
        Caption(_with_lines_below(fragment, fragments), figure_name(fragment.text))
        for fragment in fragments
        if is_caption(fragment.text)
    ]


def is_caption(text: str) -> bool:
    """Say whether a line begins like "Figure 3." and is no sentence that speaks of a figure."""
    match = _NAMED.match(text)
    if match is None:
        return False
    rest = text[match.end() :]
    return bool(_ENDS_NAME.match(rest)) and not _REFERS.match(rest)


def figure_name(text: str) -> str:
    """Return the name at the beginning of a caption, in small letters with single blanks; "" when it has none."""
    match = _NAMED.match(text)
    return " ".join(match.group().lower().split()) if match else ""


def distance(caption: BBox, figure: BBox) -> float:
    """Return how far a caption is from its figure in points, above, below or beside it; infinite when askew."""
    across = min(caption.x1, figure.x1) - max(caption.x0, figure.x0)
    down = min(caption.y1, figure.y1) - max(caption.y0, figure.y0)
    if across > 0.3 * min(caption.x1 - caption.x0, figure.x1 - figure.x0):
        return max(0.0, caption.y0 - figure.y1, figure.y0 - caption.y1)
    if down > 0.5 * min(caption.y1 - caption.y0, figure.y1 - figure.y0):
        return max(0.0, caption.x0 - figure.x1, figure.x0 - caption.x1)
    return float("inf")


def title_of(place: BBox, fragments: Sequence[Fragment], body_size: float) -> Caption | None:
    """Return a short heading right over a figure that has no named caption: bold, larger, or in the middle of it."""
    above = [f for f in fragments if f.place.y1 <= place.y0 + 0.5 * f.size and _is_over(f.place, place)]
    nearest = max(above, key=lambda f: f.place.y1, default=None)
    if nearest is None or place.y0 - nearest.place.y1 > _REACH * nearest.size:
        return None
    middle = abs(nearest.place.x0 + nearest.place.x1 - place.x0 - place.x1) / 2
    centred = middle < 0.06 * (place.x1 - place.x0) and not any(
        0 < nearest.place.y0 - f.place.y0 < 1.6 * f.size and _is_over(f.place, nearest.place) for f in above
    )
    stands_out = nearest.bold or nearest.size > 1.15 * body_size or centred
    if len(nearest.text) > _LONGEST_TITLE or not stands_out or nearest.text.endswith((".", ";", ",")):
        return None
    return Caption((_label(nearest),))


def nearby_text(name: str, place: BBox, page: int, known: Iterable[Element]) -> str:
    """Return what the text says of a figure: paragraphs that name it, else those right above and below it.

    ``known`` are the elements of its page and of the pages beside it.
    """
    texts = [element for element in known if element.kind in (ElementKind.TEXT, ElementKind.SCAN)]
    chosen: list[str] = []
    if name:
        says = re.compile(re.escape(name).replace(r"\ ", r"\s+") + r"(?![\d.-]*\d)", re.IGNORECASE)
        chosen = [part for element in texts for part in _paragraphs(element.text) if says.search(part)]
    if not chosen:
        here = [element for element in texts if element.page == page]
        above = max((e for e in here if e.bbox.y1 <= place.y0 + 2), key=lambda e: e.bbox.y1, default=None)
        below = min((e for e in here if e.bbox.y0 >= place.y1 - 2), key=lambda e: e.bbox.y0, default=None)
        chosen = _paragraphs(above.text)[-1:] if above else []
        chosen += [part for part in _paragraphs(below.text) if not is_caption(part)][:1] if below else []
    text = "\n".join(dict.fromkeys(part for part in chosen if not is_caption(part)))
    return text if len(text) <= _NEARBY_CHARACTERS else text[:_NEARBY_CHARACTERS].rsplit(" ", 1)[0]


def _paragraphs(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()] or [text]


def _is_over(line: BBox, place: BBox) -> bool:
    return line.x1 > place.x0 and line.x0 < place.x1


def _with_lines_below(first: Fragment, fragments: Sequence[Fragment]) -> tuple[Label, ...]:
    """Take the lines that go on below the first one: as closely set, in the same size, and not another caption."""
    lines = [first]
    right = first.place.x1
    below = sorted((f for f in fragments if f.place.y0 > first.place.y0 + 0.5 * first.size), key=lambda f: f.place.y0)
    for line in below:
        last = lines[-1]
        if line.place.y0 - last.place.y1 > _LINE_GAP * first.size or len(lines) >= _MOST_LINES:
            break
        beside = line.place.x0 > right or line.place.x1 < first.place.x0
        if beside or is_caption(line.text):
            continue
        if abs(line.size - first.size) > 0.12 * first.size or (first.bold and not line.bold and len(lines) > 1):
            break
        lines.append(line)
        right = max(right, line.place.x1)
    same_row = [
        f
        for f in fragments
        if f is not first and abs(f.base - first.base) < 0.3 * first.size and 0 <= f.place.x0 - first.place.x1 < 12
    ]
    ordered = [first, *same_row, *lines[1:]]
    return tuple(_label(line) for line in ordered)


def _label(fragment: Fragment) -> Label:
    return Label(fragment.text, fragment.place)
