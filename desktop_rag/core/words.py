"""Words as search and the checks of answers compare them: folded, without endings, weighted by rarity."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])\w)+(?:[-./:#'’](?:(?![{_CJK}])\w)+)*")
_CJK_RUN = re.compile(rf"[{_CJK}]+")
_PART = re.compile(r"\w+")

_STOP = """
    a about according after again all also am an and any are as asked at be because been before being between both but
    by can could did do does doing done during each either else ever every for from further get gets give given gives
    go goes going had has have having he her here hers him his how i if in into is it its itself just let lets like
    list made make many may me might more most much must my name no nor not now of off often on once one only or other
    others our ours out over own per please s said same say says shall she should show so some such t tell than that
    the their theirs them then there these they this those through thus to too under until up upon us used using very
    via was we were what when where whether which while who whom whose why will with within without would yes yet you
    never cannot none neither nobody nothing nowhere nie niemals ohne weder keine keinen keiner keines
    your yours found state stated states mention mentioned described describe called
    aber als am an auch auf aus bei beim bis da damit dann das dass dem den der des die dies diese dieser dieses doch
    du durch ein eine einem einen einer eines er es für gegen gibt hat hatte haben hier ich ihr ihre im in ins ist ja
    kann kein keine mit nach nicht noch nur oder ob pro sein seine sich sie sind so und uns vom von vor wann war waren
    warum was wenn wer werden wie wieviel wird wo wurde wurden zu zum zur über
"""
STOP_WORDS = frozenset(_STOP.split())
"""Words that carry no content of their own, folded; English and German."""

_SUFFIXES = (
    ("ational", "at"), ("ization", "iz"), ("isation", "iz"), ("fulness", "ful"), ("ousness", "ous"),
    ("iveness", "iv"), ("ements", ""), ("ments", ""), ("ement", ""), ("ment", ""), ("ations", "at"), ("ation", "at"),
    ("ings", ""), ("ing", ""), ("ities", ""), ("ity", ""), ("iest", "i"), ("ies", "i"), ("ied", "i"), ("ions", ""),
    ("ion", ""), ("ness", ""), ("edly", ""), ("ely", ""), ("ally", "al"), ("ily", "i"), ("ly", ""), ("ed", ""),
    ("ers", ""), ("er", ""), ("ors", ""), ("or", ""), ("ates", "at"), ("ate", "at"), ("es", ""), ("s", ""), ("e", ""),
    ("y", "i"),
)  # fmt: skip


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Return ``text`` in lower case, without accents, with plain quotes and dashes."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = plain.replace("’", "'").replace("‘", "'").translate(_DASHES)
    return unicodedata.normalize("NFC", plain)


_DASHES = {ord(dash): "-" for dash in "‐‑‒–—−"}


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the folded ``word`` without its ending: a light stemmer, enough to compare words with each other."""
    if not word.isalpha() or len(word) < 4:
        return word
    for suffix, instead in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: len(word) - len(suffix)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word


def tokens(text: str) -> list[str]:
    """Return the folded tokens of ``text`` in order: words, numbers, and identifiers such as "dh-06-12" as one token.

    Runs of Chinese, Japanese and Korean characters, which have no spaces, become overlapping pairs.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(fold(text)):
        token = match.group()
        if _CJK_RUN.fullmatch(token):
            found.extend(token[i : i + 2] for i in range(max(1, len(token) - 1)))
        else:
            found.append(token.removesuffix("'s"))
    return found


def is_cjk(token: str) -> bool:
    """Return whether ``token`` is written in Chinese, Japanese or Korean characters."""
    return _CJK_RUN.fullmatch(token) is not None


def is_identifier(token: str) -> bool:
    """Return whether a folded token names one thing: it has a digit and a letter, or digits in several parts."""
    if not any(char.isdigit() for char in token):
        return False
    return any(char.isalpha() for char in token) or len(re.findall(r"\d+", token)) > 2 or "-" in token


def content_words(text: str) -> list[str]:
    """Return the stems of the words of ``text`` that carry content, in order; identifiers also by their parts."""
    found: list[str] = []
    for token in tokens(text):
        parts = [token] if token.isalnum() else [token, *_PART.findall(token)]
        found.extend(stem(part) for part in parts if part not in STOP_WORDS and (len(part) > 1 or part.isdigit()))
    return found


def rarity(texts: Iterable[Iterable[str]]) -> Mapping[str, float]:
    """Return the inverse document frequency ln(1 + N / n) of each word, where n of N ``texts`` have it."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(set(text))
        total += 1
    return {word: math.log(1 + total / count) for word, count in counts.items()}


def run_on(text: str, most_lines: int = 3) -> str:
    """Return ``text`` for showing: where it has more than ``most_lines``, as the labels of a figure, dots part them."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return (" · " if len(lines) > most_lines else "\n").join(lines)
