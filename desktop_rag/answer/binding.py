"""Whether what belongs together in a sentence belongs together in its evidence: which number is whose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from desktop_rag.answer.conditions import nearest_pieces
from desktop_rag.answer.dates import find_dates
from desktop_rag.answer.facts import find_facts, find_names
from desktop_rag.answer.polarity import clauses
from desktop_rag.answer.quantities import Quantity, is_unit, unit_stems
from desktop_rag.core.words import content_words

_OWN_SUBJECT = re.compile(
    r";|[,\s]*(?:and|but|while|whereas|und|aber|während)?\s*(?:(?:the|an?|his|her|its|their|this|that|der|die|das|ein)\s|[A-ZÄÖÜ])"
)
"""How a clause begins that does not take its subject from the one before."""
_OF_THESE = frozenset(content_words("davon darunter dabei denen wovon"))
_TAIL = 2
"""Words of its own that a clause without a verb has at most."""
_CELL = re.compile(r"[^:;]{1,40}:\s")
_SENTENCE_END = re.compile(r"(?<=\w[.!?])\s+|\n")


@dataclass(frozen=True, slots=True)
class _Part:
    words: frozenset[str]
    names: frozenset[str]
    quantities: tuple[Quantity, ...]
    order: tuple[str, ...] = ()

    def has(self, quantity: Quantity) -> bool:
        return any(quantity.same_number(own) for own in self.quantities)

    def has_other(self, known: Sequence[Quantity]) -> bool:
        """Return whether a quantity stands here that is none of ``known``."""
        return any(not any(own.same_number(one) for one in known) for own in self.quantities)


def misattribution(sentence: str, quote: str) -> str:
    """Return which pair of ``sentence`` the ``quote`` keeps apart, or "".

    "Norway made 80,000 t and Sweden 20,000 t" does not carry "Sweden made 80,000 t": the name and the number stand in
    different clauses, each with a partner of its own. Nothing is concluded where a clause has no partner to offer, as
    in lists with "respectively".
    """
    theirs = [_part(clause.text) for clause in clauses(quote)]
    if len(theirs) < 2:
        return ""
    whole = _part(sentence)
    said = whole.words
    for name in sorted(whole.names):
        for word in sorted(said - whole.names):
            if _said_of_another(name, word, whole, theirs):
                return f"the evidence does not say '{word}' of '{name}'"
    for one in nearest_pieces(sentence, quote, _SENTENCE_END):
        parts = [(clause.text, _part(clause.text)) for clause in clauses(one)]
        joined = _tail_of_another(parts, whole)
        joined = joined or _joined_tails(whole, [part for _, part in parts]) or _mixed_clauses(sentence, parts)
        if joined:
            return f"the evidence says '{joined}' of something else"
    for part in (_part(clause.text) for clause in clauses(sentence)):
        for quantity in part.quantities:
            problem = _problem(quantity, part, said, theirs) or _rivalled(quantity, whole, theirs)
            if problem:
                return problem
    return ""


def _problem(quantity: Quantity, ours: _Part, said: frozenset[str], theirs: Sequence[_Part]) -> str:
    if _out_of_place(quantity, said, theirs):
        return f"the evidence says {quantity.text} of something else"
    for name in sorted(ours.names):
        if _apart_name(name, quantity, ours, theirs):
            return f"the evidence does not give {quantity.text} for '{name}'"
    for word in sorted(ours.words):
        if _apart_word(word, quantity, ours, theirs):
            return f"the evidence does not say '{word}' of {quantity.text}"
    for other in ours.quantities:
        if other is not quantity and _apart_number(quantity, other, ours, theirs):
            return f"the evidence does not put {quantity.text} and {other.text} together"
    return ""


def _tail_of_another(parts: Sequence[tuple[str, _Part]], whole: _Part) -> str:
    """Return a word of a short clause with a number of its own that ``whole`` says of an earlier number, or "".

    "The shop opens at 8, on Fridays only at 9" does not carry "On Fridays the shop opens at 8".
    """
    for at, (text, later) in enumerate(parts):
        if not at or _OWN_SUBJECT.match(text):
            continue
        before = [part for _, part in parts[:at]]
        own = {word for word in later.words - _all_words(before) if word.isalpha() and word not in unit_stems()}
        if len(own - _OF_THESE) > _TAIL or not own & whole.words or any(later.has(one) for one in whole.quantities):
            continue
        kinds = [one.units.keys() for one in later.quantities]
        if any(one.units.keys() in kinds and any(part.has(one) for part in before) for one in whole.quantities):
            return min(own & whole.words)
    return ""


def _joined_tails(whole: _Part, theirs: Sequence[_Part]) -> str:
    """Return a word that ``whole`` takes from the end of one clause to part of a later one, or "".

    "The ferry runs every hour from April to October, and every two hours in winter" does not carry "every two hours
    from April to October": a later clause may lack what an earlier one has, its subject and verb, but then it has to
    be said in full.
    """
    for at, later in enumerate(theirs[1:], 1):
        own = later.words - _all_words(part for other, part in enumerate(theirs) if other != at)
        left_out = {word for word in own - whole.words if word not in unit_stems() and word not in _OF_THESE}
        numbers = [one for one in whole.quantities if later.has(one) and not any(part.has(one) for part in theirs[:at])]
        if not left_out or not numbers:
            continue
        for earlier in theirs[:at]:
            before = earlier.words - _all_words(part for part in theirs if part is not earlier)
            taken = [word for word in earlier.order[1:] if word in before & whole.words and word.isalpha()]
            taken = [word for word in taken if word not in unit_stems()]
            if taken and (before - whole.words):
                return taken[-1]
    return ""


def _mixed_clauses(sentence: str, parts: Sequence[tuple[str, _Part]]) -> str:
    """Return a word that ``sentence`` says of what another clause with a subject of its own speaks of, or "".

    "The green light means ready, the red light means a fault" does not carry "The red light means ready": each clause
    has something of its own that the sentence leaves out.
    """
    if len(_CELL.findall(" ".join(text for text, _ in parts))) > 1:
        return ""  # a row, which has no subjects
    only = [_only_in(at, [part for _, part in parts]) for at in range(len(parts))]
    for ours in (_part(clause.text).words for clause in clauses(sentence)):
        for at, (text, _) in enumerate(parts):
            if not at or not _OWN_SUBJECT.match(text):
                continue
            for others in only[:at]:
                if all((only[at] & ours, only[at] - ours, others & ours, others - ours)):
                    return min(only[at] & ours)
    return ""


def _only_in(at: int, parts: Sequence[_Part]) -> set[str]:
    """Return the words, without numbers and units, that no other than the part at ``at`` has."""
    words = parts[at].words - _all_words(part for other, part in enumerate(parts) if other != at)
    return {word for word in words if word.isalpha() and word not in unit_stems()}


def _all_words(parts: Iterable[_Part]) -> set[str]:
    return {word for part in parts for word in part.words}


def _rivalled(quantity: Quantity, whole: _Part, theirs: Sequence[_Part]) -> str:
    """Return why the words around ``quantity`` are those of another number: a clause without it fits better, or "".

    "A lost key costs 40; a lost key card costs 25" carries neither "A lost key costs 25" nor "A lost key card costs
    40": a clause fits better that has all words of the sentence which the number's clause has, and more of them or
    fewer others.
    """
    said = {word for word in whole.words | whole.names if word not in unit_stems()} - {quantity.text}
    with_number = [part for part in theirs if part.has(quantity)]
    rivals = [part for part in theirs if part not in with_number and _has_rival(part, quantity, whole)]
    if with_number and rivals and all(any(_fits_better(one, own, said) for one in rivals) for own in with_number):
        return f"the evidence says {quantity.text} of something else"
    return ""


def _has_rival(part: _Part, quantity: Quantity, whole: _Part) -> bool:
    """Return whether ``part`` has a number of the same kind that the sentence does not say."""
    others = [one for one in part.quantities if not any(one.same_number(own) for own in whole.quantities)]
    return any(one.units.keys() == quantity.units.keys() for one in others)


def _fits_better(rival: _Part, own: _Part, said: set[str]) -> bool:
    theirs, ours = (rival.words | rival.names), (own.words | own.names)
    shared, kept = theirs & said, ours & said
    fewer = len(_others(theirs, said)) < len(_others(ours, said))
    return bool(kept) and kept <= shared and (kept < shared or fewer)


def _others(words: frozenset[str], said: set[str]) -> set[str]:
    return {word for word in words - said if not (word[0].isdigit() or word in unit_stems())}


@lru_cache(maxsize=4096)
def _part(text: str) -> _Part:
    facts = find_facts(text)
    dated = [Quantity.of(date.year) for date in facts.dates if date.year is not None]
    # A clause is cut out of a sentence, so its first word is not capitalised for standing first.
    in_full = facts.dates and all(date.year is not None for date in facts.dates)  # then the year stands for the date
    plain = find_dates(text)[1] if in_full else text
    names = frozenset([*facts.names, *facts.identifiers, *find_names("a " + plain.lstrip())])
    words = tuple(content_words(text))
    return _Part(frozenset(words), names, (*facts.quantities, *dated), words)


def _out_of_place(quantity: Quantity, said: frozenset[str], theirs: Sequence[_Part]) -> bool:
    """Return whether ``said`` has none of the words among which ``quantity`` stands in the evidence."""
    with_number = [part for part in theirs if part.has(quantity)]
    beside = [{word for word in part.words if not word[0].isdigit() and not is_unit(word)} for part in with_number]
    return bool(beside) and all(words and not words & said for words in beside)


def _apart_name(name: str, quantity: Quantity, ours: _Part, theirs: Sequence[_Part]) -> bool:
    with_name = [part for part in theirs if name in part.words or name in part.names]
    with_number = [part for part in theirs if part.has(quantity)]
    if not with_name or not with_number or any(part.has(quantity) for part in with_name):
        return False
    other_number = any(part.has_other(ours.quantities) for part in with_name)
    other_name = any(part.names - ours.names for part in with_number)
    return other_number and other_name


def _said_of_another(name: str, word: str, whole: _Part, theirs: Sequence[_Part]) -> bool:
    """Return whether ``word`` goes with another name in the evidence, and ``name`` with words of its own.

    "Solberg leads the office; her deputy is Brandt" does not carry "Solberg is the deputy".
    """
    with_name = [part for part in theirs if name in part.words]
    with_word = [part for part in theirs if word in part.words]
    if word[0].isdigit() or not with_name or not with_word or any(name in part.words for part in with_word):
        return False
    own_words = all(any(not one[0].isdigit() for one in part.words - whole.words) for part in with_name)
    return own_words and all(part.names - whole.words for part in with_word)


def _apart_word(word: str, quantity: Quantity, ours: _Part, theirs: Sequence[_Part]) -> bool:
    """Return whether ``word`` belongs to another number, and ``quantity`` to another word.

    Only a word of a later clause is judged: an earlier clause may lend its subject to the clauses after it.
    """
    if word[0].isdigit():
        return False
    with_word = [at for at, part in enumerate(theirs) if word in part.words]
    with_number = [at for at, part in enumerate(theirs) if part.has(quantity)]
    if not with_word or not with_number or min(with_word) <= max(with_number):
        return False
    other_number = any(theirs[at].has_other(ours.quantities) for at in with_word)
    other_word = any(not one[0].isdigit() for at in with_number for one in theirs[at].words - ours.words)
    return other_number and other_word


def _apart_number(one: Quantity, two: Quantity, ours: _Part, theirs: Sequence[_Part]) -> bool:
    with_one = [part for part in theirs if part.has(one)]
    with_two = [part for part in theirs if part.has(two)]
    if not with_one or not with_two or any(part.has(two) for part in with_one):
        return False
    partners = [any(part.has_other(ours.quantities) for part in parts) for parts in (with_one, with_two)]
    return all(partners)
