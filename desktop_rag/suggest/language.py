"""How questions are worded in a language, and which words of it cannot stand in one: ``templates.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from desktop_rag.core.paths import resource
from desktop_rag.core.words import fold

_LISTS = (
    "articles",
    "openers",
    "boilerplate",
    "finite",
    "no_beginning",
    "defines",
    "months",
    "captions",
    "conjunctions",
)


@dataclass(frozen=True, slots=True)
class Wording:
    """The templates of one language and its lists of folded words; the file says what each is for."""

    section: str
    section_alone: str
    value: str
    year: str
    definition: str
    figure: str
    lower_case: bool
    subject: str
    before_article: bool
    articles: frozenset[str]
    openers: frozenset[str]
    boilerplate: frozenset[str]
    finite: frozenset[str]
    no_beginning: frozenset[str]
    defines: frozenset[str]
    months: frozenset[str]
    captions: frozenset[str]
    conjunctions: frozenset[str]


@lru_cache(maxsize=1)
def wordings() -> Mapping[str, Wording]:
    """Return the wording of each language that has one, by its code of ISO 639-1."""
    said = tomllib.loads(resource("suggestions", "templates.toml").read_text(encoding="utf-8"))
    return {language: _wording(told) for language, told in said.items()}


def _wording(told: Mapping[str, Any]) -> Wording:
    return Wording(**{**told, **{name: frozenset(map(fold, told[name])) for name in _LISTS}})
