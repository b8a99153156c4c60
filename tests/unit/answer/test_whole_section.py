"""A whole section is read when the model can read so much; otherwise its best passages, and a sentence says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from desktop_rag.answer.answerer import Answerer
from desktop_rag.answer.whole_section import WholeSection
from desktop_rag.core.answers import Answer, Verdict
from desktop_rag.core.errors import ModelError
from desktop_rag.core.events import AnswerEvent, EvidenceFound, Notice
from desktop_rag.core.job import Job
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import Hit, Route
from desktop_rag.models.llm import LanguageModel
from tests.fixtures.models import ScriptedModel, WordEmbedder
from tests.fixtures.passages import element, hit

QUESTION = "How long is the bridge over the Aller?"
SECTION = [
    hit(element(f"The mill number {number} stands on the Leine. It grinds rye.", name=f"mill {number}"), number, "r.md")
    for number in range(1, 10)
] + [hit(element("The bridge over the Aller is 83 m long. It was opened in 1987.", name="bridge"), 10, "r.md")]


@dataclass
class Desk:
    """An answerer of a section with doubles, and what it said."""

    model: ScriptedModel
    section: Sequence[Hit] = tuple(SECTION)
    broken: bool = False
    events: list[AnswerEvent] = field(default_factory=list)

    def _load(self) -> LanguageModel:
        if self.broken:
            raise ModelError("There is no chat model.")
        return self.model

    def ask(self, use_model: bool = True) -> Answer:
        plain = Answerer(lambda *_: (), lambda *_: "", WordEmbedder(), self._load, Settings())
        return WholeSection.read_by(plain, self.section).answer(
            QUESTION,
            thread="t",
            history=(),
            route=Route.HYBRID,
            use_model=use_model,
            job=Job(),
            emit=self.events.append,
        )

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]

    @property
    def prompt(self) -> str:
        return self.model.asked[0][-1].content


def test_the_model_reads_all_of_it_in_order_and_the_evidence_are_its_elements() -> None:
    desk = Desk(ScriptedModel("The bridge over the Aller is 83 m long [10]."))
    answer = desk.ask()

    assert [line.split("]")[0] for line in desk.prompt.splitlines() if line.startswith("[")] == [
        f"[{number}" for number in range(1, 11)
    ]
    assert [sentence.verdict for sentence in answer.sentences] == [Verdict.SUPPORTED]
    assert [(item.n, item.element, item.quote) for item in answer.evidence] == [
        (10, SECTION[9].element.id, SECTION[9].element.text)
    ]
    assert isinstance(desk.events[0], EvidenceFound)
    assert len(desk.events[0].evidence) == 10
    assert desk.notices == []


def test_what_the_section_does_not_say_is_struck_and_its_best_passages_are_the_answer() -> None:
    desk = Desk(ScriptedModel("The bridge over the Aller is 93 m long [10]."))
    answer = desk.ask()

    assert [sentence.text for sentence in answer.struck] == ["The bridge over the Aller is 93 m long."]
    assert answer.sentences[0].verdict is Verdict.QUOTE
    assert "83 m" in answer.evidence[0].quote
    assert answer.evidence[0].n == 1


def test_what_is_too_long_for_the_model_says_so_with_sizes_and_its_best_passages_are_read() -> None:
    settings = Settings()
    model = ScriptedModel("The bridge over the Aller is 83 m long [1].", context_tokens=settings.llm_max_tokens + 300)
    texts = [f"{one.element.text} {'Rye and oats. ' * 30}" for one in SECTION]
    desk = Desk(model, [hit(element(text, name=str(rank)), rank, "r.md") for rank, text in enumerate(texts, 1)])
    answer = desk.ask()

    (notice,) = desk.notices
    assert f"{settings.llm_max_tokens + 300:,}" in notice
    assert "best passages" in notice
    assert notice in answer.trace.shortened
    assert answer.sentences[0].verdict is Verdict.SUPPORTED
    assert "83 m" in answer.evidence[0].quote


@pytest.mark.parametrize("use_model", [True, False])
def test_without_a_model_the_best_passages_are_the_answer(use_model: bool) -> None:
    desk = Desk(ScriptedModel(""), broken=True)
    answer = desk.ask(use_model)

    assert answer.sentences[0].verdict is Verdict.QUOTE
    assert "83 m" in answer.evidence[0].quote
    assert bool(desk.notices) is use_model


def test_what_a_section_says_is_shown_though_it_has_no_word_of_the_question() -> None:
    answer = Desk(ScriptedModel("The mill number 2 stands on the Leine and it grinds rye [2].")).ask()
    assert [sentence.verdict for sentence in answer.sentences] == [Verdict.SUPPORTED]
