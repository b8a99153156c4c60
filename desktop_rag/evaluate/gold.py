"""Whether an answer's quotes hold the gold answer, and whether refusals are right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from desktop_rag.answer.followup import standalone
from desktop_rag.answer.quantities import find_quantities
from desktop_rag.core.answers import Answer, Verdict
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.words import content_words
from desktop_rag.evaluate.questions import Question

_FIRST = 3
_SEVERAL_PAGES = "multi-page"
_NUMBER_COMMA = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NOT_WORD = re.compile(r"[^\w.%]+")


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """Shares over the questions of a run; ``unsupported_shown`` is a number of sentences."""

    n: int
    gold_in_first_3_quotes: float
    gold_in_evidence: float
    refused_answerable: float
    refused_unanswerable: float
    unsupported_shown: int

    def as_json(self) -> dict[str, float]:
        """Return the scores under the names of the JSON contract."""
        return {
            "n": self.n,
            "gold_in_first_3_quotes": round(self.gold_in_first_3_quotes, 4),
            "gold_in_evidence": round(self.gold_in_evidence, 4),
            "refused_answerable": round(self.refused_answerable, 4),
            "refused_unanswerable": round(self.refused_unanswerable, 4),
            "unsupported_shown": self.unsupported_shown,
        }


def score_answers(ask: Callable[[str], Answer], questions: Sequence[Question], job: Job) -> AnswerScore:
    """Ask every question once and judge the answers; follow-ups are asked with their history's last question."""
    pairs = []
    for number, question in enumerate(questions):
        job.check()
        job.report(Progress(number, len(questions), "questions", "Answering", question.id))
        pairs.append((question, ask(_with_history(question))))
    answerable = [(question, answer) for question, answer in pairs if question.answerable]
    unanswerable = [answer for question, answer in pairs if not question.answerable]
    return AnswerScore(
        n=len(pairs),
        gold_in_first_3_quotes=_share(
            holds_gold(question, (item.quote for item in answer.evidence[:_FIRST])) for question, answer in answerable
        ),
        gold_in_evidence=_share(
            holds_gold(question, (item.quote for item in answer.evidence)) for question, answer in answerable
        ),
        refused_answerable=_share(answer.refused for _, answer in answerable),
        refused_unanswerable=_share(answer.refused for answer in unanswerable),
        unsupported_shown=sum(
            sentence.verdict is Verdict.UNSUPPORTED for _, answer in pairs for sentence in answer.sentences
        ),
    )


def holds_gold(question: Question, quotes: Iterable[str]) -> bool:
    """Return whether the answer, or one of its aliases, stands in one of ``quotes``.

    It does when it stands there to the letter, case and number form aside, or when all that it says does: each of its
    words that carry content, by the stem, and each of its numbers, in digits or spelled. So "2022; $1,375.5 billion"
    is held by "In 2022 the shortfall was $1,375.5 billion", and by no quote that lacks one of both. Of a question that
    needs several pages, the parts between semicolons may stand in different quotes.
    """
    texts = [f" {normalised(quote)} " for quote in quotes]
    golds = [normalised(gold) for gold in (question.answer, *question.aliases)]
    if any(f" {gold} " in text for gold in golds if gold for text in texts):
        return True
    said = [_said(text) for text in texts]
    for gold in (question.answer, *question.aliases):
        parts = gold.split(";") if question.kind == _SEVERAL_PAGES else [gold]
        wanted = [_said(normalised(part)) for part in parts]
        if all(part and any(part <= words for words in said) for part in wanted):
            return True
    return False


def _said(normal: str) -> frozenset[str]:
    """Return the stems and numbers of a normalised text; a spelled number is the same as one in digits."""
    spelled = {number.text: str(number.value) for number in find_quantities(normal) if number.spelled}
    for words, digits in spelled.items():
        normal = normal.replace(words, digits)
    return frozenset(content_words(normal.replace("%", " percent ")))


def normalised(text: str) -> str:
    """Return ``text`` in lower case, with plain numbers, single spaces, and "percent" as "%"."""
    text = unicodedata.normalize("NFKC", text).lower()
    text = re.sub(r"\s*(percent|per cent)\b", "%", _NUMBER_COMMA.sub("", text))
    words = (word.strip(".") for word in _NOT_WORD.sub(" ", text).split())
    return " ".join(word for word in words if word)


def _with_history(question: Question) -> str:
    return standalone(question.question, question.history[::2])


def _share(values: Iterable[bool]) -> float:
    judged = [float(value) for value in values]
    return sum(judged) / len(judged) if judged else 0.0
