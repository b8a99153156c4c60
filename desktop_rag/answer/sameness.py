"""Whether two questions ask the same: decided by rules, so that "delete" is never taken for "update"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from desktop_rag.answer.facts import find_names
from desktop_rag.core.words import fold, tokens

_ADJECTIVE = "high|large|big|long|far|thick|deep|old|wide|heavy|tall|hoch|alt|lang|gross|weit|tief"
_KINDS = (
    ("count", r"how many|(?:what|which) (?:is the )?numbers? of|wie ?viele"),
    ("amount", r"how much(?: money)?|(?:what|which) amount of|wie ?viel"),
    ("often", r"how often|wie oft"),
    ("extent", rf"(?:how|wie)(?= (?:{_ADJECTIVE})\b)"),
    ("when", r"when|(?:(?:at|in|on) )?(?:what|which) (?:time|year|date|day)|wann|in welchem jahr"),
    ("where", r"where|(?:in|at) (?:what|which) place|wo"),
    ("why", r"why|what is the reason that|warum"),
    ("who", r"(?:by |to |from |with |for )?(?:who|whom|whose)|(?:by )?which (?:person|people)|wer|wen|wem|wessen"),
    ("how", r"how|(?:in|by) (?:what|which) (?:way|means)|wie"),
    ("what", r"what|which|was|welche[rnsm]?"),
)
_KIND = tuple((name, re.compile(rf"\b(?:{pattern})\b")) for name, pattern in _KINDS)
_ALIKE = ({"what", "amount"}, {"what", "count"})
_VERB_FIRST = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had"
    r"|ist|sind|hat|haben|kann|darf|muss|wird|werden)\b"
)
_EMPTY = """
    a an the of in on at by for with is are was were be been being do does did done has have had will would it its
    that there and i you we one me us my our your please
    der die das den dem des ein eine einen einem einer im in am an auf bei mit ist sind war waren wird wurde wurden
    werden hat haben hatte man es und ich wir
"""
_EMPTY_WORDS = frozenset(_EMPTY.split())
"""Words that come and go with the phrasing. Everything else must be the same: "with" goes, "without" stays."""
_HAVE_TO = re.compile(r"\b(?:have|has|had) to\b")
_ONE_FORM = {"may": "can", "could": "can", "might": "can", "shall": "must", "muss": "must", "darf": "can"}
_ENDINGS = ("ing", "ed", "es", "s", "e")
_SIGN = re.compile(r"""[^\w\s?.,;:!'"’()/-]""")
_ASKS_OBJECT = re.compile(r"\b(?:do|does|did)\b")


@dataclass(frozen=True, slots=True)
class _Question:
    """What must agree: the kind of question, its words without order, its names in their order.

    ``signs`` are its other characters, for C++ is not C#. ``turned`` tells "who did X meet" from "who met X".
    """

    kind: str
    words: tuple[str, ...]
    names: tuple[str, ...]
    signs: str
    turned: bool


def same_question(one: str, other: str) -> bool:
    """Return whether two questions can only have the same answer.

    Rather no than a wrong yes: kind of question, all words but the emptiest, numbers, and names with their order must
    be the same. Only the order of the other words, their endings, and how the question word is put may differ.
    """
    if plain_question(one) == plain_question(other):
        return True
    first, second = _read(one), _read(other)
    return (
        bool(first.words)
        and first.words == second.words
        and first.names == second.names
        and first.signs == second.signs
        and first.turned == second.turned
        and _same_kind(first.kind, second.kind)
    )


def plain_question(question: str) -> str:
    """Return ``question`` in lower case, with single spaces and without the mark at its end."""
    return " ".join(fold(question).split()).rstrip(" ?.!")


@lru_cache(maxsize=4096)
def _read(question: str) -> _Question:
    kind, rest = _kind(_HAVE_TO.sub("must", " ".join(fold(question).split())))
    found = [_ONE_FORM.get(token, token) for token in tokens(rest) if token not in _EMPTY_WORDS]
    words = sorted(_without_ending(token) for token in found if (kind, token) != ("how", "can"))
    turned = kind == "who" and _ASKS_OBJECT.search(fold(question)) is not None
    return _Question(kind, tuple(words), tuple(find_names(question)), "".join(_SIGN.findall(question)), turned)


def _without_ending(word: str) -> str:
    """Return ``word`` without the endings of verbs and plurals only: a trainer is not a train."""
    for ending in _ENDINGS:
        if word.isalpha() and word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


def _kind(plain: str) -> tuple[str, str]:
    """Return the kind, by the question word that comes first, and the question without that word."""
    if _VERB_FIRST.match(plain.rsplit(", ", 1)[-1]):
        return "whether", plain
    found = [
        (match.start(), rank, name, match.end())
        for rank, (name, pattern) in enumerate(_KIND)
        if (match := pattern.search(plain))
    ]
    if not found:
        return "", plain
    start, _, name, end = min(found)
    return name, f"{plain[:start]} {plain[end:]}"


def _same_kind(one: str, other: str) -> bool:
    return bool(one) and (one == other or {one, other} in _ALIKE)
