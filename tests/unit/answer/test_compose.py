"""Which sentences an answer shows, given what the audit said and how well the quotes fit."""

from dataclasses import replace

from desktop_rag.answer.audit import Audited
from desktop_rag.answer.compose import bearing, shown_sentences, text_of
from desktop_rag.core.answers import Evidence, Sentence, Verdict
from tests.fixtures.passages import evidence


def scored(text: str, n: int, score: float) -> Evidence:
    return replace(evidence(text, n), score=score)


BEST = scored("The bridge is 83 m long.", 1, 1.0)
SECOND = scored("It was opened in 1987.", 2, 0.8)
WEAK = scored("The shop sells bread.", 3, 0.3)


def held(text: str, n: int) -> Audited:
    return Audited(Sentence(f"{text} [{n}]", (n,), Verdict.SUPPORTED), n)


def struck(text: str, nearest: int | None) -> Audited:
    return Audited(Sentence(text, (), Verdict.UNSUPPORTED, "a reason"), nearest)


def test_supported_prose_is_shown_and_a_struck_sentence_gives_way_to_its_quote() -> None:
    shown = shown_sentences([held("The bridge is 83 m long.", 1), struck("It opened in 1988.", 2)], [BEST, SECOND])

    assert [(one.verdict, one.citations) for one in shown] == [(Verdict.SUPPORTED, (1,)), (Verdict.QUOTE, (2,))]
    assert text_of(shown) == "The bridge is 83 m long. [1]\nIt was opened in 1987. [2]"


def test_with_nothing_left_the_best_quotes_are_the_answer() -> None:
    shown = shown_sentences([struck("It is 99 m long.", 1)], [BEST, SECOND, WEAK])

    assert [one.citations for one in shown] == [(1,), (2,)]
    assert all(one.verdict is Verdict.QUOTE for one in shown)


def test_a_quote_far_less_fitting_than_the_best_does_not_bear_on_the_question() -> None:
    assert bearing([BEST, SECOND, WEAK]) == (BEST, SECOND)
    assert bearing([]) == ()


def test_no_quote_comes_twice() -> None:
    drafts = [held("The bridge is 83 m long.", 1), struck("It is 84 m long.", 1), struck("It is 85 m long.", 1)]

    assert len(shown_sentences(drafts, [BEST])) == 1
