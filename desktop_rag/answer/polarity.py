"""Which way a sentence points: negations, words and their opposites, "at least" against "at most"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from desktop_rag.answer.words import content_words, fold, stem, tokens

_NOT = re.compile(
    r"\b(?:not(?! only\b| (?:more|less|fewer|later|earlier|exceed\w*)\b)|no(?!\.|\s+(?:more|less|fewer|later|earlier)\b)"
    r"|cannot|never|none|neither|nor|nobody|nothing|nowhere|without|kein\w*|nicht(?! nur\b)|nie|niemals|ohne|weder)\b"
    r"|n't\b|ない|ません|(?<!\w)不(?=\w)"
)
_AS_IF_NOT = re.compile(
    r"\b(?:prohibit\w*|forbid\w*|forbade|bann?ed|bans?|unable|fail(?:s|ed|ing|ure)?|lack(?:s|ed|ing)?|refus\w+"
    r"|den(?:y|ies|ied)|impossible|unlawful|illegal|invalid|except(?:ing)?|exclud\w+|unless|untested|unsupported"
    r"|unavailable|unnecessary|absent|absence|free of|stop(?:s|ped)?|instead|rather than|verboten|unzulässig)\b"
)
_CLAUSE = re.compile(
    r"[;:()\n|]|,(?!\d)|(?<=\w)\.\s|\s[-–—]\s"
    r"|\b(?:but|while|whereas|although|though|because|and|or|which|aber|während|obwohl|weil|und|oder|sondern)\b"
)
_AT_MOST = re.compile(
    r"\b(?:at most|up to|no(?:t)? (?:more|later) than|(?:may |must |shall )?not exceed\w*|maximum(?: of)?|less than"
    r"|fewer than|under|below|within|höchstens|maximal|weniger als|bis zu|unter)\s+(?=[\w$€£.,]*\d|\w+)"
)
_AT_LEAST = re.compile(
    r"\b(?:at least|no(?:t)? (?:less|fewer|earlier) than|minimum(?: of)?|more than|over|above|exceed\w*|greater than"
    r"|mindestens|mehr als|über)\s+(?=[\w$€£.,]*\d|\w+)"
)

_OPPOSITES = """
increase/decrease increase/decline rise/fall rose/fell risen/fallen grow/shrink grew/shrank gain/loss up/down
above/below more/less more/fewer higher/lower high/low highest/lowest larger/smaller large/small largest/smallest
greatest/least most/least maximum/minimum long/short longer/shorter longest/shortest early/late earlier/later
earliest/latest before/after first/last start/end begin/end begins/ends opened/closed open/closed enable/disable
allow/prohibit allow/forbid permit/prohibit permit/forbid accept/reject approve/reject approve/deny pass/fail
include/exclude import/export imported/exported buy/sell win/lose won/lost north/south northern/southern east/west
eastern/western left/right men/women male/female man/woman boys/girls hot/cold warm/cold warmer/colder wet/dry full/empty
inside/outside internal/external public/private urban/rural old/new older/newer older/younger add/remove added/removed
true/false positive/negative surplus/deficit profit/loss assets/liabilities optional/mandatory optional/required
voluntary/mandatory temporary/permanent weekly/daily weekly/monthly daily/monthly monthly/yearly weekly/yearly
annual/monthly monday/tuesday same/different strong/weak stronger/weaker fast/slow faster/slower best/worst better/worse
improve/worsen upper/lower front/rear input/output encrypt/decrypt lock/unlock attach/detach land/water
clockwise/counterclockwise horizontal/vertical single/multiple known/unknown safe/unsafe supported/unsupported
steigen/fallen hoch/niedrig mehr/weniger größer/kleiner länger/kürzer vor/nach nord/süd warm/kalt erlaubt/verboten
"""


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _OPPOSITES.split():
        one, other = (stem(fold(word)) for word in pair.split("/"))
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSITE_OF = _opposites()


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a text with one thing to say: the stems of its content words, and whether it denies."""

    text: str
    words: frozenset[str]
    denied: bool
    half_denied: bool


def clauses(text: str) -> list[Clause]:
    """Return the clauses of ``text``; a fragment without two words of its own stays with the clause before it."""
    borders = [0, *(match.start() for match in _CLAUSE.finditer(fold_same_length(text))), len(text)]
    pieces: list[str] = []
    for start, end in zip(borders, borders[1:], strict=False):
        piece = text[start:end]
        if pieces and (len(content_words(piece)) < 2 or len(content_words(pieces[-1])) < 2):
            pieces[-1] += piece
        elif piece.strip():
            pieces.append(piece)
    return [_clause(piece) for piece in pieces]


def fold_same_length(text: str) -> str:
    """Return ``text`` in lower case with every character still at its place."""
    return "".join(lower if len(lower := char.lower()) == 1 else char for char in text).replace("’", "'")


def contradiction(sentence: str, evidence: str) -> str:
    """Return why ``sentence`` points the other way than ``evidence``, or "" when it does not."""
    theirs = clauses(evidence)
    for clause in clauses(sentence):
        nearest = _nearest(clause, theirs)
        if nearest and clause.denied and not (nearest.denied or nearest.half_denied):
            return "it denies what the evidence says"
        if nearest and nearest.denied and not (clause.denied or clause.half_denied):
            return "it says what the evidence denies"
    denies = any(clause.denied or clause.half_denied for clause in clauses(sentence))
    if denies == any(clause.denied or clause.half_denied for clause in theirs):
        opposite = _opposite(sentence, evidence)
        if opposite:
            return opposite
    return _bounds(sentence, evidence)


def _clause(text: str) -> Clause:
    folded = fold(text)
    return Clause(text, frozenset(content_words(text)), bool(_NOT.search(folded)), bool(_AS_IF_NOT.search(folded)))


def _nearest(clause: Clause, others: list[Clause]) -> Clause | None:
    """Return the clause that shares most words with ``clause``; of equals, one that denies as it does."""
    scored = [
        (len(clause.words & other.words), (other.denied or other.half_denied) == (clause.denied or clause.half_denied), at)
        for at, other in enumerate(others)
    ]
    best = max(scored, default=(0, False, 0))
    return others[best[2]] if best[0] else None


def _opposite(sentence: str, evidence: str) -> str:
    said = [(token, stem(token)) for token in tokens(sentence)]
    known = {stem(token) for token in tokens(evidence)}
    ours = {word for _, word in said}
    for token, word in said:
        against = _OPPOSITE_OF.get(word, frozenset()) & known - ours
        if word not in known and against:
            return f"it says '{token}' where the evidence says the opposite"
    return ""


def _bounds(sentence: str, evidence: str) -> str:
    """Return why a limit ("at least", "up to") of ``sentence`` is not the evidence's, or ""."""
    ours, theirs = fold(sentence), fold(evidence)
    for name, mine, opposite in (("an upper", _AT_MOST, _AT_LEAST), ("a lower", _AT_LEAST, _AT_MOST)):
        for match in mine.finditer(ours):
            value = re.match(r"\W*([\d.,]*\d)", ours[match.end() :])
            if value and not _bounded(mine, value[1], theirs):
                other_way = _bounded(opposite, value[1], theirs)
                return f"{name} limit of {value[1]} is {'the other way round' if other_way else 'not'} in the evidence"
    return ""


def _bounded(pattern: re.Pattern[str], value: str, text: str) -> bool:
    return any(re.match(rf"\W*{re.escape(value)}(?!\d)", text[match.end() :]) for match in pattern.finditer(text))
