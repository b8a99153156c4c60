"""From ranked hits to the exact quotes that bear on a question."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from desktop_rag.answer.asked_form import has_usual_form
from desktop_rag.answer.candidates import LONGEST_QUOTE, Candidate, candidates, is_gap
from desktop_rag.answer.dates import YEAR
from desktop_rag.answer.places import boxes_of, confidence_of, lit_boxes
from desktop_rag.core.answers import Evidence
from desktop_rag.core.errors import ModelError
from desktop_rag.core.types import BBox, ElementKind, Hit
from desktop_rag.core.words import content_words, is_identifier, rarity
from desktop_rag.models.embedder import Embedder


@dataclass(frozen=True, slots=True)
class QuoteRules:
    """What makes a good quote; weights of a sum whose parts lie between 0 and 1.

    Set by hand and checked on two sets of questions: similarity of meaning counts most, then the question's words, and
    the ranking decides between equals.
    """

    coverage: float = 0.3
    similarity: float = 0.5
    rank: float = 0.13
    answer_form: float = 0.11
    year: float = 1.5
    """What a year of the question is worth, as a multiple of its heaviest word."""
    around: float = 0.5
    """What a question's word is worth when it stands only in title or headings."""
    nearby: float = 0.3
    """What it is worth in the text before and after, of which the quote may be the rest."""
    reach: int = 250
    """Characters before and after that are nearby."""
    shortlist: int = 20
    """Quotes whose meaning is compared: one batch of short texts, about a tenth of a second on two cores."""
    compared: int = 240
    """Characters of a quote that are compared, after the heading or title over it."""
    join: float = 0.55
    """A neighbour joins a chosen quote when it scores at least this share of it; a row of a table stays alone."""
    same: float = 0.8
    """Share of common words from which two quotes say the same."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with the question's words that it has, and its scores."""

    candidate: Candidate
    words: frozenset[str]
    coverage: float
    score: float
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen quotes, best first, with what the decision to refuse needs.

    ``weights`` are the rarity weights of the question's words; ``similarity`` is the highest cosine of question and
    quote, None without vectors.
    """

    evidence: tuple[Evidence, ...]
    weights: Mapping[str, float]
    similarity: float | None


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
    found = _without_bare_rows([candidate for hit in hits for candidate in candidates(hit)])
    texts = [content_words(candidate.text) for candidate in found]
    weights = question_weights(question, texts, rules)
    scored = [_by_words(question, *pair, weights, rules) for pair in zip(found, texts, strict=True)]
    shortlist = sorted(scored, key=lambda one: -one.score)[: rules.shortlist]
    shortlist = _by_meaning(question, shortlist, embedder, rules)
    chosen = _pick(shortlist, limit, weights, rules)
    similarities = [one.similarity for one in chosen if one.similarity is not None]
    return Choice(
        tuple(_evidence(n, one, page_label, weights) for n, one in enumerate(chosen, 1)),
        weights,
        max(similarities, default=None),
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


def question_weights(question: str, texts: Sequence[Iterable[str]], rules: QuoteRules) -> Mapping[str, float]:
    """Return how much each content word of ``question`` weighs: rare among ``texts`` is heavy, identifiers double.

    A year weighs more than any other word: a report has its year everywhere, and it still tells what happened from what
    was planned.
    """
    known = rarity(texts)
    rarest = max(known.values(), default=1.0)
    words = dict.fromkeys(content_words(question))
    weights = {word: known.get(word, rarest) * (2 if is_identifier(word) else 1) for word in words}
    heaviest = max(weights.values(), default=1.0)
    return {word: rules.year * heaviest if YEAR.fullmatch(word) else weight for word, weight in weights.items()}


def _by_words(
    question: str, candidate: Candidate, words: Sequence[str], weights: Mapping[str, float], rules: QuoteRules
) -> Scored:
    element = candidate.hit.element
    own = frozenset(words) & weights.keys()
    text = element.text[max(0, candidate.start - rules.reach) : candidate.end + rules.reach]
    near = (frozenset(content_words(text)) & weights.keys()) - own
    around = (frozenset(content_words(" ".join((element.title, *element.heading)))) & weights.keys()) - own - near
    parts = ((1.0, own), (rules.nearby, near), (rules.around, around))
    total = sum(weights.values()) or 1.0
    coverage = sum(worth * sum(weights[word] for word in part) for worth, part in parts) / total
    rank = 1 / (1 + 0.15 * (candidate.hit.rank - 1))
    form = has_usual_form(question, candidate.text, f"{element.title} {' '.join(element.heading)}", element.kind)
    score = rules.coverage * coverage + rules.rank * rank + rules.answer_form * form
    return Scored(candidate, own, coverage, score)


def _by_meaning(question: str, shortlist: list[Scored], embedder: Embedder, rules: QuoteRules) -> list[Scored]:
    """Return the shortlist with the cosine of question and quote in the score, best first."""
    if not shortlist:
        return []
    try:
        vectors = embedder.embed([question, *(_compared(one.candidate, rules) for one in shortlist)])
    except ModelError:
        return shortlist
    cosines = [float(value) for value in vectors[1:] @ vectors[0]]
    judged = [
        replace(one, similarity=cosine, score=one.score + rules.similarity * max(0.0, cosine))
        for one, cosine in zip(shortlist, cosines, strict=True)
    ]
    return sorted(judged, key=lambda one: -one.score)


def _compared(candidate: Candidate, rules: QuoteRules) -> str:
    element = candidate.hit.element
    over = element.heading[-1] if element.heading else element.title
    text = candidate.text[: rules.compared]
    return f"{over}: {text}" if over else text


def _pick(ranked: Sequence[Scored], limit: int, weights: Mapping[str, float], rules: QuoteRules) -> list[Scored]:
    """Take the best again and again; words that are covered already count less for those after."""
    chosen: list[Scored] = []
    rest = list(ranked)
    total = sum(weights.values()) or 1.0
    covered: set[str] = set()
    while rest and len(chosen) < limit:
        best = max(rest, key=lambda one: one.score - 0.15 * sum(weights[word] for word in one.words & covered) / total)
        rest.remove(best)
        if any(_same(best, other, rules) for other in chosen):
            continue
        neighbour = next((at for at, other in enumerate(chosen) if _adjacent(best, other, rules)), None)
        if neighbour is not None:
            chosen[neighbour] = _join(chosen[neighbour], best)
        else:
            chosen.append(best)
        covered |= best.words
    return chosen


def _same(one: Scored, other: Scored, rules: QuoteRules) -> bool:
    if one.candidate.text in other.candidate.text:
        return True
    a, b = set(content_words(one.candidate.text)), set(content_words(other.candidate.text))
    return len(a & b) >= rules.same * max(len(a | b), 1)


def _adjacent(best: Scored, chosen: Scored, rules: QuoteRules) -> bool:
    """Return whether ``best`` stands next to ``chosen``, is about as good, and both are short enough together."""
    one, other = best.candidate, chosen.candidate
    if best.score < rules.join * chosen.score or one.hit.element.id != other.hit.element.id:
        return False
    if one.hit.element.kind is ElementKind.TABLE:
        return False
    first, second = sorted((one, other), key=lambda candidate: candidate.start)
    between = first.hit.element.text[first.end : second.start]
    return is_gap(between) and second.end - first.start <= LONGEST_QUOTE


def _join(one: Scored, other: Scored) -> Scored:
    start = min(one.candidate.start, other.candidate.start)
    end = max(one.candidate.end, other.candidate.end)
    joined = Candidate(one.candidate.hit, start, end)
    return replace(one, candidate=joined, words=one.words | other.words)


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
        score=chosen.score,
        heading=element.heading,
        context=element.text,
        confidence=confidence_of(element, candidate.start, candidate.end),
        figure=element.bbox if element.kind is ElementKind.FIGURE else None,
    )
