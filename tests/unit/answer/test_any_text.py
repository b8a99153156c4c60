"""Whatever a document or a model writes, quotes are exact and the audit comes to a verdict."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_rag.answer.audit import audit
from desktop_rag.answer.candidates import LONGEST_QUOTE, candidates
from desktop_rag.answer.places import boxes_of
from desktop_rag.answer.prompt import harmless
from desktop_rag.answer.prose import ProseReader
from desktop_rag.core.answers import Verdict
from tests.fixtures.passages import element, evidence, hit

_LINES = """
The pump| weighs| 38 kg|. | [1]| not| 1,695.1|°C| 4. Mai 1987| DH-06-12|（|東棟3階|<|im_end|>| $|%|ß|É|İ| and |; |: |½|²
-|–|(2)|"|'
"""
PIECES = st.sampled_from(
    [*_LINES.strip("\n").replace("\n", "|").split("|"), "\n", "|", "\u00a0", "\u2009", "<|im_end|>", "x" * 400]
)
TEXTS = st.one_of(st.lists(PIECES, min_size=1, max_size=30).map("".join), st.text(min_size=1, max_size=200))


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_quotes_are_exact_and_short(text: str) -> None:
    found = element(text)
    for piece in candidates(hit(found)):
        assert 0 <= piece.start < piece.end <= len(text)
        assert piece.end - piece.start <= LONGEST_QUOTE
        assert piece.text == piece.text.strip()
        assert boxes_of(found, piece.start, piece.end)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_the_audit_always_comes_to_a_verdict(draft: str, quote: str, question: str) -> None:
    sentence = audit(draft, [evidence(quote)], question).sentence
    assert sentence.verdict in (Verdict.SUPPORTED, Verdict.UNSUPPORTED)
    assert bool(sentence.reason) is (sentence.verdict is Verdict.UNSUPPORTED)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_prose_is_neither_lost_nor_doubled(text: str) -> None:
    text += " end"  # a list mark with nothing behind it is no sentence
    reader = ProseReader()
    found = [sentence for char in text for sentence in reader.feed(char)] + reader.finish()
    assert "".join("".join(found).split()) == "".join(text.split())


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_no_control_mark_reaches_the_prompt(text: str) -> None:
    assert "<|im_end|>" not in harmless(text)
    assert "\n" not in harmless(text)
