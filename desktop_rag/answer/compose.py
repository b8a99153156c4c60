"""From audited sentences and quotes to the sentences and the text that are shown."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_rag.answer.audit import Audited
from desktop_rag.core.answers import Evidence, Sentence, Verdict

_QUOTES = 3
_CLOSE_TO_BEST = 0.55
"""A quote bears on the question, beside the best one, from this share of the best one's score."""


def shown_sentences(
    audited: Sequence[Audited], evidence: Sequence[Evidence], cut_short: bool = False
) -> tuple[Sentence, ...]:
    """Return what is shown: supported sentences, and for each struck one the quote nearest to it.

    Nothing comes twice. Where no sentence passed, the best quotes are the answer; where the prose was ``cut_short``,
    those of them that it does not cite follow it.
    """
    if not any(one.sentence.verdict is Verdict.SUPPORTED for one in audited):
        return quotes(evidence)
    by_number = {item.n: item for item in evidence}
    cited = {n for one in audited if one.sentence.verdict is Verdict.SUPPORTED for n in one.sentence.citations}
    shown: list[Sentence] = []
    for one in audited:
        if one.sentence.verdict is Verdict.SUPPORTED:
            shown.append(one.sentence)
        elif one.nearest in by_number and one.nearest not in cited:
            cited.add(one.nearest)
            shown.append(quote_sentence(by_number[one.nearest]))
    if cut_short:
        shown += [one for one in quotes(evidence) if not cited.intersection(one.citations)]
    return tuple(shown)


def quotes(evidence: Sequence[Evidence]) -> tuple[Sentence, ...]:
    """Return the best quotes as an answer of their own."""
    return tuple(quote_sentence(item) for item in bearing(evidence)[:_QUOTES])


def bearing(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return the quotes that bear on the question; the others may be true, but of something else."""
    best = max((item.score for item in evidence), default=0.0)
    return tuple(item for item in evidence if item.score >= _CLOSE_TO_BEST * best)


def quote_sentence(item: Evidence) -> Sentence:
    """Return a quote as a sentence of an answer, with its number."""
    return Sentence(f"{item.quote} [{item.n}]", (item.n,), Verdict.QUOTE)


def text_of(sentences: Sequence[Sentence]) -> str:
    """Return the answer's text: prose runs on, each quote stands on a line of its own."""
    text = ""
    before: Sentence | None = None
    for sentence in sentences:
        if before is not None:
            text += "\n" if Verdict.QUOTE in (before.verdict, sentence.verdict) else " "
        text += sentence.text
        before = sentence
    return text
