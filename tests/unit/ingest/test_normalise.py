"""The normal form of text, the map back to the source, and where sentences end."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_rag.core.types import BBox, Span
from desktop_rag.ingest.normalise import clean, clean_text, move_spans
from desktop_rag.ingest.sentences import split_sentences


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("e\ufb03cient \ufb02ow", "efficient flow"),
        ("Cafe\u0301", "Café"),
        ("So\u00adft zero\u200bwidth", "Soft zerowidth"),
        ("non\u2011breaking\u00a0space\u202f%", "non-breaking space %"),
        ("  two  blanks \n and a line \n", "two blanks\nand a line"),
        ("\uf0b7 item \ue123", "• item"),
        ("ⅠⅢ m³ ½", "ⅠⅢ m³ ½"),
        ("plain", "plain"),
    ],
)
def test_one_form_for_each_character(source: str, expected: str) -> None:
    assert clean_text(source) == expected


def test_spans_follow_their_characters() -> None:
    box = BBox(0, 0, 1, 1)
    cleaned = clean("So\u00adft  \ufb01re")
    moved = move_spans((Span(0, 5, box), Span(7, 10, box)), cleaned)
    assert [cleaned.text[span.start : span.end] for span in moved] == ["Soft", "fire"]


@given(st.text(max_size=80))
def test_cleaning_is_done_once(text: str) -> None:
    cleaned = clean(text)
    assert clean_text(cleaned.text) == cleaned.text
    assert unicodedata.is_normalized("NFC", cleaned.text)
    if cleaned.origin is not None:
        assert len(cleaned.origin) == len(cleaned.text)
        assert list(cleaned.origin) == sorted(cleaned.origin)


def test_sentences_keep_their_places() -> None:
    text = "Dr. Smith cited P.L. 118-5 on Jan. 3, 2025. See Fig. 3.  Costs rose by 1.5 percent!\nA new line"
    assert [text[start:end] for start, end in split_sentences(text)] == [
        "Dr. Smith cited P.L. 118-5 on Jan. 3, 2025.",
        "See Fig. 3.",
        "Costs rose by 1.5 percent!",
        "A new line",
    ]
    assert [end - start for start, end in split_sentences("日本語です。そうです。")] == [6, 5]
