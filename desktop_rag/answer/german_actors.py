"""Who does what in German, where the order of words tells little: cases and "von" with a passive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from desktop_rag.answer.german_forms import is_strong_form, verb_roots
from desktop_rag.answer.german_words import ARTICLES, AUXILIARIES, GENITIVES, OBLIQUE, PREPOSITIONS, TITLES
from desktop_rag.answer.quantities import find_quantities
from desktop_rag.core.words import STOP_WORDS, content_words, fold

_PIECES = re.compile(r"[.;:!?]\s|[.;:]$|,\s|\b(?:und|aber|sondern|weil|dass)\b")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d[\d.,]*")
_PASSIVE = re.compile(r"\b(?:wird|werden|wurde|wurden|worden)\b")
_STATE = re.compile(r"\b(?:ist|sind|war|waren)\b")
_COPULAS = frozenset(("bleib", "heiss", "schein"))
"""Verbs on both sides of which the same person stands: "Schriftführer bleibt Ole Hansen"."""
_BY = ("von", "vom", "durch")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun with what stands before it: its preposition and article, folded, "" for none."""

    words: frozenset[str]
    preposition: str
    article: str
    genitive: bool
    counted: bool
    start: int


@dataclass(frozen=True, slots=True)
class _Deed:
    """A verb with who does it, nobody where a passive does not tell, and the other nouns of its clause."""

    verb: frozenset[str]
    agent: frozenset[str]
    others: frozenset[str]


def turned_deed(sentence: str, evidence: str) -> str:
    """Return why who does something in ``sentence`` has it done to them in the ``evidence``, or "".

    Both are German. The one who does it stands in the nominative, which an article tells or the first place, and behind
    "von" or "durch" in the passive; where no one is found, nothing is said.
    """
    theirs = list(_deeds(evidence))
    for deed in _deeds(sentence):
        same = [one for one in theirs if deed.verb & one.verb]
        if same and all(_turned(deed, one) for one in same):
            return f"in the evidence another than '{' '.join(sorted(deed.agent))}' does so"
    return ""


def _turned(ours: _Deed, theirs: _Deed) -> bool:
    another = theirs.agent - ours.agent if theirs.agent else ours.agent
    return bool((ours.agent - theirs.agent) & theirs.others and another)


def _deeds(text: str) -> Iterator[_Deed]:
    for clause in _PIECES.split(text):
        words = list(_WORD.finditer(clause))
        passive = _PASSIVE.search(fold(clause)) is not None
        phrases = _phrases(words)
        following = [match.group() for match in words[1:]] + [""]
        verbs = [match for match, after in zip(words, following, strict=False) if _may_be_verb(match.group(), after)]
        if not phrases or not verbs:
            continue
        agent = _agent(phrases, passive, _first_verb(words))
        if (agent is None and not passive) or (_STATE.search(fold(clause)) and not passive):
            continue
        doers = _with_genitive(phrases, agent) if agent else frozenset()
        rest = [one for one in phrases if one is not agent and not (agent is None and one.preposition)]
        others = frozenset(word for phrase in rest for word in phrase.words)
        for verb in verbs:
            yield _Deed(verb_roots(fold(verb.group())), doers, others - doers)


def _with_genitive(phrases: list[_Phrase], agent: _Phrase) -> frozenset[str]:
    """Return the words of ``agent`` with those of the genitive behind it: "die Teilnehmer der Gruppe"."""
    following = phrases[phrases.index(agent) + 1 :]
    return agent.words | (following[0].words if following and following[0].genitive else frozenset())


def _may_be_verb(word: str, after: str = "") -> bool:
    """Return whether ``word`` can be a verb, and no adjective of the noun ``after`` it."""
    plain = fold(word)
    if not word[0].islower() or plain in STOP_WORDS or len(plain) < 4:
        return False
    if not _COPULAS.isdisjoint(verb_roots(plain)):
        return False
    if after[:1].isupper() and plain.endswith(("en", "em", "er", "es")):
        return False
    return is_strong_form(plain) or plain.endswith(("t", "te", "ten", "en"))


def _first_verb(words: list[re.Match[str]]) -> int:
    verbs = (match.start() for match in words if _may_be_verb(match.group()) or fold(match.group()) in AUXILIARIES)
    return next(verbs, -1)


def _agent(phrases: list[_Phrase], passive: bool, verb: int) -> _Phrase | None:
    if passive:
        return next((one for one in phrases if one.preposition in _BY and not one.counted), None)
    free = [one for one in phrases if not one.preposition and not one.genitive and one.article not in OBLIQUE]
    if not free:
        return None
    behind = next((one for one in free if one.start > verb >= 0), None)
    bare_first = not free[0].article and free[0].start < verb
    if bare_first and behind is not None and behind.article == "der":
        return behind
    return free[0]


def _phrases(words: list[re.Match[str]]) -> list[_Phrase]:
    """Return the nouns of a clause; capitalised words that follow each other are one."""
    found: list[_Phrase] = []
    preposition = article = ""
    genitive = after_noun = counted = False
    for match in words:
        word, plain = match.group(), fold(match.group())
        if plain in PREPOSITIONS:
            preposition, article = preposition if plain == "von" and preposition else plain, ""
            genitive = after_noun = counted = False
        elif plain in ARTICLES or plain in OBLIQUE - TITLES:
            genitive = after_noun and plain in GENITIVES
            article, after_noun = plain, False
        elif not word[0].isupper() or plain in STOP_WORDS:
            after_noun, counted = False, counted or next(find_quantities(word), None) is not None
        elif after_noun:
            found[-1] = replace(found[-1], words=(found[-1].words - TITLES) | _nouns(word))
        else:
            article = plain if plain in OBLIQUE else article
            found.append(_Phrase(_nouns(word), preposition, article, genitive, counted, match.start()))
            preposition = article = ""
            genitive, counted, after_noun = False, False, True
    return found


def _nouns(word: str) -> frozenset[str]:
    return frozenset({fold(word)} if fold(word) in TITLES else content_words(word))
