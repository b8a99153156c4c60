"""What stands above a table and names it, and the unit in which its numbers are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop_rag.core.types import BBox
from desktop_rag.ingest.tables.draft import Draft
from desktop_rag.ingest.tables.parts import Line, box_of

_NAMED = re.compile(
    r"(?:table|tab\.|tabelle|tableau|tabla|tabela|tabella|exhibit|schedule|no\.|表)\s*\.?\s*[A-Z]{0,2}[-–.]?\d[\w.–-]*"
    r"|(?:TABLE|Table)(?:[.:]|\s+[A-Z]{1,2}[-–.]|\s+[IVXL]+\b)",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\S+\s+(?:\S+\s+)?(?:shows?|lists?|gives?|presents?|summari[sz]es|contains|is|are|and|in|of|below)\b"
)
_AMOUNT = (
    r"(?:hundreds?|thousands?|millions?|billions?|trillions?|per\s?cent(?:age)?|%|dollars?|euros?|pounds?|yen|US\$|\$|€|£"
    r"|(?:metric |short |long )?tons?|tonnes|kilograms?|kg|grams?|lit(?:er|re)s?|barrels|bushels|acres|hectares"
    r"|hours|days|minutes|seconds|months|years|met(?:er|re)s|kilomet(?:er|re)s|km|feet|miles|persons|households|units|mil\.|bil\."
    r"|Mio\.|Mrd\.|Tsd\.|Tausend|Millionen|Milliarden|Prozent|milliers|millones|points)"
)
_UNIT = re.compile(
    rf"(?:all |[\w$]+ |[\w]+ [\w]+ )?(?:expressed |shown )?\b(?:in|en|of|represents?|as)\s+(?:\w+\s+){{0,2}}{_AMOUNT}",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[\[(]([^\[\]()]*)")
_MOST_LINES = 8
_NEAR = 2.6


def is_caption(text: str) -> bool:
    """Say whether a line begins like "Table 3." and is not a sentence that speaks of a table."""
    return _NAMED.match(text) is not None and not (_REFERS.match(text) and text.rstrip().endswith((".", ",")))


def unit_of(text: str) -> str:
    """Return the unit that a text in brackets, or a title, gives for the numbers of a table; empty if it gives none."""
    for match in _BRACKETS.finditer(text):
        if _UNIT.search(match.group(1)):
            return match.group(1).strip().rstrip(".")
    return ""


def find_caption(draft: Draft, lines: Sequence[Line]) -> tuple[str, BBox | None, str]:
    """Return the caption of a table, its box, and the unit; ``lines`` are those of the page that no table took."""
    above = _above(draft, lines)
    start = next((at for at in range(len(above) - 1, -1, -1) if is_caption(above[at].text)), None)
    if start is None:
        start = _title_start(above, draft.box)
    chosen = above[start:]
    inner = draft.caption
    text = " ".join(line.text for line in chosen)
    unit = unit_of(text) or unit_of(inner) or _unit_in_header(draft)
    caption = _without_unit(chosen)
    if inner and not is_caption(caption):
        return inner, draft.caption_box, unit
    if not chosen:
        return "", None, unit
    boxes = [box_of(line.words) for line in chosen] + ([draft.caption_box] if draft.caption_box else [])
    return f"{caption} {inner}".strip(), BBox.around(boxes), unit


def _above(draft: Draft, lines: Sequence[Line]) -> list[Line]:
    """The lines right above a table, from top to bottom, as long as they follow closely and stand over it."""
    found: list[Line] = []
    top = draft.box.y0
    for line in reversed([line for line in lines if line.middle < draft.box.y0]):
        over = line.x1 > draft.box.x0 and line.x0 < draft.box.x1
        if not over:
            continue
        if top - line.y1 > _NEAR * line.size or len(found) >= _MOST_LINES:
            break
        found.insert(0, line)
        top = line.y0
        if is_caption(line.text):
            break
    return found


def _title_start(above: Sequence[Line], box: BBox) -> int:
    """Without a "Table 3" the caption is a short bold or centred line right above, and what stands below it."""
    for back in range(1, min(len(above), 3) + 1):
        line = above[-back]
        short = len(line.text) <= 120 and not line.text.endswith((".", ",", ";"))
        centred = abs(line.x0 + line.x1 - box.x0 - box.x1) / 2 < 0.03 * (box.x1 - box.x0)
        if short and (line.bold or (back == 1 and centred and line.x0 > box.x0 + 0.1 * (box.x1 - box.x0))):
            first = back
            while first < min(len(above), 3) and above[-first - 1].bold and len(above[-first - 1].text) <= 120:
                first += 1
            return len(above) - first
        if not unit_of(line.text):
            break
    if above and unit_of(above[-1].text) and len(above[-1].text) < 150:
        return len(above) - (2 if len(above) > 1 and len(above[-2].text) <= 120 else 1)
    return len(above)


def _without_unit(lines: Sequence[Line]) -> str:
    """The caption's lines without a note in brackets that follows them."""
    kept: list[str] = []
    for line in lines:
        if kept and line.text[:1] in "[(":
            break
        kept.append(line.text)
    return " ".join(kept)


def _unit_in_header(draft: Draft) -> str:
    """The unit that the first name in the header gives, if only one does."""
    texts = {cell.text for row in draft.rows[: draft.header_rows] for cell in row.cells if cell.text}
    units = {unit for text in texts if (unit := unit_of(text))}
    return units.pop() if len(units) == 1 else ""
