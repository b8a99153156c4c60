"""Whatever a document says, making questions of it ends, and what comes of it can be asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop_rag.core.limits import LONGEST_QUESTION
from desktop_rag.core.tables import TableData
from desktop_rag.core.types import ElementKind
from desktop_rag.suggest.candidates import Reading, candidates
from tests.fixtures.passages import element

PIECES = (
    "The", "the laundry room", "is", "open", "from nine to five", "&", "-", ",", "?", ".", ":", "•", "Opening hours",
    "means", "Q1.", "1.2", "(", ")", "Figure 1.", "2024", "January 2024", "Die Hecke", "darf", "nicht", "und der Zaun",
    "ist", "ß", "？", "庭の", "\n", "…", "’", "A", "HOW", "What", "who", "of the house",
)  # fmt: skip
LINES = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), min_size=1, max_size=40).map(" ".join)
ELEMENTS = st.lists(st.tuples(LINES, LINES, st.sampled_from(ElementKind)), max_size=5)
CELLS = st.one_of(st.sampled_from(PIECES), st.just("1,046"), st.text(max_size=4))
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width).map(tuple), min_size=1, max_size=5)
)


@given(ELEMENTS, LINES, TABLES, st.integers(0, 2))
def test_any_text_and_table(
    parts: list[tuple[str, str, ElementKind]], title: str, rows: list[tuple[str, ...]], header_rows: int
) -> None:
    elements = [
        element(text or "-", name=f"e{at}", title=title, heading=(over,), kind=kind)
        for at, (text, over, kind) in enumerate(parts)
    ]
    table = TableData("1", tuple(rows), min(header_rows, len(rows)))
    found = candidates(Reading("d1", "/docs/a.md", title, elements, (table,)))
    assert len({one.question for one in found}) == len(found)
    for one in found:
        assert one.question.endswith(("?", "？"))
        assert "\n" not in one.question
        assert len(one.question) < LONGEST_QUESTION
