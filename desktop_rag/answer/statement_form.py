"""What a sentence of prose looks like: a statement about the documents, a bare answer, or neither."""

from __future__ import annotations

import re

from desktop_rag.answer.phrases import denies_an_answer, is_about_the_answer
from desktop_rag.answer.relevance import asks_for_a_number, is_bare_number
from desktop_rag.core.words import content_words, fold, tokens

_ASKS_FOR_SOMETHING = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|was|welche\w*|wer|wann|wo|wie|warum)\b"
)
_YEAR = re.compile(r"(?<![\w.,$€£-])(?:1[5-9]|20)\d\d(?![\w%]|[.,]\d)")
_ASKS_WHEN = re.compile(r"\b(?:when|since|until|till|(?:which|what) (?:\w+ )?(?:year|date|day|month)|wann|seit|bis)\b")
_TASK = re.compile(r"\[\w?\s*\]")
_SPLICED = re.compile(r"\b(?:is|are|was|were|that|by)\s+(?:The|An?|In|On|At|It|This|These|There|Our|We)\s+[a-zß-öø-ÿ]")
_FRAGMENT = re.compile(
    r"<!--|-->|…|\b(\w+ \w+)\b.*,\s\1\W*$|^[-–—]{2}|^[\d$€£].*\band (?:would|was|were|is|are|will|has|have|had)\b"
)
_HAS_A_SUBJECT = re.compile(
    r"^(?:it|he|she|they|this|these|we|er|sie|es)\b|\w{3,}ed\b"
    r"|\b(?:is|are|was|were|has|have|had|will|may|must|can|ist|sind|war|waren|hat|haben|wird|wurden?|muss|darf|kann)\b"
)
_GERMAN_CLAUSE = re.compile(r"^(?:Der|Die|Das|Ein|Eine|Keine?)\s[A-ZÄÖÜ]\w+\s[a-zäöüß]{2,}(?:t|te|en|ten)\b")
_BARE_WORDS = 2
_FEW_TOKENS = 4


def not_a_statement(text: str, question: str) -> str:
    """Return why ``text`` says nothing that an answer to ``question`` could be, or ""."""
    words = set(content_words(text))
    if not words:
        return "it says nothing"
    if denies_an_answer(text):
        return "it says that the documents do not answer"
    if is_about_the_answer(text) or text.endswith("?"):
        return "it speaks about the answer, not about the documents"
    if _alone(text):
        return "a single word is no statement"
    if is_bare_number(text) and not asks_for_a_number(question):
        return "a number alone does not answer the question"
    if _SPLICED.search(text) or _FRAGMENT.search(text):
        return "it is a piece of a sentence or of code"
    if _TASK.match(text):
        return "whether a task is done stands in its quote only"
    if words <= set(content_words(question)) and _ASKS_FOR_SOMETHING.search(fold(question)):
        return "it only repeats the question"
    return _another_year(text, question)


def _another_year(text: str, question: str) -> str:
    """Return what is wrong with a sentence about other years than the question's, unless it asks for a time."""
    asked, said = _years(question), _years(text)
    if not asked or not said or _ASKS_WHEN.search(fold(question)):
        return ""
    if any(year in asked or (len(asked) > 1 and min(asked) < year < max(asked)) for year in said):
        return ""
    return f"it speaks of {min(said)}, and the question of {min(asked)}"


def _years(text: str) -> set[int]:
    return {int(year) for year in _YEAR.findall(text)}


def _alone(text: str) -> bool:
    """Return whether ``text`` has fewer than two words of its own and no number or date."""
    return len(set(content_words(text))) < 2 and not any(char.isdigit() for char in text)


def lacks_a_subject(text: str) -> bool:
    """Return whether ``text`` is an answer of a few words without a verb: "900", "About 40 euros.", "Mr Okafor."."""
    short = is_bare(text) and len(tokens(text)) <= _FEW_TOKENS and not _says_of_a_subject(text)
    return short or is_bare_number(text)


def _says_of_a_subject(text: str) -> bool:
    return _HAS_A_SUBJECT.search(fold(text)) is not None or _GERMAN_CLAUSE.match(text) is not None


def is_bare(text: str) -> bool:
    """Return whether ``text`` has two words of its own at most, so that it may lack its subject."""
    return sum(not word[0].isdigit() for word in content_words(text)) <= _BARE_WORDS
