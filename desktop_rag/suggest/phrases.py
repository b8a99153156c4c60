"""Which words of a document can stand in a question: headings, titles and labels that are whole and say something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import PurePath

from desktop_rag.answer.followup import leans_back
from desktop_rag.core.words import content_words, fold, is_cjk, tokens
from desktop_rag.suggest.language import Wording

_NUMBERING = re.compile(
    r"^(?:(?:q|f|question|frage)\s*\d*\s*[.:)]|§+\s*\d+\w?\b|(?:\d+|[A-Z]|[IVX]+)(?:\.\d+)*[.)]|\d+(?:\.\d+)+|\d+)\s+",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")
_FOOTNOTE = re.compile(r"(?<=\w)\s?[*†‡¹²³⁴⁵]+$")
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")
_ENDING = re.compile(r"\.\w{2,4}$")
_PRODUCER = re.compile(r"^Microsoft (?:Word|PowerPoint|Excel) - ", re.IGNORECASE)
_PARTICIPLE = re.compile(r"\w{4}ed$")
_SMALL = frozenset(["&", "/", "-", "–"])
_QUESTION_WORDS = range(3, 17)
_QUESTION_LETTERS = range(5, 41)
"""Of a question in a script without spaces."""
_HEADING_WORDS = range(2, 9)
_LABEL_WORDS = range(1, 7)
_CAPTION_WORDS = range(3, 11)
_TITLE_WORDS = range(2, 10)
_ACRONYM = 4
"""Letters of a word in capitals that may be one."""
_LONGEST_TITLE = 70
"""Characters."""


def as_question(line: str) -> str:
    """Return ``line`` without its numbering if it is a question that can be understood by itself, else ""."""
    text = _NUMBERING.sub("", " ".join(line.split())).lstrip("-•– ")
    if not text.endswith(("?", "？")) or len(re.findall(r"[?？;]", text)) > 1 or "…" in text or "__" in text:
        return ""
    words = text.split()
    cjk = is_cjk(next(iter(tokens(text)), ""))
    fits = len(text) in _QUESTION_LETTERS if cjk else len(words) in _QUESTION_WORDS
    begins = cjk or words[0].lstrip('¿“"„«»').removeprefix("L'")[:1].isupper()
    shouts = text.isupper() and not cjk
    if not fits or not begins or shouts or leans_back(text) or (not cjk and len(content_words(text)) < 2):
        return ""
    return text


def clean_heading(heading: str, wording: Wording, names: AbstractSet[str]) -> str:
    """Return ``heading`` as it can stand after "about", or "" if it cannot.

    ``names`` are words that the document writes large within its sentences: they keep their capital here.
    """
    text = _plain(heading)
    words = [word.strip(",;") for word in text.split()]
    folded = [fold(word) for word in words]
    if len(words) not in _HEADING_WORDS or not all(map(_is_wordlike, words)) or ";" in text or _shouts(words):
        return ""
    opened = folded[0] in wording.openers
    if (
        fold(text) in wording.boilerplate
        or folded[0] in wording.no_beginning
        or (not opened and not wording.finite.isdisjoint(folded))
        or (wording.before_article and not opened and folded[1] in wording.articles and not folded[0].endswith("ing"))
        or (folded[0].endswith("ed") and folded[1] in wording.no_beginning)
        or ("," in text and wording.conjunctions.isdisjoint(folded[:-2]))
        or text[-1] in ".:;,!?-"
        or (opened and len(words) == 2)
        or len(set(content_words(text))) < 2 - opened
    ):
        return ""
    return _in_sentence(text, wording, names)


def clean_subject(words: str, wording: Wording, names: AbstractSet[str]) -> str:
    """Return the subject of a sentence, with its article, as it can stand after "about", or "" if it cannot."""
    first, *rest = words.split()
    article = fold(first) in wording.articles
    nouns = rest if article else [first, *rest]
    blocked = wording.no_beginning | wording.finite | wording.openers | wording.articles
    named = all(noun[0].isupper() for noun in nouns)
    if not article and not named and (len(nouns) > 2 or _PARTICIPLE.search(nouns[-1])):
        return ""  # "operators programmed" is no thing
    if not blocked.isdisjoint(map(fold, nouns)) or not content_words(words) or _shouts(nouns) or len(nouns[-1]) < 3:
        return ""
    return f"{first.lower()} {' '.join(nouns)}" if article else _in_sentence(words, wording, names)


def clean_label(label: str, wording: Wording, names: AbstractSet[str]) -> str:
    """Return the label of a table's row or column, without its unit, as it can stand in a question, or ""."""
    text = _plain(_FOOTNOTE.sub("", _BRACKET.sub("", label)))
    words = [word.strip(",;") for word in text.split()]
    if len(words) not in _LABEL_WORDS or not all(map(_is_wordlike, words)) or not content_words(text):
        return ""
    folded = [fold(word) for word in words]
    finite = wording.finite & set(folded)
    if fold(text) in wording.boilerplate or folded[0] in wording.no_beginning or finite or len(text) < 4:
        return ""
    return "" if _shouts(words) else _in_sentence(text, wording, names)


def clean_caption(caption: str, wording: Wording) -> str:
    """Return a figure's caption as it can stand in quotes, or "" if it is none, or only its first line."""
    text = caption.strip().rstrip(".")
    words = text.split()
    whole = len(words) in _CAPTION_WORDS and not text[0].islower() and not re.search(r"[.*†‡‘»«\"“”|…]|\W$", text)
    last = fold(words[-1]) if whole else ""
    return "" if not whole or last in wording.no_beginning | wording.articles | wording.finite else text


def clean_title(title: str, file: str) -> str:
    """Return a document's title if people would call it so, else "": never the name of its ``file``."""
    text = _PRODUCER.sub("", " ".join(title.split())).strip()
    stem = PurePath(file).stem
    words = text.split()
    bare = re.sub(r"[\W_]+", "", fold(text))
    if (
        len(words) not in _TITLE_WORDS
        or len(text) > _LONGEST_TITLE
        or bare in (re.sub(r"[\W_]+", "", fold(stem)), "")
        or "_" in text
        or _ENDING.search(text)
        or not any(char.islower() for char in text)
        or len(content_words(text)) < 2
        or re.search(r"[‘»«“”\"|<>{}\\…]", text)
    ):
        return ""
    return text.rstrip(".:;,")


def names_in(text: str) -> frozenset[str]:
    """Return the words that ``text`` writes large in the middle of a sentence."""
    return frozenset(re.findall(r"(?<=[a-zß-ÿ,] )[^\W\d_a-zß-ÿ][^\W\d_]+", text))


def _plain(text: str) -> str:
    return _NUMBERING.sub("", " ".join(text.split())).strip(" :")


def _shouts(words: Sequence[str]) -> bool:
    """Return whether a third of several ``words`` or more is in capitals only, or the first one, if it is long."""
    capitals = sum(len(word) > 1 and word.isupper() for word in words)
    return len(words) > 1 and (3 * capitals >= len(words) or (words[0].isupper() and len(words[0]) > _ACRONYM))


def _is_wordlike(word: str) -> bool:
    return word in _SMALL or all(_WORD.fullmatch(part) for part in re.split(r"[/&]", word))


def _in_sentence(text: str, wording: Wording, names: AbstractSet[str]) -> str:
    """Return ``text`` with a small first letter where the language writes it so and it is no name or title."""
    first, *others = re.findall(r"[^\W\d_]+", text)
    name = first in names or first[1:] != first[1:].lower() or any(not word.islower() for word in others)
    return text if name or not wording.lower_case else text[0].lower() + text[1:]
