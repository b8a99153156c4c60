"""A search that takes too long is done without, and says so."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from desktop_rag.core.types import Route
from desktop_rag.retrieve.clock import clocked, step
from desktop_rag.retrieve.in_time import in_time
from desktop_rag.retrieve.routes import HybridRoute, Ranked
from tests.fixtures.passages import element


def test_all_that_is_in_time_comes_in_its_order() -> None:
    searches: dict[str, Callable[[], int]] = {"text": lambda: 1, "keyword": lambda: 2, "page": lambda: 3}
    assert list(in_time(searches, "keyword", 60_000).items()) == [("text", 1), ("keyword", 2), ("page", 3)]
    assert in_time(searches, "keyword", None) == in_time(searches, "keyword", 60_000)


def test_what_is_late_is_left_out_and_noted() -> None:
    go_on = threading.Event()
    searches: dict[str, Callable[[], bool]] = {"text": go_on.wait, "keyword": lambda: True}
    with clocked() as clock:
        found = in_time(searches, "keyword", 20)
    go_on.set()
    assert found == {"keyword": True}
    assert clock.notes == ("The search by text took longer than 0.02 s and was done without.",)


def test_an_error_that_comes_in_time_is_raised() -> None:
    def fail() -> bool:
        raise TimeoutError("of its own")

    with pytest.raises(TimeoutError, match="of its own"):
        in_time({"text": fail, "keyword": lambda: True}, "keyword", 60_000)


def test_the_steps_of_a_search_in_a_thread_are_counted() -> None:
    def search() -> int:
        with step("vector search"):
            return 1

    with clocked() as clock:
        in_time({"text": search, "keyword": lambda: 2}, "keyword", 60_000)
    assert list(clock.ms) == ["vector search"]


class _Part:
    def __init__(self, route: Route, search: Callable[[], list[Ranked]]) -> None:
        self.route = route
        self._search = search

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        return self._search()


def test_hybrid_search_falls_back_on_words() -> None:
    go_on = threading.Event()
    word = Ranked(element("The crane lifts forty tonnes."), 2.0)

    def late() -> list[Ranked]:
        go_on.wait()
        return []

    route = HybridRoute([_Part(Route.TEXT, late), _Part(Route.KEYWORD, lambda: [word])], budget_ms=20)
    found = route.gather("crane", 10, None)
    go_on.set()
    assert not route.is_whole(found)
    assert [hit.element for hit in route.fuse(found)] == [word.element]
