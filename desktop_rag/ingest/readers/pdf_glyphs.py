"""From a PDF page to fragments of visible text on the page as it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from desktop_rag.core.types import BBox
from desktop_rag.ingest.normalise import clean_text
from desktop_rag.ingest.readers.pdf_bidi import RIGHT_TO_LEFT, in_reading_order
from desktop_rag.ingest.readers.pdf_fonts import LayerCheck
from desktop_rag.ingest.readers.pdf_parts import Fragment, Frame, PageText, main_size
from desktop_rag.ingest.readers.pdf_visible import Visibility

_BOLD, _MONO, _ITALIC, _SUPERSCRIPT = 16, 8, 2, 1
_BOLD_CHARS = 8
_FEW_LETTERS = 200
"""A page with fewer that shows a large picture has most of its words in that picture."""
_LEADER = re.compile(r"(?:[.·_…‐–—=*-] ?){4,}")
_BLANKS = re.compile(" {2,}")
_SOFT_HYPHEN = re.compile("(?<=[0-9])\xad(?=[0-9])")
_LOST_SIGN = re.compile("(?<=[0-9])[\ufffd\ue000-\uf8ff\x00-\x1f\x7f-\x9f]+(?=[0-9])")
_UPRIGHT = re.compile("[\u3001-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uffee\ufe10-\ufe4f]")


def read_page(page: Any, number: int, layer: LayerCheck) -> PageText:
    """Return the visible text of a pymupdf page; ``usable`` is False when it has none that can be searched."""
    import pymupdf

    shown = page.rect
    result = PageText(number, shown.width, shown.height)
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_CLIP  # what a clip hides, nobody sees
    raw = page.get_text("dict", flags=flags)
    spans = [span for _, span in _spans(raw)]
    if RIGHT_TO_LEFT.search("\n".join(span["text"] for span in spans)):
        raw = in_reading_order(page.get_text("rawdict", flags=flags))
        spans = [span for _, span in _spans(raw)]
    visible = Visibility(page, spans)
    rotation = page.rotation
    matrix = None if rotation == 0 else page.rotation_matrix
    groups: dict[tuple[int, bool], list[Fragment]] = {}
    seen: list[dict[str, Any]] = []
    for block in raw["blocks"]:
        for line in block["lines"]:
            spans = [span for span in line["spans"] if visible.shows(span)]
            seen.extend(spans)
            turn, tilted = _turn(line["dir"], rotation)
            fragment = _fragment(spans, Frame(turn, shown.width, shown.height), matrix)
            if fragment is not None:
                groups.setdefault((turn, tilted), []).append(fragment)
    result.usable = layer.is_usable(page, seen)
    letters = sum(len(span["text"].strip()) for span in seen) if result.usable else 0
    result.scanned = letters < _FEW_LETTERS and visible.is_scan(letters)
    result.groups = _ordered(groups, shown.width, shown.height) if result.usable else []
    return result


def _spans(raw: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for block in raw["blocks"]:
        for line in block["lines"]:
            for span in line["spans"]:
                yield line, span


def _turn(direction: tuple[float, float], rotation: int) -> tuple[int, bool]:
    """Return the quarter turns of a line on the shown page, and whether it is tilted between two of them."""
    dx, dy = direction
    tilted = min(abs(dx), abs(dy)) > 0.1
    level = abs(dx) >= abs(dy)
    turn = (0 if dx >= 0 else 2) if level else (1 if dy > 0 else 3)
    return (turn + rotation // 90) % 4, tilted


def _fragment(spans: list[dict[str, Any]], frame: Frame, matrix: Any) -> Fragment | None:
    solid = [span for span in spans if not span["text"].isspace() and span["text"]]
    text = _line_text(spans)
    if not text or not solid:
        return None
    first = BBox(*solid[0]["bbox"])
    box = first if len(solid) == 1 else BBox.around(BBox(*span["bbox"]) for span in solid)
    place = box if matrix is None else _moved(box, matrix)
    own = frame.from_page(place)
    size = solid[0]["size"] if len(solid) == 1 else main_size((span["size"], span["text"]) for span in solid)
    bold, italic, mono = _all(solid, _is_bold), _all(solid, _is_italic), _all(solid, _is_mono)
    return Fragment(text, own, place, size, bold, italic, mono, _baseline(own, solid, size))


def _line_text(spans: list[dict[str, Any]]) -> str:
    text = ""
    for span in spans:
        piece = span["text"]
        if span["flags"] & _SUPERSCRIPT and text[-1:].isdigit() and piece[:1].isdigit():
            piece = " " + piece  # a footnote mark must not become the last digit of a number
        text += piece
    text = _BLANKS.sub(" ", text.strip())
    if len(text) > 3:
        text = _LEADER.sub(" ", text)
    # a sign between figures without a letter of its own is a dash or a point: if it went, two numbers would be one
    return clean_text(_LOST_SIGN.sub(" ", _SOFT_HYPHEN.sub("-", text)))


def _moved(box: BBox, matrix: Any) -> BBox:
    import pymupdf

    rect = pymupdf.Rect(box.x0, box.y0, box.x1, box.y1) * matrix
    return BBox(rect.x0, rect.y0, rect.x1, rect.y1)


def _baseline(box: BBox, spans: list[dict[str, Any]], size: float) -> float:
    """In the frame, the baseline lies above the lower edge by the font's descent."""
    main = max(spans, key=lambda span: len(span["text"]))
    descent = min(max(-main["descender"], 0.0), 0.5) * size
    return box.y1 - descent if box.y1 - box.y0 > descent else box.y1


def _is_bold(span: dict[str, Any]) -> bool:
    return bool(span["flags"] & _BOLD or span["char_flags"] & _BOLD_CHARS)


def _is_italic(span: dict[str, Any]) -> bool:
    return bool(span["flags"] & _ITALIC)


def _is_mono(span: dict[str, Any]) -> bool:
    return bool(span["flags"] & _MONO)


def _all(spans: list[dict[str, Any]], test: Callable[[dict[str, Any]], bool]) -> bool:
    if len(spans) == 1:
        return test(spans[0])
    sizes = [(len(span["text"].strip()), test(span)) for span in spans]
    return sum(size for size, passed in sizes if passed) >= 0.8 * sum(size for size, _ in sizes)


def _ordered(groups: dict[tuple[int, bool], list[Fragment]], width: float, height: float) -> list[list[Fragment]]:
    upright = groups.get((0, False))
    if upright is not None and _is_vertical(upright):
        groups = {**groups, (0, False): []}
        groups[(1, False)] = groups.get((1, False), []) + _stacked(upright, Frame(1, width, height))
    filled = [group for group in groups.values() if group]
    return sorted(filled, key=lambda group: -sum(len(fragment.text) for fragment in group))


def _is_vertical(fragments: list[Fragment]) -> bool:
    """Vertical script comes as lines of one upright sign each, one below the other."""
    single = sum(1 for fragment in fragments if len(fragment.text) == 1 and _UPRIGHT.match(fragment.text))
    return single >= 4 and single > 0.5 * sum(len(fragment.text) for fragment in fragments)


def _stacked(fragments: list[Fragment], frame: Frame) -> list[Fragment]:
    """Join the signs of each vertical line to one fragment that runs down the page."""
    lines: list[list[Fragment]] = []
    for fragment in fragments:
        last = lines[-1][-1] if lines else None
        if last and abs(last.place.x0 - fragment.place.x0) < 0.6 * fragment.size and _follows(last, fragment):
            lines[-1].append(fragment)
        else:
            lines.append([fragment])
    return [_joined(line, frame) for line in lines]


def _follows(above: Fragment, below: Fragment) -> bool:
    return -0.5 * above.size < below.place.y0 - above.place.y1 < 1.5 * above.size


def _joined(line: list[Fragment], frame: Frame) -> Fragment:
    place = BBox.around(fragment.place for fragment in line)
    own = frame.from_page(place)
    first = line[0]
    text = clean_text("".join(fragment.text for fragment in line))
    return Fragment(text, own, place, first.size, first.bold, False, first.mono, own.y1 - 0.1 * first.size)
