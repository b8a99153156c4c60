"""From a page to words and rulings in frames in which every line of text runs to the right, by pdfplumber."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import atan2, pi
from typing import Any

from desktop_rag.core.types import BBox
from desktop_rag.ingest.normalise import clean_text
from desktop_rag.ingest.readers.pdf_parts import Frame
from desktop_rag.ingest.tables.parts import Ruling, Word

_THIN = 3.0
_SHORTEST = 4.0
_MOST_RULINGS = 4000
_LEADER = re.compile(r"[.·…_‥]{3,}$")
_DOTS = re.compile(r"[.·…_‥]+")
_BOLD = re.compile("bold|black|heavy", re.IGNORECASE)
_MONO = re.compile("mono|courier|consol|typewriter|menlo|cmtt", re.IGNORECASE)
_NOT_GIVEN = re.compile(r"\(cid:\d+\)")


@dataclass(frozen=True, slots=True)
class PageParts:
    """The words of one direction on a page, and all its rulings, in the frame of that direction."""

    frame: Frame
    words: tuple[Word, ...]
    rulings: tuple[Ruling, ...]

    def to_page(self, box: BBox) -> BBox:
        """Return a box of the frame on the page as shown."""
        turned = self.frame.turn % 2 == 1
        width = self.frame.height if turned else self.frame.width
        height = self.frame.width if turned else self.frame.height
        return Frame((4 - self.frame.turn) % 4, width, height).from_page(box)


@dataclass(frozen=True, slots=True)
class Geometry:
    """How coordinates in the media box, with y up, become those of the page as shown: shifted, then scaled."""

    left: float
    top: float
    scale: float
    width: float
    height: float

    @staticmethod
    def of(page: Any, plumber: Any) -> Geometry:
        """Compare MuPDF's page, as shown, with pdfplumber's layout of its whole media box."""
        media, crop = page.mediabox, page.cropbox  # PyMuPDF gives the crop box with y down from the media box's top
        margins = (crop.x0 - media.x0, crop.y0, media.x1 - crop.x1, media.height - crop.y1)
        turns = page.rotation // 90 % 4
        left, top = margins[(0 - turns) % 4], margins[(1 - turns) % 4]
        raw = crop.height if turns % 2 else crop.width
        scale = page.rect.width / raw if raw else 1.0
        return Geometry(left, float(plumber.height) - top, scale, page.rect.width, page.rect.height)

    def box(self, item: Any) -> BBox:
        """Return where an object of the layout, whose y runs up, stands on the page as shown."""
        x0, x1 = (item.x0 - self.left) * self.scale, (item.x1 - self.left) * self.scale
        return BBox(x0, (self.top - item.y1) * self.scale, x1, (self.top - item.y0) * self.scale)


def parts_of(plumber: Any, geometry: Geometry, hidden: Sequence[BBox]) -> list[PageParts]:
    """Return the words and rulings of a page, the direction with most words first; ``hidden`` words are left out."""
    from pdfminer.layout import LTChar, LTCurve, LTImage

    turned: dict[int, list[Any]] = defaultdict(list)
    curves: list[Any] = []
    grounds: list[BBox] = []
    for item in _flat(plumber.layout):
        if isinstance(item, LTChar):
            turn = _turn(item)
            if turn is not None:
                turned[turn].append(item)
        elif isinstance(item, LTCurve):
            curves.append(item)
        elif isinstance(item, LTImage):
            grounds.append(geometry.box(item))
    boxes = _drawn(curves, grounds, geometry)
    parts = []
    for turn, chars in turned.items():
        frame = Frame(turn, geometry.width, geometry.height)
        words = _words(chars, geometry, frame, hidden)
        if words:
            parts.append(PageParts(frame, tuple(words), tuple(_rulings(boxes, frame))))
    return sorted(parts, key=lambda item: -len(item.words))


def _drawn(curves: Sequence[Any], grounds: Sequence[BBox], geometry: Geometry) -> list[BBox]:
    """Return the boxes of lines that are seen. A white one is, between coloured cells or on a picture, its ground."""
    coloured = [geometry.box(item) for item in curves if item.fill and not _is_thin(item) and not _is_blank(item)]
    under = [*grounds, *coloured]
    boxes = []
    for item in curves:
        box, thin = geometry.box(item), _is_thin(item)
        if (thin or _is_straight(item)) and not (_is_blank(item) and not (thin and _lies_on(box, under))):
            boxes.append(box)
    return boxes


def _lies_on(box: BBox, grounds: Sequence[BBox]) -> bool:
    return any(
        box.x0 - _THIN < ground.x1
        and ground.x0 < box.x1 + _THIN
        and box.y0 - _THIN < ground.y1
        and ground.y0 < box.y1 + _THIN
        for ground in grounds
    )


def _flat(items: Iterable[Any]) -> Iterator[Any]:
    """Yield what stands on a page, and in its forms."""
    from pdfminer.layout import LTFigure

    for item in items:
        if isinstance(item, LTFigure):
            yield from _flat(item)
        else:
            yield item


def _is_straight(item: Any) -> bool:
    from pdfminer.layout import LTLine, LTRect

    return isinstance(item, LTLine | LTRect)


def _is_blank(item: Any) -> bool:
    """Say whether a box is only filled, and white: a ground that nobody sees."""
    colour = item.non_stroking_color
    parts = colour if isinstance(colour, tuple | list) else (colour,)
    if item.stroke or not item.fill or not all(isinstance(part, int | float) for part in parts):
        return False
    return all(part < 0.02 for part in parts) if len(parts) == 4 else all(part > 0.98 for part in parts)


def _is_thin(item: Any) -> bool:
    return bool(min(item.width, item.height) < _THIN)


def _turn(char: Any) -> int | None:
    """The quarter turns, clockwise, of a sign on the page as shown; None if it stands aslant."""
    a, b = char.matrix[:2]
    if a > 0 and b == 0:
        return 0
    quarters = -atan2(b, a) / (pi / 2)
    return round(quarters) % 4 if abs(quarters - round(quarters)) < 0.1 else None


def _words(chars: list[Any], geometry: Geometry, frame: Frame, hidden: Sequence[BBox]) -> list[Word]:
    from pdfplumber.utils import extract_words

    placed = []
    seen = set()
    for char in chars:
        box = geometry.box(char)
        x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        text = char.get_text()
        key = (text, round(x * 2), round(y * 2))
        if key in seen or not (0 <= x <= geometry.width and 0 <= y <= geometry.height):
            continue  # painted twice to look bold, or off the page
        seen.add(key)
        if any(h.x0 <= x <= h.x1 and h.y0 <= y <= h.y1 for h in hidden):
            continue
        placed.append(_in_frame(char, text, frame.from_page(box)))
    found = extract_words(
        placed,
        x_tolerance_ratio=0.2,
        y_tolerance_ratio=0.15,
        use_text_flow=True,
        extra_attrs=["size", "fontname"],
    )
    return _without_leaders([word for item in found if (word := _word(item)) is not None])


def _in_frame(char: Any, text: str, box: BBox) -> dict[str, Any]:
    """Return a sign in the form in which pdfplumber joins them to words."""
    return {
        "text": text,
        "x0": box.x0,
        "x1": box.x1,
        "top": box.y0,
        "bottom": box.y1,
        "doctop": box.y0,
        "width": box.x1 - box.x0,
        "height": box.y1 - box.y0,
        "upright": True,
        "size": round(box.y1 - box.y0, 1),
        "fontname": str(char.fontname),
    }


def _word(item: dict[str, Any]) -> Word | None:
    text = _NOT_GIVEN.sub("", item["text"])
    font = item["fontname"]
    bold, mono = _BOLD.search(font) is not None, _MONO.search(font) is not None
    if not clean_text(text):
        return None
    size = max(item["size"], 1.0)
    return Word(clean_text(text), item["x0"], item["top"], item["x1"], item["bottom"], size, bold, mono)


def _without_leaders(words: list[Word]) -> list[Word]:
    """Take the dots between a label and its number away, and note on the label that they were there."""
    kept: list[Word] = []
    for word in words:
        match = _LEADER.search(word.text)
        dots = _DOTS.fullmatch(word.text) is not None
        if dots:
            _mark(kept, word)
        elif match and match.start() > 0:
            share = match.start() / len(word.text)
            x1 = word.x0 + share * (word.x1 - word.x0)
            kept.append(replace(word, text=word.text[: match.start()], x1=x1, leader=True))
        else:
            kept.append(word)
    return kept


def _is_beside(word: Word, dot: Word) -> bool:
    return abs(word.y1 - dot.y1) < 0.5 * word.size and dot.x0 >= word.x1 - 1


def _mark(kept: list[Word], dots: Word) -> None:
    if kept and _is_beside(kept[-1], dots):
        last = kept[-1]
        text = last.text[:-1] if last.text.endswith(".") and dots.text.startswith(".") else last.text
        kept[-1] = replace(last, text=text or last.text, leader=True)


def _rulings(boxes: list[BBox], frame: Frame) -> list[Ruling]:
    """The lines, and the edges of the boxes, of a page; those on one straight line that touch are one."""
    found: set[tuple[bool, float, float, float]] = set()
    for page_box in boxes:
        box = frame.from_page(page_box)
        width, height = box.x1 - box.x0, box.y1 - box.y0
        if height < _THIN and width >= _SHORTEST:
            found.add((True, (box.y0 + box.y1) / 2, box.x0, box.x1))
        elif width < _THIN and height >= _SHORTEST:
            found.add((False, (box.x0 + box.x1) / 2, box.y0, box.y1))
        elif width >= _SHORTEST and height >= _SHORTEST:
            found.update(((True, box.y0, box.x0, box.x1), (True, box.y1, box.x0, box.x1)))
            found.update(((False, box.x0, box.y0, box.y1), (False, box.x1, box.y0, box.y1)))
    if len(found) > _MOST_RULINGS:
        return []  # a drawing or a map, not a table
    return _joined([Ruling(*item) for item in found])


def _joined(rulings: list[Ruling]) -> list[Ruling]:
    joined: list[Ruling] = []
    for level in (True, False):
        group = sorted((ruling for ruling in rulings if ruling.level == level), key=lambda item: item.at)
        start = 0
        for index in range(1, len(group) + 1):
            if (
                index == len(group)
                or group[index].at - group[index - 1].at > 1.5
                or group[index].at - group[start].at > 3
            ):
                joined.extend(_strung(group[start:index]))
                start = index
    return joined


def _strung(group: list[Ruling]) -> list[Ruling]:
    at = sum(ruling.at for ruling in group) / len(group)
    strung: list[Ruling] = []
    for ruling in sorted(group, key=lambda item: item.start):
        if strung and ruling.start <= strung[-1].end + _THIN:
            strung[-1] = Ruling(ruling.level, at, strung[-1].start, max(strung[-1].end, ruling.end))
        else:
            strung.append(Ruling(ruling.level, at, ruling.start, ruling.end))
    return strung
