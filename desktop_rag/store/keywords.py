"""Texts and questions as words for the full-text index: identifiers whole, accents folded, CJK in pairs.

The index splits what these functions return at white space, stems it in English and drops English stop words. What
German, French and Spanish need is added here: stems beside the words, and questions without their function words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from desktop_rag.core.languages import function_words, language_of
from desktop_rag.store.stems import stems

_LONGEST_WORD = 40
_LONGEST_PREFIX = 5
_MOST_QUERY_WORDS = 200

_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_APOSTROPHES = re.compile("[\u2018\u2019\u02bc\uff07]")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_SEPARATORS = re.compile(r"[-./_:,'&+@#]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"\d+\.\d+")
_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_BETWEEN_PREFIX_AND_NUMBER = re.compile(r"\.?\s?")

# Scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana, Han and Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
)
_RUNS = re.compile(f"([{_UNSPACED}]+)|([^{_UNSPACED}]+)")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question looks for, each word once, with blanks between: stems where they differ, and those words whole.

    A passage whose language could not be told has no stems, so the whole words are needed too.
    """

    words: str
    whole: str = ""


def index_text(title: str, heading: Iterable[str], text: str, language: str = "") -> str:
    """Return the words under which an element is found: those of its title, headings and text, then their stems."""
    parts = (title, *heading, text)
    words = [word for part in parts for word in _words(part, asking=False)]
    return " ".join((*words, *(stem for part in parts for _, stem in stems(part, language))))


def wanted(query: str) -> Wanted:
    """Return the words that ``query`` looks for; without any when it has none."""
    language = language_of(query, least=1)
    words = list(dict.fromkeys(_words(query, asking=True)))
    if not language or language == "en":  # English is stemmed by the index, which also drops its function words
        return Wanted(" ".join(words[:_MOST_QUERY_WORDS]))
    words = [word for word in words if word not in function_words(language)] or words
    short = dict(stems(query, language))
    replaced = dict.fromkeys(short.get(word, word) for word in words)
    whole = (word for word in words if word in short)
    return Wanted(" ".join(list(replaced)[:_MOST_QUERY_WORDS]), " ".join(list(whole)[:_MOST_QUERY_WORDS]))


def _words(text: str, *, asking: bool) -> Iterator[str]:
    folded = _fold(text)
    before, end = "", 0
    for match in _word_pattern().finditer(folded):
        word = match.group()
        for unspaced, spaced in _RUNS.findall(word):
            yield from _pairs(unspaced, asking) if unspaced else _spellings(spaced.casefold())
        if _BETWEEN_PREFIX_AND_NUMBER.fullmatch(folded, end, match.start()) and _is_prefix(before, word, asking):
            yield _cut(f"{before.replace('.', '')}-{word}".casefold())
        before, end = word, match.end()


def _is_prefix(before: str, word: str, asking: bool) -> bool:
    """Whether two neighbours are one identifier, as in "P.L. 118-5"; people who ask may leave the capitals out."""
    letters = before.replace(".", "")
    short = letters.isalpha() and len(letters) <= _LONGEST_PREFIX
    return short and word[0].isdecimal() and (asking or letters.isupper())


def _spellings(word: str) -> Iterator[str]:
    """Yield a word and, for a compound, the ways in which it may be looked for: as a whole and by its parts."""
    if _THOUSANDS.fullmatch(word):
        yield _cut(word.replace(",", ""))
        return
    word = word.removesuffix("'s")
    parts = [part for part in _SEPARATORS.split(word) if part]
    if _ABBREVIATION.fullmatch(word):
        yield "".join(parts)
    elif len(parts) < 2 or _DECIMAL.fullmatch(word):
        yield _cut(word)
    else:
        yield _cut("".join(parts) if _HYPHENATED.fullmatch(word) else word)
        yield from (_cut(part) for part in parts if len(part) > 1)


def _pairs(run: str, asking: bool) -> Iterator[str]:
    """Yield overlapping pairs of characters; single ones are indexed too, and asked for only when alone."""
    if not asking or len(run) == 1:
        yield from run
    yield from (run[start : start + 2] for start in range(len(run) - 1))


def _cut(word: str) -> str:
    return word[:_LONGEST_WORD]


def _fold(text: str) -> str:
    text = _APOSTROPHES.sub("'", _DASHES.sub("-", _INVISIBLE.sub("", text)))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    r"""Return the pattern of words and compounds; ``\w`` alone would break Hindi words at their vowel signs."""
    marks = "".join(chr(code) for code in range(0x0370, 0x10000) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
    letter = f"[\\w{marks}]"
    joint = r"(?:[-./_:'&+@#]|(?<=\d),(?=\d))"
    return re.compile(f"{letter}+(?:{joint}{letter}+)*(?:(?<=[cC])(?:\\+\\+|#))?")
