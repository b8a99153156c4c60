"""Whether a sentence says as it is what its evidence says with a reserve: a condition, a plan, a claim, a part only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop_rag.answer.polarity import Clause, clauses
from desktop_rag.core.words import STOP_WORDS, content_words, fold, stem

_PIECES = re.compile(r"[;\n|•]|(?<=\w[.!?])\s|(?<=[)\"”][.!?])\s")
_EXCEPT = re.compile(
    r"\b(?:unless|except\w*|exclud\w+|other than|apart from|but (?:not|without|only|no)|save for|with the exception"
    r"|ausser|bis auf (?:den|die|das|einen?|eine|wenige|zwei|drei)|es sei denn|sofern nicht|ausgenommen)\b"
)
_IF = re.compile(
    r"(?:(?<!as )(?<!even )\bif\b(?! (?:any|so)\b)|,? provided\b(?= (?:that|the|it|they|he|she|you|we|no)\b)"
    r"|\b(?:providing that|on condition|(?:as|so) long as|in case|in (?:the )?(?:case|event) of|in the event that"
    r"|subject to|only (?:with|when|after|if|where)|in (?:his|her|their|its) absence|wenn|falls|sofern|soweit"
    r"|vorausgesetzt|nur (?:mit|nach|wenn))\b)"
)
_SAID_AS_IF = re.compile(rf"{_IF.pattern}|\b(?:when|where|while|in (?:the|whose) absence|bei|bedeute\w*)\b")
_NOT_AFTER_ALL = re.compile(r"\bnot\b|n't\b|\b(?:no|nicht|kein\w*)\b")

_PLAN = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|expect(?:s|ed|ing)?|intend\w*|intention|propos\w+|forecasts?|projected|anticipat\w+"
    r"|envisag\w+|schedul\w+|aims?|aimed|hop(?:es?|ed|ing)|wants?|wanted|goals?|targets?|geplant\w*|plant|vorgesehen"
    r"|erwartet\w*|voraussichtlich|sollen|soll|angestrebt)\b"
)
_TO_COME = re.compile(r"\b(?:will|shall|would|should|going to|(?:is|are|be) to|to be|wird|werden|due|future)\b|'ll\b")
_WOULD = re.compile(r"\b(?:would|should)\b")
_CLAIM = re.compile(
    r"\b(?:suggest|claim|alleg|den(?:y|ies|ied)|doubt|believ|assum|argu|suspect|behaupt|vermut|bezweifel)\w*"
    r"\s+(?:that|whether|dass|ob)\b"
    r"|\b(?:alleged(?:ly)?|is said to|are said to|reportedly|supposedly|angeblich|it is (?:false|untrue|not true))\b"
)
_MAYBE = re.compile(
    r"\b(?:may(?! \d)|might|could|perhaps|possibly|likely|unlikely|probabl[ye]|seems?|seemed|appears? to|appeared to"
    r"|vielleicht|moglicherweise|wahrscheinlich|konnte)\b"
)
_AS_ALLOWED = re.compile(r"\b(?:can|allow\w*|permit\w*|possible|entitle\w*|able|option\w*|darf|durfen|kann|konnen)\b")
_MUST = re.compile(
    r"\b(?:must|shall|ha(?:ve|s|d) to|required?|requires|oblig\w+|mandatory|needs? to|compulsory|muss|mussen)\b"
)
_SHOULD = re.compile(r"\b(?:should|recommend\w*|soll(?:en|te|ten)?|empfohlen|empfiehlt)\b")
_NEED_NOT = re.compile(
    r"\b(?:need not|needn't|(?:do|does|did) not (?:have|need) to|(?:is|are) not required)\b"
    r"|\b(?:muss|mussen|brauch\w*)\b[^,.;]*\bnicht\b|\bnicht (?:notig|erforderlich|notwendig)\b"
)
_BEFORE_NOW = re.compile(r"\b(?:was|were|ha(?:s|ve|d) (?:been|\w+ed)|did|wurden?|hatten?)\b")
_ONLY_FOR = re.compile(
    r"\b(?:only|solely|nur|ausschliesslich)\b(?! (?:about |some |rund |etwa )?(?:-?\d|[a-z]+ (?:percent|of)\b))"
)
_ONLY_OTHERS = re.compile(r",\s(?:all|other|the|alle|andere|ubrige|der|die|das)\s(?:\w+\s){1,3}(?:only|nur)\b[^,;]*")
"""In "residents always, the others only from 6 to 8", what holds of the others alone."""
_MISSING = 4
"""A quarter of the words of a piece, left out, may have said for whom or what alone it holds."""
_AND = re.compile(r",?\s(?:and|und)\s")
_AFTER_COMMA = re.compile(r",\s(?:if|unless|except|provided|wenn|falls|sofern|ausser|es sei denn|but)\b")
_MOSTLY = re.compile(r"\b(?:usually|normally|generally|typically|preferably|ideally|gewohnlich|meistens|moglichst)\b")
_SAID_MOSTLY = re.compile(rf"{_MOSTLY.pattern}|\b(?:most\w*|often|mainly|should|can|may)\b")
_SHARES = (
    "most some few fewer several many half halves third thirds quarter quarters majority minority part parts none no "
    "percent nearly almost keine meisten einige wenige viele halfte drittel viertel"
)
_SHARE_WORDS = frozenset(_SHARES.split())
_SHARE = re.compile(
    r"(?:\b(?P<share>most|some|few|several|half|thirds?|quarters?|majority|minority|parts?|percent|meisten|einige)|%)\s+"
    r"(?:(?:of|der)\s+)?(?:(?:the|all|its|their|these|our|his|her)\s+)?(?P<noun>[^\W\d_]{3,})"
)
_SUBJECT_WORDS = 3
"""Content words at the beginning of a sentence among which its subject is looked for."""


def unsaid_reserve(sentence: str, evidence: str) -> str:
    """Return what ``sentence`` leaves out or changes of the reserve under which ``evidence`` says it, or "".

    "Work at home is allowed, unless a visit is planned" does not carry "Work at home is allowed", nor "a visit is
    planned"; "is planned for 2026" does not carry "was built in 2026", nor "may help" "helps".
    """
    return (
        _dropped_condition(sentence, evidence)
        or _changed_mood(sentence, evidence)
        or _dropped_share(sentence, evidence)
    )


def nearest_pieces(sentence: str, evidence: str, between: re.Pattern[str] = _PIECES) -> list[str]:
    """Return the pieces of ``evidence`` that share most words with ``sentence``; several where they tie.

    What stands ``between`` pieces are ends of sentences, semicolons and the like, unless told otherwise.
    """
    words = set(content_words(sentence))
    pieces = [piece for piece in between.split(evidence) if piece.strip()]
    shared = [len(words & set(content_words(piece))) for piece in pieces]
    most = max(shared, default=0)
    return [piece for piece, count in zip(pieces, shared, strict=True) if count == most] if most else []


def _dropped_condition(sentence: str, evidence: str) -> str:
    said = fold(sentence)
    pieces = [_without_other_parts(fold(piece), said) for piece in nearest_pieces(sentence, evidence)]
    if len(pieces) > 1:
        last = content_words(sentence)[-1]
        pieces = [piece for piece in pieces if last in content_words(piece)] or pieces
    if pieces and not _ONLY_FOR.search(said) and all(_lost_only(piece, said) for piece in pieces):
        return "it leaves out for whom or what alone the evidence says so"
    if pieces and all(_EXCEPT.search(piece) for piece in pieces):
        turned = _IF.search(said) and _NOT_AFTER_ALL.search(said)
        if not _EXCEPT.search(said) and not turned:
            return "it leaves out the exception that the evidence makes"
    if pieces and all(_IF.search(piece) for piece in pieces) and not _SAID_AS_IF.search(said):
        return "it leaves out the condition that the evidence has"
    return ""


def _without_other_parts(piece: str, said: str) -> str:
    """Return ``piece`` without the part behind "and" whose own condition does not bear on what is ``said``.

    "She votes last, and decides in case of a tie" has a condition for the second part only.
    """
    parts = _AND.split(piece)
    words = set(content_words(said))
    kept = [
        part
        for at, part in enumerate(parts)
        if not at or words & set(content_words(part)) - set(content_words(parts[0])) or _AFTER_COMMA.search(part)
    ]
    return " and ".join(kept)


def _lost_only(piece: str, said: str) -> bool:
    ours = set(content_words(said))
    for others in _ONLY_OTHERS.findall(piece):
        piece = piece if ours & set(content_words(others)) else piece.replace(others, "")
    words = set(content_words(piece))
    missing = words - set(content_words(said))
    return _ONLY_FOR.search(piece) is not None and _MISSING * len(missing) >= len(words)


def _changed_mood(sentence: str, evidence: str) -> str:
    theirs = clauses(evidence)
    for clause in clauses(sentence):
        near = _nearest(clause, theirs)
        said = _plain(clause.text)
        whole = _plain(sentence)
        if not near:
            continue
        reason = _changed_duty(said, near)
        if reason:
            return reason
        if not _reserved(whole) and all(_PLAN.search(one) for one in near):
            return "it says as a fact what the evidence says of a plan or expectation"
        if not _is_possible(whole) and all(_CLAIM.search(one) or _MAYBE.search(one) for one in near):
            return "it says as a fact what the evidence says as a claim or possibility"
        if not _SAID_MOSTLY.search(whole) and all(_MOSTLY.search(one) for one in near):
            return "it says of every case what the evidence says of most"
        if _BEFORE_NOW.search(said) and not _reserved(said) and all(_is_to_come(one) for one in near):
            return "it says as done what the evidence says of the future"
        if _TO_COME.search(said) and not _MUST.search(said) and all(_is_done(one) for one in near):
            return "it says of the future what the evidence says as done"
    return ""


def _plain(text: str) -> str:
    """Return the folded ``text`` without the month of May, which is no possibility."""
    return fold(re.sub(r"\bMay\b", "", text))


def _nearest(clause: Clause, others: Sequence[Clause]) -> list[str]:
    """Return the folded texts of the clauses that share most words with ``clause``."""
    shared = [len(clause.words & other.words) for other in others]
    most = max(shared, default=0)
    return [_plain(other.text) for other, count in zip(others, shared, strict=True) if count == most] if most else []


def _reserved(text: str) -> bool:
    return any(form.search(text) for form in (_PLAN, _TO_COME, _CLAIM, _MAYBE, _AS_ALLOWED))


def _is_possible(text: str) -> bool:
    forms = (_PLAN, _CLAIM, _MAYBE, _AS_ALLOWED, _WOULD)
    return any(form.search(text) for form in forms)


def _is_to_come(text: str) -> bool:
    return bool(re.search(r"\b(?:will|wird|werden)\b", text)) and not _BEFORE_NOW.search(text)


def _is_done(text: str) -> bool:
    return bool(_BEFORE_NOW.search(text)) and not (_TO_COME.search(text) or _PLAN.search(text))


def _changed_duty(said: str, near: list[str]) -> str:
    if _NEED_NOT.search(said):
        return "" if any(_NEED_NOT.search(one) for one in near) else "it says 'need not', which the evidence does not"
    if _NOT_AFTER_ALL.search(said):
        needless = all(_NEED_NOT.search(one) for one in near)
        return "it forbids what the evidence says need not be done" if needless else ""
    duty, leave = _MUST.search(said), _AS_ALLOWED.search(said) or re.search(r"\bmay\b(?! \d)", said)
    if duty and not leave and all(_SHOULD.search(one) and not _MUST.search(one) for one in near):
        return "it makes a duty of what the evidence recommends"
    if duty and not leave and all(_allows(one) and not _MUST.search(one) for one in near):
        return "it makes a duty of what the evidence allows"
    if leave and not duty and all(_MUST.search(one) and not _allows(one) for one in near):
        return "it makes a permission of what the evidence demands"
    return ""


def _allows(text: str) -> bool:
    return bool(_AS_ALLOWED.search(text) or re.search(r"\bmay\b(?! \d)", text))


def _dropped_share(sentence: str, evidence: str) -> str:
    """Return why ``sentence`` says of all what ``evidence`` says of a part, or ""."""
    said = fold(sentence)
    if _SHARE_WORDS.intersection(re.findall(r"[^\W\d_]+", said)) or "%" in said:
        return ""
    subject = content_words(sentence)[:_SUBJECT_WORDS]
    for piece in map(fold, nearest_pieces(sentence, evidence)):
        for match in _SHARE.finditer(piece):
            noun = stem(match["noun"])
            elsewhere = content_words(piece).count(noun) > 1
            if match["noun"] not in STOP_WORDS and noun in subject and not elsewhere:
                return f"it says of all '{match['noun']}' what the evidence says of a part"
    return ""
