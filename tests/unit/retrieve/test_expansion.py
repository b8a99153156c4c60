"""The chat model widens a question: what it writes is searched too, and what goes wrong with it harms nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from desktop_rag.core.job import Job
from desktop_rag.core.types import Route
from desktop_rag.models.llm import Message
from desktop_rag.retrieve.expansion import Expansion, ExpansionKind, Wordings
from desktop_rag.retrieve.routes import HybridRoute, Ranked
from tests.fixtures.models import ScriptedModel
from tests.unit.retrieve.test_routes import names, ranked

NOTHING = Wordings({}, {})


class Answering:
    """A route that finds what its table says of a text, and remembers what it was asked."""

    def __init__(self, route: Route, table: dict[str, list[Ranked]]) -> None:
        self.route = route
        self.table = table
        self.asked: list[str] = []

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        self.asked.append(question)
        return self.table.get(question, [])[:limit]


def test_a_passage_that_would_answer_is_searched_by_meaning_only() -> None:
    passage = "The orchard lost a third of its trees to frost."
    text = Answering(Route.TEXT, {"q": [ranked("a", 0.9, 1)], passage: [ranked("b", 0.8, 2)]})
    keyword = Answering(Route.KEYWORD, {})
    model = ScriptedModel(passage)

    hits = HybridRoute([text, keyword], expansion=Expansion(ExpansionKind.HYDE, lambda: model, 60_000)).search(
        "q", 5, None
    )

    assert names(hits) == ["a", "b"]
    assert (text.asked, keyword.asked) == (["q", passage], ["q"])
    assert set(hits[1].why) == {"hyde, text"}
    assert model.asked[0][-1].content == "q"


def test_other_wordings_are_searched_by_all_parts_and_what_they_agree_on_rises() -> None:
    text = Answering(Route.TEXT, {"q": [ranked("a", 0.9, 1), ranked("b", 0.8, 2)], "first way": [ranked("b", 0.7, 2)]})
    keyword = Answering(Route.KEYWORD, {"second way": [ranked("b", 3.0, 2)]})
    model = ScriptedModel("1. first way\n2. second way\n3. third way")

    hits = HybridRoute([text, keyword], expansion=Expansion(ExpansionKind.MULTI, lambda: model, 60_000)).search(
        "q", 5, None
    )

    assert names(hits) == ["b", "a"]
    assert text.asked == keyword.asked == ["q", "first way", "second way"]


def test_the_same_question_is_widened_once() -> None:
    model = ScriptedModel("one way\nanother way")
    expansion = Expansion(ExpansionKind.MULTI, lambda: model, 60_000)

    assert expansion.of("q") is expansion.of("q")
    assert len(model.asked) == 1


@pytest.mark.parametrize("kind", ExpansionKind)
def test_without_time_or_without_a_sound_model_nothing_is_added(kind: ExpansionKind) -> None:
    words = "one two three four five six\nseven"

    assert Expansion(kind, lambda: ScriptedModel(words, fails_after=2), 60_000).of("q") == NOTHING
    assert Expansion(kind, lambda: ScriptedModel(""), 60_000).of("q") == NOTHING


def test_when_the_time_is_over_whole_wordings_stay() -> None:
    class Slow(ScriptedModel):
        def stream(self, messages: Sequence[Message], *, max_tokens: int, job: Job) -> Iterator[str]:
            for number, piece in enumerate(super().stream(messages, max_tokens=max_tokens, job=job)):
                if number == 3:
                    job.cancel()
                yield piece

    model = Slow("the first way\nthe second way")
    found = Expansion(ExpansionKind.MULTI, lambda: model, 60_000).of("q")

    assert list(found.questions.values()) == ["the first way"]


def test_a_wording_that_is_the_question_again_is_left_out() -> None:
    model = ScriptedModel("How deep is it?\n- how far down does it go?")

    found = Expansion(ExpansionKind.MULTI, lambda: model, 60_000).of("How deep is it?")

    assert list(found.questions.values()) == ["how far down does it go?"]
