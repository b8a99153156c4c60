"""German words in their forms: "umgeschlagen" and "umschlug" can be one verb, "Hafens" and "Hafen" one noun."""

from __future__ import annotations

import re
from functools import lru_cache

from desktop_rag.answer.german_words import PARTICLES, strong_verbs
from desktop_rag.core.words import STOP_WORDS, fold

_PREFIXES = (*sorted(PARTICLES, key=len, reverse=True), "be", "emp", "ent", "er", "ge", "miss", "ver", "zer", "")
_BASE_OF = strong_verbs()
_VERB_ENDINGS = (
    "eten",
    "ete",
    "etet",
    "ten",
    "tet",
    "test",
    "te",
    "est",
    "en",
    "em",
    "et",
    "es",
    "st",
    "t",
    "e",
    "n",
    "s",
)
_NOUN_ENDINGS = ("ens", "ses", "sse", "en", "es", "ns", "n", "s", "e")
_UNG = re.compile(r"ung(?:en|s)?$")
_LEAST = 3
_LEAST_OF_A_NOUN = 4


def same_word(one: str, other: str) -> bool:
    """Return whether two words, as they are written, can be forms of one word, or one a noun of the other, a verb.

    Comparatives are left alone ("schnell" is not "schneller"), and so are persons ("Mieter" is not "Miete").
    """
    if fold(one) == fold(other):
        return True
    nouns = one[0].isupper(), other[0].isupper()
    if all(nouns):
        return not _noun_roots(fold(one)).isdisjoint(_noun_roots(fold(other)))
    if not any(nouns):
        return not verb_roots(fold(one)).isdisjoint(verb_roots(fold(other)))
    noun, verb = (fold(one), fold(other)) if nouns[0] else (fold(other), fold(one))
    if _UNG.search(noun):
        return _UNG.sub("", noun) in verb_roots(verb)
    return not _long_bases(noun).isdisjoint(_long_bases(verb))


def _long_bases(word: str) -> set[str]:
    """Return the strong verbs of which ``word`` can be a form, those with a prefix: "Abnahme" and "abnimmt"."""
    bases = {_base(stem) for stem in verb_roots(word)}
    return {base for base in bases if base and base not in _BASE_OF}


@lru_cache(maxsize=16384)
def _noun_roots(word: str) -> frozenset[str]:
    found = {word}
    found |= {
        word[: -len(end)] for end in _NOUN_ENDINGS if word.endswith(end) and len(word) - len(end) >= _LEAST_OF_A_NOUN
    }
    return frozenset(found)


@lru_cache(maxsize=16384)
def verb_roots(word: str) -> frozenset[str]:
    """Return what the folded lower-case ``word`` can be a form of: stems, those of strong verbs in one form."""
    if word in STOP_WORDS or not word.isalpha():
        return frozenset({word})
    forms = {word}
    for prefix in _PREFIXES:
        rest = word.removeprefix(prefix)
        if word.startswith(prefix) and rest[:2] in ("ge", "zu") and len(rest) >= _LEAST + 3:
            forms.add(prefix + rest[2:])
    stems = forms | {form[: -len(end)] for form in forms for end in _VERB_ENDINGS if form.endswith(end)}
    stems = {stem for stem in stems if len(stem) >= _LEAST}
    return frozenset(stems | {base for stem in stems if (base := _base(stem))})


def is_strong_form(word: str) -> bool:
    """Return whether a folded ``word`` is a form of a known strong verb."""
    return any(_base(stem) for stem in verb_roots(word)) or word in _BASE_OF


def _base(stem: str) -> str:
    for prefix in _PREFIXES:
        core = stem.removeprefix(prefix)
        if stem.startswith(prefix) and core in _BASE_OF:
            return f"{prefix}{_BASE_OF[core]}"
    return ""


def parts_of(compound: str, first: str, second: str) -> bool:
    """Return whether a ``compound`` is made of two nouns: "Hafenbehörde" of "Hafen" and "Behörde", or of "Hafens"."""
    whole, tail = fold(compound), fold(second)
    for end in _noun_roots(tail):
        for stem in _noun_roots(fold(first)):
            if re.fullmatch(rf"{re.escape(stem)}(?:s|es|n|en|er|e|ns)?{re.escape(end)}(?:e?[ns]|e)?", whole):
                return True
    return False
