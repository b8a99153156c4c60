"""What language models say around an answer: citation marks, introductions, and talk about the answer itself."""

from __future__ import annotations

import re

_MARK = re.compile(
    r"\s*[\[【(](\d{1,2}(?:\s*[,;]\s*\d{1,2})*)[\]】)](?!\d)|\s*\[(?:quote|source)s?\s*(\d{1,2})\]", re.IGNORECASE
)
_CUT_MARK = re.compile(r"\s*[\[【]\d{0,2}[,\s\d]*$")
"""A citation mark that the end of the token budget cut off."""
_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|\(?\d{1,2}[.)]\s+|#+\s+)")
_SOURCES = r"(?:evidence|quotes?|documents?|text|passages?|information|contexts?|sources?|excerpts?|data)"
_ONES = r"(?:the |these |this |all )?(?:provided |given |above |numbered |following |available )*"
_INTRODUCTION = re.compile(
    rf"^(?:(?:based (?:up)?on|according to|as (?:stated|mentioned|described|noted|shown|per)(?: (?:in|by))?"
    rf"|per|from|in) {_ONES}{_SOURCES}(?: (?:provided|given|above|below))?\s*[,:]\s*"
    rf"|(?:the )?(?:short |final |correct )?answer(?: to (?:the|your|this) question)?(?:\s*:|\s+is(?: that|:)?)\s+"
    rf"|{_ONES}{_SOURCES}(?:\s*\d+)? (?:says?|states?|shows?|mentions?|indicates?|tells?)(?: us)? that\s+"
    rf"|(?:nach|laut) (?:den|dem|der) (?:Dokument\w*|Zitat\w*|Text\w*)[,:]?\s*)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    rf"\b(?:as an ai|language model|i(?:'m| am| can| cannot| can't| hope| do not| don't| would| will|'ll)\b"
    rf"|let me\b|let's\b|here (?:is|are) (?:the|a|an|some)\b|this (?:answer|response|question)\b"
    rf"|please (?:note|refer|see)\b"
    rf"|in (?:conclusion|summary)\b|the (?:user|question|answer)\b|(?:hope|note) (?:this|that)\b|feel free\b"
    rf"|^(?:the |these |this )?(?:provided |given |above |numbered )*{_SOURCES}"
    rf" (?:provides?|contains?|gives?|offers?|answers?|are|is|can|do|does)\b"
    r"|numbered quotes?\b|ignore (?:all|previous)\b)",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"\bnot (?:(?:found|stated|mentioned|specified|provided|given|included|contained|available|answered) )*"
    rf"(?:in|by|from) {_ONES}{_SOURCES}\b"
    rf"|{_SOURCES} (?:do|does) not (?:\w+ )?(?:say|mention|contain|provide|state|answer|specify|include|give|tell)"
    r"|\b(?:there is )?no (?:information|mention|answer) (?:about|on|of|for|in|to|regarding|is)\b"
    r"|^(?:there is )?no evidence (?:about|on|of|for|in|to|regarding|is)\b"
    r"|\bnicht in den (?:Dokumenten|Zitaten)\b",
    re.IGNORECASE,
)


def cited_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of the citation marks of ``text`` ("[1]", "[1, 2]", "[quote 3]"), each once, in order.

    A number in round brackets is a citation only right at the end of the sentence, as "(2)".
    """
    numbers: list[int] = []
    for match in _marks(text):
        numbers.extend(int(number) for number in re.findall(r"\d+", match.group()))
    return tuple(dict.fromkeys(numbers))


def plain_sentence(draft: str) -> str:
    """Return ``draft`` without citation marks, list bullets, introductions and bold marks, beginning with a capital."""
    text = draft
    for match in reversed(_marks(draft)):
        text = text[: match.start()] + text[match.end() :]
    text = re.sub(r"\s+", " ", _CUT_MARK.sub("", text.replace("**", ""))).strip()
    text = _BULLET.sub("", text)
    shorter = _INTRODUCTION.sub("", text)
    if shorter != text and shorter:
        text = shorter[0].upper() + shorter[1:]
    if len(text) > 2 and text[0] in '"“„' and text[-1] in '"”“':
        text = text[1:-1]
    return text.strip()


def is_about_the_answer(text: str) -> bool:
    """Return whether ``text`` speaks about the answer or its writer instead of the subject."""
    return _ABOUT.search(text) is not None


def denies_an_answer(text: str) -> bool:
    """Return whether ``text`` says that the documents do not hold the answer."""
    return _NO_ANSWER.search(text) is not None


def _marks(text: str) -> list[re.Match[str]]:
    return [
        match for match in _MARK.finditer(text) if "(" not in match.group() or not text[match.end() :].strip(" .!?")
    ]
