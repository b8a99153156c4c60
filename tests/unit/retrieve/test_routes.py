"""Hybrid search: what the parts find is fused, and a sure keyword hit comes first."""

from collections.abc import Sequence

from desktop_rag.core.types import BBox, Element, ElementKind, Route
from desktop_rag.retrieve.retriever import Retriever
from desktop_rag.retrieve.routes import HybridRoute, Ranked, stands_clear


def ranked(name: str, score: float, page: int = 1) -> Ranked:
    element = Element(name, "doc", page, BBox(0, 0, 1, 1), ElementKind.TEXT, name, (), "", (), name)
    return Ranked(element, score)


class Fixed:
    """A route that always finds the same."""

    def __init__(self, route: Route, found: Sequence[Ranked]) -> None:
        self.route = route
        self._found = list(found)
        self.filters: list[str | None] = []

    def search(self, question: str, limit: int, where: str | None) -> list[Ranked]:
        self.filters.append(where)
        return self._found[:limit]


def names(hits: Sequence[Ranked]) -> list[str]:
    return [hit.element.id for hit in hits]


def test_what_both_routes_find_comes_before_what_one_finds() -> None:
    text = Fixed(Route.TEXT, [ranked("a", 0.9, 1), ranked("b", 0.8, 2)])
    keyword = Fixed(Route.KEYWORD, [ranked("c", 10.0, 3), ranked("b", 9.9, 2)])

    hits = HybridRoute([text, keyword]).search("q", 10, None)

    assert hits[0].element.id == "b"
    assert set(hits[0].why) == {"text", "keyword"}


def test_a_keyword_hit_that_stands_clear_comes_first() -> None:
    text = Fixed(Route.TEXT, [ranked("a", 0.9, 1), ranked("b", 0.8, 2)])
    keyword = Fixed(Route.KEYWORD, [ranked("c", 20.0, 3), ranked("b", 9.0, 2), ranked("a", 8.0, 1)])

    assert names(HybridRoute([text, keyword]).search("q", 10, None))[0] == "c"


def test_the_filter_and_the_limit_reach_every_part() -> None:
    text = Fixed(Route.TEXT, [ranked(str(n), 1.0 / (n + 1), n) for n in range(60)])
    keyword = Fixed(Route.KEYWORD, [])

    hits = HybridRoute([text, keyword]).search("q", 7, "page < 3")

    assert len(hits) == 7
    assert text.filters == keyword.filters == ["page < 3"]


def test_a_rival_on_the_same_page_does_not_make_a_hit_less_sure() -> None:
    assert stands_clear([ranked("a", 10, page=1), ranked("b", 9.9, page=1), ranked("c", 5, page=2)])
    assert not stands_clear([ranked("a", 10, page=1), ranked("b", 9.9, page=2)])
    assert not stands_clear([])


def test_routes_are_compared_side_by_side_with_the_times_of_their_steps() -> None:
    text, keyword = Fixed(Route.TEXT, [ranked("a", 0.9)]), Fixed(Route.KEYWORD, [ranked("b", 9.0)])
    retriever = Retriever([text, keyword, HybridRoute([text, keyword])], lambda _: "a.pdf")

    results = retriever.compare("q", [Route.HYBRID, Route.TEXT], 5)

    assert [result.route for result in results] == [Route.HYBRID, Route.TEXT]
    assert [len(result.hits) for result in results] == [2, 1]
    assert set(results[0].stages) == {"fuse"}
    assert results[1].stages == {}
