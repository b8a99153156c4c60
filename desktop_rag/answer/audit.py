"""The audit: a sentence of prose is shown only when its evidence carries it. Deterministic, and it says why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from desktop_rag.answer.actors import changed_actor, other_person
from desktop_rag.answer.binding import misattribution
from desktop_rag.answer.candidates import statements_of
from desktop_rag.answer.conditions import unsaid_reserve
from desktop_rag.answer.facts import acronyms, find_facts, first_word, stands_in
from desktop_rag.answer.german import in_one_german, with_plain_nouns
from desktop_rag.answer.number_roles import changed_number_role, no_change
from desktop_rag.answer.opposites import opposites, same_way
from desktop_rag.answer.phrases import cited_numbers, denies_an_answer, plain_sentence
from desktop_rag.answer.polarity import contradiction, turned_voice, unsaid_degree
from desktop_rag.answer.quantities import Quantity, family_of, find_quantities, unit_stems, units_in
from desktop_rag.answer.relevance import is_bare_number, out_of_place, said_in_full
from desktop_rag.answer.roles import changed_role
from desktop_rag.answer.statement_form import is_bare, lacks_a_subject, not_a_statement
from desktop_rag.core.answers import Evidence, Sentence, Verdict
from desktop_rag.core.words import content_words, fold, stem, tokens

RULES_VERSION = 7
"""Goes up with every change of the rules: an answer that was kept under others is written anew."""
_PART = re.compile(r";\s*|,?\s+(?:and|but|while|whereas|und|aber|während)\s+")
_PAIR = re.compile(r"\b[\w%()./-]+: (?=\S*\d)[^\s;]+")
"""A label and its number, as rows of tables are said."""
_SUBJECT = re.compile(
    r"(?:(?:The|A|An|Mr|Mrs|Ms|Dr|Der|Die|Das)\b\.?\s+)?[^\W\d_][\w'’&-]*(?:\s+[^\W\d_a-zß-öø-ÿ][\w'’&-]*)*"
)
_GOES_ON = re.compile(
    r"(?!(?:the|an?|this|these|those|its?|his|her|their|they|he|she|der|die|das|in|on|at|by|from|for|to|with|of)\b)[a-zß-öø-ÿ]+\b"
)
_LABELLED = re.compile(r"(?P<label>[^.:;]{2,40}):\s+\D")
_CELL = re.compile(r"(?:^|;\s)[^:;]{1,40}:\s")
"""What a row has several of: a row is one quote or none, for out of two rows any third can be put together."""
_GLUE = frozenset(
    content_words(
        "according report document text quote evidence following amount total number include refer known locate "
        "approximately respectively namely specifically currently therefore however indicate show provide set equal "
        "amounts stands consists contains answer example percent percentage prozent etwa rund beträgt laut betrug "
        "beläuft belief beliefen lautet liegt lag lagen dürfen darf müssen muss können sollen soll alle allen jede "
        "jeder jedes jeden jedem bedeutet million millionen milliarden mio mrd gab "
        "gaben sowie jedoch hingegen dagegen ab seit je unter dort"
    )
)


@dataclass(frozen=True, slots=True)
class AuditRules:
    """How close in words a sentence must be to its evidence.

    Chosen on the table of right and wrong sentences in tests/fixtures/audit_table.py: a share of 0.2 let additions of
    one word through, below 0.1 nothing more was gained. What is struck by mistake costs little, as its quote is shown.
    """

    most_new: float = 0.1
    """Largest share of content words that the evidence does not have."""
    least_known: float = 0.5
    """Smallest share of content words that the evidence itself has."""


@dataclass(frozen=True, slots=True)
class Audited:
    """A sentence with its verdict, and the number of the quote that can stand in its place.

    ``nearest`` is None where no quote has half of its words, or where it was no statement at all.
    """

    sentence: Sentence
    nearest: int | None
    denies_an_answer: bool = False
    """The model says that the documents do not answer: struck, but a sign that they may not."""


def audit(draft: str, evidence: Sequence[Evidence], question: str, rules: AuditRules | None = None) -> Audited:
    """Judge one sentence of prose against the evidence.

    The evidence that the sentence cites is tried first, then every other: the citations of a supported sentence are
    those that carry it, wherever the model pointed. A sentence whose parts are carried by different quotes is
    supported when each part is carried by one quote that also speaks of the sentence's subject.
    """
    rules = rules or AuditRules()
    cited = cited_numbers(draft)
    text = plain_sentence(draft)
    reason = not_a_statement(text, question) or _missing_citation(cited, evidence)
    ranked = _by_nearness(text, evidence, cited)
    nearest = None
    if not reason:
        nearest = _stand_in(text, ranked)
        problems: list[str] = []
        carrying: list[int] = []
        for item in ranked:
            problems.append(_problem(text, item, question, rules))
            if not problems[-1]:
                carrying = [item.n]
                break
        carrying = carrying or _carried_in_parts(text, ranked, question, rules)
        no_answer = _no_answer(text, carrying, evidence, question)
        if no_answer:
            problems = [no_answer]
        elif carrying:
            return Audited(_supported(text, carrying), nearest)
        reason = problems[0] if problems else "there is no evidence"
    return Audited(Sentence(text or draft.strip(), cited, Verdict.UNSUPPORTED, reason), nearest, denies_an_answer(text))


def _no_answer(text: str, carrying: Sequence[int], evidence: Sequence[Evidence], question: str) -> str:
    """Return why ``text``, though the quotes say it, is no answer, or ""."""
    if not carrying:
        return ""
    if _only_names_a_place(text, evidence):
        return "it only repeats a title or heading"
    if not lacks_a_subject(text):
        return ""
    carriers = [item for item in evidence if item.n in carrying]
    reasons = [out_of_place(text, item, evidence, question) for item in carriers]
    return reasons[0] if all(reasons) else ""


def _supported(text: str, citations: Iterable[int]) -> Sentence:
    numbers = tuple(sorted(set(citations)))
    marks = "".join(f"[{number}]" for number in numbers)
    return Sentence(f"{text} {marks}", numbers, Verdict.SUPPORTED)


def _missing_citation(cited: Sequence[int], evidence: Sequence[Evidence]) -> str:
    known = {item.n for item in evidence}
    missing = [number for number in cited if number not in known]
    return f"it cites [{missing[0]}], which does not exist" if missing else ""


def _by_nearness(text: str, evidence: Sequence[Evidence], cited: Sequence[int]) -> list[Evidence]:
    """Return the evidence, cited quotes first, then by the words that they share with ``text``."""
    words = set(content_words(text))
    return sorted(evidence, key=lambda item: (item.n not in cited, -len(words & _words(item))))


def _stand_in(text: str, ranked: Sequence[Evidence]) -> int | None:
    """Return the number of the quote that can stand for ``text``: it has at least half of its words."""
    words = set(content_words(text))
    best = max(ranked, key=lambda item: len(words & _words(item)), default=None)
    return best.n if best is not None and 2 * len(words & _words(best)) >= len(words) else None


def _around(item: Evidence) -> str:
    """Return what the place of a quote says of it: file name, title and headings."""
    return " . ".join((re.sub(r"[_-]", " ", PurePath(item.file).stem), item.title, *item.heading))


def _only_names_a_place(text: str, evidence: Iterable[Evidence]) -> bool:
    """Return whether ``text`` has no word that is not in the title or headings of a quote: a label, no statement."""
    words = set(content_words(text))
    return any(words <= set(content_words(_around(item))) and not words <= _quoted(item) for item in evidence)


def _quoted(item: Evidence) -> set[str]:
    return set(content_words(item.quote))


def _words(item: Evidence) -> set[str]:
    return set(content_words(f"{_around(item)} . {item.quote}"))


def _carried_in_parts(text: str, ranked: Sequence[Evidence], question: str, rules: AuditRules) -> list[int]:
    """Return the evidence of all parts of ``text``, or nothing when a part is not carried."""
    parts = _with_own_subject(_PART.split(text))
    subject = set(content_words(text)[:2])
    if (
        len(parts) < 2
        or len(_CELL.findall(text)) > 1
        or any(sum(not word[0].isdigit() for word in content_words(part)) < 2 for part in parts)
    ):
        return []
    numbers: list[int] = []
    for part in parts:
        about_it = (item for item in ranked if subject & _words(item))
        carrier = next((item for item in about_it if not _problem(part, item, question, rules)), None)
        if carrier is None:
            return []
        numbers.append(carrier.n)
    return numbers


def _with_own_subject(parts: Sequence[str]) -> list[str]:
    """Return ``parts`` with the name that begins the first of them before each that begins with no name or article.

    "Mr Okafor is the caretaker and manages the accounts" says that Mr Okafor manages them.
    """
    subject = _SUBJECT.match(parts[0])
    if subject is None:
        return list(parts)
    return [parts[0], *(f"{subject.group()} {part}" if _GOES_ON.match(part) else part for part in parts[1:])]


def _problem(text: str, item: Evidence, question: str, rules: AuditRules) -> str:
    """Return why the quote of ``item`` does not carry ``text``, or "".

    The whole quote must not speak against it, and one of its sentences must carry it alone: out of the words of several
    sentences things can be said that none of them says.
    """
    text, item, question = in_one_german(text, item, question)
    problem = _problem_with(text, item, question, rules)
    if problem:
        return problem
    alone = (replace(item, quote=part) for part in statements_of(item.quote, item.kind))
    if any(not _problem_with(text, part, question, rules) for part in alone):
        return ""
    return "its words stand in different sentences of the evidence"


def _problem_with(text: str, item: Evidence, question: str, rules: AuditRules) -> str:
    around = _around(item)
    known = f"{around} .\n{item.quote}"
    return (
        _changed_fact(text, known, item.context)
        or _unknown_name(text, known, question)
        or other_person(text, item.quote, around)
        or _unsaid_year(text, item.quote)
        or _changed_pair(text, item.quote)
        or contradiction(text, item.quote)
        or _misattribution(text, item.quote, question)
        or unsaid_degree(text, item.quote)
        or turned_voice(text, item.quote)
        or changed_role(text, item.quote)
        or unsaid_reserve(said_in_full(text, question) if lacks_a_subject(text) else text, item.quote)
        or changed_number_role(said_in_full(text, question) if is_bare_number(text) else text, item.quote)
        or changed_actor(text, item.quote)
        or no_change(text, item.quote, question)
        or _far_in_words(text, known, question, rules)
    )


def _misattribution(text: str, quote: str, question: str) -> str:
    """Return what the quote says of something else, also where a bare answer has its subject in the question."""
    own = any(not word[0].isdigit() and word not in unit_stems() for word in content_words(text))
    parts = _PART.split(text)
    text, quote, question = with_plain_nouns(text, quote, question)
    going_on = [full for part, full in zip(parts, _with_own_subject(parts), strict=True) if part != full]
    said = [*going_on, _with_subject(text, question), *([text] if own else [])]
    return next(filter(None, (misattribution(one, quote) for one in said)), "")


def _with_subject(text: str, question: str) -> str:
    """Return a bare answer ("80,000 tons.") with its question, which has the subject; whole sentences as they are."""
    return said_in_full(text, question) if is_bare(text) else text


def _changed_fact(text: str, known_text: str, context: str) -> str:
    ours, theirs = find_facts(text), find_facts(known_text)
    years = [date.year for date in theirs.dates if date.year is not None]
    years += [int(known.value) for known in theirs.quantities if 1000 <= known.value <= 2999 and known.value % 1 == 0]
    for date in ours.dates:
        if not any(date.said_by(known, years) for known in theirs.dates):
            return "a date in it is not in the evidence"
    for identifier in ours.identifiers:
        if not stands_in(identifier, known_text) and not _is_range(identifier, theirs.quantities):
            return f"'{identifier}' is not in the evidence"
    known_numbers = [*theirs.quantities, *(Quantity.of(year) for year in years)]
    units = units_in(f"{known_text} {context}")
    for quantity in ours.quantities:
        if quantity.spelled and quantity.value == 1:
            continue  # "one of them" is no number
        if not any(quantity.said_by(known, units) for known in known_numbers):
            return f"the number {quantity.text} is not in the evidence with that unit"
    return ""


def _unsaid_year(text: str, quote: str) -> str:
    """Return why the year of ``text`` cannot be taken from a title: the quote has several numbers to choose from.

    "New books 58,900 64,300" under "Annual Report 2024" does not tell which of the two is that of 2024.
    """
    theirs = find_facts(quote)
    said = {date.year for date in theirs.dates} | {int(one.value) for one in theirs.quantities if one.value % 1 == 0}
    others = [one for one in theirs.quantities if not (1000 <= one.value <= 2999 and one.value % 1 == 0)]
    if len(others) < 2:
        return ""
    missing = next((date.year for date in find_facts(text).dates if date.year and date.year not in said), None)
    return f"the evidence does not say which of its numbers is that of {missing}" if missing else ""


def _changed_pair(text: str, quote: str) -> str:
    """Return the "label: value" of ``text`` that the row which it seems to repeat does not have, or ""."""
    known = " ".join(fold(quote).split())
    label = _LABELLED.match(fold(text))
    if label and not _PAIR.search(known) and f"{label['label']}:" not in known:
        return f"the evidence does not have '{label['label']}:'"
    pairs = (" ".join(match.group().split()) for match in _PAIR.finditer(fold(text)))
    changed = next((pair for pair in pairs if pair.rstrip(".") not in known), None)
    return f"the evidence does not have '{changed}'" if changed and _PAIR.search(known) else ""


def _is_range(identifier: str, known: Sequence[Quantity]) -> bool:
    """Return whether ``identifier`` is a range such as "17-37" whose two numbers stand in the evidence."""
    if not re.fullmatch(r"\d+-\d+", identifier):
        return False
    ends = list(find_quantities(identifier.replace("-", " - ")))
    return all(any(end.same_number(one) for one in known) for end in ends)


def _unknown_name(text: str, known: str, question: str) -> str:
    words = set(content_words(known))
    for name in find_facts(text).names:
        if name not in words and name not in acronyms(known) and name not in unit_stems():
            return f"the name '{name}' is not in the evidence"
    first = first_word(text)
    if first and first not in words | _GLUE | set(content_words(question)) and not _akin(first, words):
        return f"'{first}' is not in the evidence"
    return ""


def _far_in_words(text: str, known: str, question: str, rules: AuditRules) -> str:
    counted = {stem(word) for one in find_quantities(text) if one.spelled for word in tokens(one.text)}
    money = {stem(word) for word in tokens(text) if family_of(word) == "money"}
    ignored = _GLUE | counted | (money if find_facts(text).quantities else set())  # numbers are checked as numbers
    words = [word for word in dict.fromkeys(content_words(text)) if not (word in ignored or word[0].isdigit())]
    if not words:
        return ""
    evidence_words = set(content_words(known))
    in_evidence = [
        word
        for word in words
        if word in evidence_words or (opposites(word) | same_way(word)) & evidence_words or _akin(word, evidence_words)
    ]
    new = [word for word in words if word not in in_evidence]  # the question's words are no evidence for anything
    if len(new) / len(words) > rules.most_new or set(new) & set(content_words(question)):
        return f"the evidence does not speak of {', '.join(repr(word) for word in new[:3])}"
    if len(in_evidence) / len(words) < rules.least_known:
        return "too few of its words are in the evidence"
    return ""


def _akin(word: str, others: Iterable[str]) -> bool:
    """Return whether a word of the same root is among ``others``: "suspens" and "suspend"."""
    if len(word) < 5:
        return False
    return any(other[:5] == word[:5] and abs(len(other) - len(word)) <= 3 for other in others)
