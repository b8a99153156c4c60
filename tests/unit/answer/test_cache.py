"""An answer is given again only to the same question, from unchanged documents, and says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from desktop_rag.answer.answerer import Answerer
from desktop_rag.answer.cache import AnswerCache
from desktop_rag.core.answers import Answer
from desktop_rag.core.events import AnswerEvent, EvidenceFound, Token
from desktop_rag.core.job import Job
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import Route
from desktop_rag.store.catalogue import Catalogue
from tests.fixtures.models import ScriptedModel, WordEmbedder
from tests.fixtures.passages import element, hit

QUESTION = "How long is the bridge over the Aller?"
REPLY = "The bridge over the Aller is 83 m long."


@dataclass
class Desk:
    """An Answerer whose model counts how often it is asked, over a real catalogue."""

    catalogue: Catalogue
    index: str = "one"
    settings: Settings = field(default_factory=Settings)
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel(REPLY))
    events: list[AnswerEvent] = field(default_factory=list)

    def ask(
        self, question: str = QUESTION, *, route: Route = Route.HYBRID, use_model: bool = True, fresh: bool = False
    ) -> Answer:
        cache = AnswerCache(self.catalogue.answers, WordEmbedder(), lambda: self.index, 0.5)
        found = [hit(element("The bridge over the Aller is 83 m long.", name="bridge"), 1, "rivers.md")]
        answerer = Answerer(
            lambda *_: found, lambda *_: "", WordEmbedder(), lambda: self.model, self.settings, None, cache
        )
        self.events.clear()
        return answerer.answer(
            question,
            thread="t",
            history=(),
            route=route,
            use_model=use_model,
            job=Job(),
            emit=self.events.append,
            fresh=fresh,
        )

    @property
    def written(self) -> int:
        return len(self.model.asked)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Catalogue.open(tmp_path / "catalogue.sqlite") as catalogue:
        yield Desk(catalogue)


def test_the_same_question_is_written_once_and_the_second_answer_says_so(desk: Desk) -> None:
    first, second = desk.ask(), desk.ask(f"  {QUESTION.lower()} ")
    assert (first.cached, second.cached) == (False, True)
    assert desk.written == 1
    assert second.text == first.text
    assert second.evidence == first.evidence
    assert second.query_id != first.query_id
    assert second.timings.first_token is None
    assert [type(event) for event in desk.events] == [EvidenceFound]


def test_another_wording_hits_and_another_question_does_not(desk: Desk) -> None:
    desk.ask()
    assert desk.ask("What is the bridge over the Aller?").cached is False
    assert desk.ask("Over the Aller, how long is the bridge?").cached is True
    assert desk.ask("How long is the bridge over the Oker?").cached is False
    assert desk.ask("How long is no bridge over the Aller?").cached is False


def test_it_can_be_asked_afresh(desk: Desk) -> None:
    desk.ask()
    assert desk.ask(fresh=True).cached is False
    assert desk.written == 2
    assert any(isinstance(event, Token) for event in desk.events)


@pytest.mark.parametrize(
    "change",
    [
        lambda desk: setattr(desk, "index", "two"),
        lambda desk: setattr(desk, "settings", replace(desk.settings, evidence=2)),
        lambda desk: setattr(desk.model, "name", "another"),
    ],
    ids=["documents", "settings", "model"],
)
def test_any_change_that_an_answer_depends_on_retires_it(desk: Desk, change: Callable[[Desk], None]) -> None:
    desk.ask()
    change(desk)
    assert desk.ask().cached is False
    assert desk.ask().cached is True


def test_routes_do_not_share_answers_and_quotes_are_not_kept(desk: Desk) -> None:
    desk.ask(use_model=False)
    assert desk.ask(use_model=False).cached is False
    desk.ask()
    assert desk.ask(route=Route.KEYWORD).cached is False


def test_nothing_is_kept_when_it_is_switched_off(desk: Desk) -> None:
    desk.settings = replace(desk.settings, keep_answers=False)
    desk.ask()
    assert desk.ask().cached is False


def test_an_answer_that_was_cut_short_is_not_kept(desk: Desk) -> None:
    desk.model = ScriptedModel(REPLY, fails_after=3)
    desk.ask()
    desk.model = ScriptedModel(REPLY)
    assert desk.ask().cached is False


def test_answers_of_an_older_state_of_the_documents_are_thrown_away(desk: Desk) -> None:
    desk.ask()
    desk.index = "two"
    desk.ask("How far does the bridge reach?")
    desk.index = "one"
    assert desk.ask().cached is False
