"""From ranked hits to the exact quotes that bear on a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from desktop_rag.answer.candidates import Candidate, candidates
from desktop_rag.answer.places import boxes_of, confidence_of, lit_boxes
from desktop_rag.core.errors import ModelError
from desktop_rag.core.types import BBox, ElementKind, Evidence, Hit
from desktop_rag.core.words import content_words, fold, is_identifier, rarity
from desktop_rag.models.embedder import Embedder

_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:much|many|long|deep|high|large|big|far|old|fast|often|soon|tall|wide|heavy|warm)|when"
    r"|what (?:share|slice|percentage|year|date|number|amount|price|value|part number)"
    r"|(?:in|on|by|until) which (?:year|day|date|month|line)"
    r"|which (?:year|percentage|part number)|wann|wie ?viele?|wie (?:lang|hoch|gross|alt|tief)|was kostet)\b"
)


_FULL = 2.45
"""About the score of a quote that is first and meets the whole question: scores of evidence are shares of it."""


@dataclass(frozen=True, slots=True)
class QuoteRules:
    """What makes a good quote; weights of a sum.

    The order of the elements and the share of the question that a part of them meets count alike: chosen on questions
    over real documents.
    """

    rank: float = 1.0
    coverage: float = 1.0
    similarity: float = 0.3
    answer_form: float = 0.15
    around: float = 0.25
    """What a question's word is worth when it stands only in title or headings."""
    elements: int = 12
    """Elements that are quoted from; their meaning is compared in one batch of short texts."""
    compared: int = 350
    """Characters of a quote that are compared."""
    same: float = 0.8
    """Share of common words from which two quotes say the same."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with the question's words that it has, and its scores."""

    candidate: Candidate
    words: frozenset[str]
    score: float
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen quotes, best first, with what the decision to refuse needs.

    ``weights`` are the rarity weights of the question's words; ``similarity`` is the highest cosine of question and
    quote, None without vectors. ``known_words`` are all words of the quotes with their titles and headings.
    """

    evidence: tuple[Evidence, ...]
    weights: Mapping[str, float]
    similarity: float | None
    known_words: frozenset[str]


def choose(
    question: str,
    hits: Sequence[Hit],
    embedder: Embedder,
    page_label: Callable[[str, int], str],
    limit: int,
    rules: QuoteRules | None = None,
) -> Choice:
    """Return up to ``limit`` quotes out of ``hits``, each an exact part of an element's text with its lines' boxes.

    Without a working embedder the words alone decide.
    """
    rules = rules or QuoteRules()
    weights = question_weights(question, [content_words(hit.element.text) for hit in hits])
    scored = _by_words(question, hits[: rules.elements], weights, rules)
    chosen = _pick(_by_meaning(question, scored, embedder, rules), limit, weights, rules)
    known = (content_words(f"{one.candidate.hit.element.retrieval_text} {one.candidate.hit.file}") for one in chosen)
    similarities = [one.similarity for one in chosen if one.similarity is not None]
    return Choice(
        tuple(_evidence(n, one, page_label, weights) for n, one in enumerate(chosen, 1)),
        weights,
        max(similarities, default=None),
        frozenset(word for words in known for word in words),
    )


def _without_bare_rows(found: Sequence[Candidate]) -> list[Candidate]:
    """Leave out text that stands where a row of a found table stands: the row says its headers too."""
    rows: dict[tuple[str, int], list[BBox]] = {}
    for candidate in found:
        element = candidate.hit.element
        if element.kind is ElementKind.TABLE:
            boxes = boxes_of(element, candidate.start, candidate.end)
            rows.setdefault((element.document, element.page), []).extend(boxes)
    return [candidate for candidate in found if not _is_bare_row(candidate, rows)]


def _is_bare_row(candidate: Candidate, rows: Mapping[tuple[str, int], Sequence[BBox]]) -> bool:
    element = candidate.hit.element
    places = rows.get((element.document, element.page), ())
    if element.kind is ElementKind.TABLE or not places:
        return False
    boxes = boxes_of(element, candidate.start, candidate.end)
    return all(any(_middle_inside(box, place) for place in places) for box in boxes)


def _middle_inside(box: BBox, place: BBox) -> bool:
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return place.x0 <= x <= place.x1 and place.y0 <= y <= place.y1


def question_weights(question: str, texts: Sequence[Iterable[str]]) -> Mapping[str, float]:
    """Return how much each content word of ``question`` weighs: rare among ``texts`` is heavy, identifiers double."""
    known = rarity(texts)
    rarest = max(known.values(), default=1.0)
    words = dict.fromkeys(content_words(question))
    return {word: known.get(word, rarest) * (2 if is_identifier(word) else 1) for word in words}


def _by_words(question: str, hits: Sequence[Hit], weights: Mapping[str, float], rules: QuoteRules) -> list[Scored]:
    """Return the best piece of each element, scored by its rank and its words.

    One piece, not a window of several: the audit would find the words of different sentences in one quote.
    """
    pieces: dict[str, list[Candidate]] = {}
    for piece in _without_bare_rows([piece for hit in hits for piece in candidates(hit)]):
        pieces.setdefault(piece.hit.element.id, []).append(piece)
    total = sum(weights.values()) or 1.0
    scored = []
    for of_one in pieces.values():
        hit = of_one[0].hit
        around = frozenset(content_words(" ".join((hit.element.title, *hit.element.heading)))) & weights.keys()

        def rate(text: str, around: frozenset[str] = around) -> float:
            own = frozenset(content_words(text)) & weights.keys()
            got = sum(weights[word] for word in own) + rules.around * sum(weights[word] for word in around - own)
            return rules.coverage * got / total + rules.answer_form * _has_answer_form(question, text)

        best = max(of_one, key=lambda piece: (rate(piece.text), len(piece.text)))
        words = frozenset(content_words(best.text)) & weights.keys()
        score = rules.rank / (1 + 0.15 * (hit.rank - 1)) + rate(best.text)
        scored.append(Scored(best, words, score))
    return sorted(scored, key=lambda one: -one.score)


def _has_answer_form(question: str, text: str) -> bool:
    """Return whether a question for a number or date meets a text with a number that the question does not have."""
    if not _ASKS_NUMBER.search(fold(question)):
        return False
    asked = set(re.findall(r"\d+", question))
    return any(number not in asked for number in re.findall(r"\d+", text))


def _by_meaning(question: str, shortlist: list[Scored], embedder: Embedder, rules: QuoteRules) -> list[Scored]:
    """Return the shortlist with the cosine of question and quote in the score, best first."""
    if not shortlist:
        return []
    try:
        vectors = embedder.embed([question, *(one.candidate.text[: rules.compared] for one in shortlist)])
    except ModelError:
        return shortlist
    cosines = [float(value) for value in vectors[1:] @ vectors[0]]
    judged = [
        replace(one, similarity=cosine, score=one.score + rules.similarity * max(0.0, cosine))
        for one, cosine in zip(shortlist, cosines, strict=True)
    ]
    return sorted(judged, key=lambda one: -one.score)


def _pick(ranked: Sequence[Scored], limit: int, weights: Mapping[str, float], rules: QuoteRules) -> list[Scored]:
    """Take the best again and again; words that are covered already count less for those after."""
    chosen: list[Scored] = []
    rest = list(ranked)
    total = sum(weights.values()) or 1.0
    covered: set[str] = set()
    while rest and len(chosen) < limit:
        best = max(rest, key=lambda one: one.score - 0.15 * sum(weights[word] for word in one.words & covered) / total)
        rest.remove(best)
        if not any(_same(best, other, rules) for other in chosen):
            chosen.append(best)
            covered |= best.words
    return chosen


def _same(one: Scored, other: Scored, rules: QuoteRules) -> bool:
    if one.candidate.text in other.candidate.text:
        return True
    a, b = set(content_words(one.candidate.text)), set(content_words(other.candidate.text))
    return len(a & b) >= rules.same * max(len(a | b), 1)


def _evidence(n: int, chosen: Scored, page_label: Callable[[str, int], str], asked: Container[str]) -> Evidence:
    candidate = chosen.candidate
    element = candidate.hit.element
    boxes = lit_boxes(element, candidate.start, candidate.end, asked)
    return Evidence(
        n=n,
        quote=candidate.text,
        file=candidate.hit.file,
        document=element.document,
        element=element.id,
        title=element.title,
        page=element.page,
        page_label=page_label(element.document, element.page),
        bbox=BBox.around(boxes),
        boxes=boxes,
        kind=element.kind,
        score=chosen.score / _FULL,
        heading=element.heading,
        context=element.text,
        confidence=confidence_of(element, candidate.start, candidate.end),
        figure=element.bbox if element.kind is ElementKind.FIGURE else None,
    )
