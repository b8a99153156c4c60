"""Whether who does something, is something or has more of it in a sentence is who does so in its evidence."""

from __future__ import annotations

import re

from desktop_rag.answer.conditions import nearest_pieces
from desktop_rag.answer.dates import find_dates
from desktop_rag.answer.facts import find_names
from desktop_rag.answer.german import is_german
from desktop_rag.answer.german_actors import turned_deed
from desktop_rag.core.words import STOP_WORDS, content_words, fold, stem, tokens

_NAME = r"[^\W\d_a-zß-öø-ÿ][\w'’&-]*(?:\s+(?:&\s+)?[^\W\d_a-zß-öø-ÿ][\w'’&.-]*){0,4}"
_HELPERS = r"(?:has|have|had|also|is|are|was|were|will|may|must|can|been|be|being|not|then|first|\w+ly)"
_BE = re.compile(r"\b(?:is|are|was|were|been|be|being)\b")
_DOES = re.compile(
    rf"^(?:(?:In|On|Since|By) [^,]{{2,30}}, )?(?:(?:[Tt]he|An?|Mr|Mrs|Ms|Dr)\.?\s+)?(?P<name>{_NAME})\s+"
    rf"(?P<helpers>(?:{_HELPERS}\s+)*)(?P<verb>[a-zß-öø-ÿ]{{3,}})\b(?P<rest>.*)"
)
_IS_OF = re.compile(
    rf"^(?P<who>{_NAME})\s+(?:is|was|ist|war)\s+(?:the|an?|der|die|das)\s+(?P<role>[^\W\d_][\w -]{{2,40}}?)"
    rf"\s+(?:of|to|von)\s+(?:the\s+)?(?P<whom>{_NAME})"
)
_THAN = re.compile(
    r".*\b(?P<word>more|less|fewer|[a-z]{3,}er|better|worse)\b[^.;]*?\bthan\b"
    r"|.*\b(?P<wort>mehr|weniger|[a-z]{3,}er)\b[^.;]*?\bals\b"
)
_BORDER = re.compile(r"[.;:]\s|[;:]|,\s(?:but|while|and)\s|\b(?:but|while)\b")
_ONLY = re.compile(r"\b(?:only|nur)\s+(?:the\s+|on\s+|in\s+|for\s+|to\s+|at\s+|with\s+)*(?P<what>[^\W\d_]+)")
_CALLED = re.compile(
    r"\b(?:called|named|known as|termed|labell?ed(?: as)?|referred to as|nicknamed)\s+"
    r"(?:the\s+|an?\s+)?[\"'“„]?(?P<what>[^\W\d_]+)"
)
_AGENT = re.compile(r"(?:er|or)s?$")
_PATIENT = re.compile(r"ees?$")
_LEAST_OF_A_PERSON = 6
"""Letters of "lender" or "lessee": shorter words with such endings are seldom persons."""


def changed_actor(sentence: str, evidence: str) -> str:
    """Return whom or what ``sentence`` puts in the place of another of ``evidence``, or ""."""
    who = turned_deed if is_german(sentence, evidence) else _changed_subject
    return (
        who(sentence, evidence)
        or _turned_relation(sentence, evidence)
        or _turned_comparison(sentence, evidence)
        or _moved_only(sentence, evidence)
        or _changed_naming(sentence, evidence)
    )


def _changed_subject(sentence: str, evidence: str) -> str:
    """Return why the name that begins ``sentence`` does not do there what another does in the evidence, or ""."""
    match = _DOES.match(sentence)
    if not match or match["verb"] in STOP_WORDS:
        return ""
    name, verb = set(content_words(match["name"])), stem(fold(match["verb"]))
    if not name:
        return ""
    passive = bool(_BE.search(match["helpers"]))
    judged = [
        _is_another(name, before, after, passive != _is_passive(before))
        for piece in nearest_pieces(sentence, evidence)
        for part in _BORDER.split(piece)
        for before, after in _around(part, verb)
    ]
    if judged and all(judged):
        return f"in the evidence another than '{match['name']}' does so"
    return _changed_object(match, sentence, evidence) if not passive else ""


def _changed_object(match: re.Match[str], sentence: str, evidence: str) -> str:
    """Return why the name behind the verb of ``sentence`` is not the one that stands there in the evidence, or ""."""
    said = re.match(rf"\s+(?:the\s+)?({_NAME})", match["rest"])
    if not said:
        return ""
    places = [
        known
        for piece in nearest_pieces(sentence, evidence)
        for _, after in _around(piece, stem(fold(match["verb"])))
        if (known := re.match(rf"\s+(?:the\s+)?({_NAME})", after))
    ]
    mine = set(content_words(said[1]))
    if places and not any(mine & set(content_words(known[1])) for known in places):
        return f"in the evidence '{match['verb']}' is followed by '{places[0][1]}'"
    return ""


def _around(text: str, verb: str) -> list[tuple[str, str]]:
    """Return what stands before and after each place of ``verb`` in ``text``."""
    places = [match for match in re.finditer(r"[^\W\d_]+", text) if stem(fold(match.group())) == verb]
    return [(text[: match.start()], text[match.end() :]) for match in places]


def _is_passive(before: str) -> bool:
    words = tokens(before)
    return bool(words) and any(_BE.fullmatch(word) for word in words[-2:])


def _is_another(name: set[str], before: str, after: str, turned: bool) -> bool:
    """Return whether others stand where ``name`` should: before the verb, or behind it where the voice is turned.

    Others are those with a name, or anybody where ``name`` itself stands on the other side.
    """
    own, other = (after, before) if turned else (before, after)
    there, away = set(content_words(own)), set(content_words(other))
    if name & there:
        return False
    others = set(find_names("a " + find_dates(own)[1]))
    return bool(others) or (bool(name & away) and bool(there))


def _turned_relation(sentence: str, evidence: str) -> str:
    """Return why "A is the deputy of B" turns round "the deputy is B", or ""."""
    match = _IS_OF.match(sentence)
    if not match:
        return ""
    role, whom, who = (re.escape(fold(match[key].rstrip("."))) for key in ("role", "whom", "who"))
    known = fold(evidence)
    held = re.search(rf"\b{role}\w*(?:\s+(?:is|was|ist|war)|[:,]|\s+-)?\s+(?:the\s+)?{whom}\b", known)
    is_it = rf"(?:,|\s+(?:is|was|ist|war))\s+(?:(?:the|an?|his|her|its|their)\s+)?{role}\b"
    held = held or re.search(rf"\b{whom}{is_it}", known)
    own = re.search(rf"\b{who}{is_it}", known)
    return f"in the evidence '{match['whom'].rstrip('.')}' is the {match['role']}" if held and not own else ""


def _turned_comparison(sentence: str, evidence: str) -> str:
    """Return why ``sentence`` turns round a comparison of the evidence with the same word, or ""."""
    mine = _comparisons(sentence)
    for word, before, after in mine:
        theirs = [entry for entry in _comparisons(evidence) if entry[0] == word]
        for _, known_before, known_after in theirs:
            if (before - known_before) & (known_after - after) and (after - known_after) & (known_before - before):
                return f"it turns round what is '{word}' than what"
    return ""


def _comparisons(text: str) -> list[tuple[str, set[str], set[str]]]:
    """Return each "… more … than …" of ``text`` with the words on both sides."""
    found = []
    for part in _BORDER.split(text):
        match = _THAN.search(fold(part))
        if match:
            found.append(
                (
                    match["word"] or match["wort"],
                    set(content_words(part[: match.end()])),
                    set(content_words(part[match.end() :])),
                )
            )
    return found


def _moved_only(sentence: str, evidence: str) -> str:
    """Return why "only" belongs to another word than in the evidence, or ""."""
    theirs = [(match.start(), stem(match["what"])) for match in _ONLY.finditer(fold(evidence))]
    for match in _ONLY.finditer(fold(sentence)):
        what = stem(match["what"])
        before = [what in content_words(fold(evidence)[:at]) for at, _ in theirs]
        if theirs and all(other != what for _, other in theirs) and all(before):
            return f"it says 'only' of '{match['what']}', which the evidence does not"
    return ""


def _changed_naming(sentence: str, evidence: str) -> str:
    """Return why the evidence does not call so what ``sentence`` says is called so, or ""."""
    match = _CALLED.search(fold(sentence))
    if not match:
        return ""
    theirs = [
        (stem(known["what"]), set(content_words(part[: known.start()])))
        for part in re.split(r"[,;.:]\s|\b(?:and|or|but|while)\b", fold(evidence))
        if (known := _CALLED.search(part))
    ]
    mine = set(content_words(sentence)) - {stem(match["what"])}
    if any(what == stem(match["what"]) and (not who or who & mine) for what, who in theirs):
        return ""
    return f"the evidence does not call this '{match['what']}'"


def other_person(sentence: str, evidence: str, around: str = "") -> str:
    """Return why a word for a person is not the evidence's, or "": contractor and contract, employer and employee.

    What stands ``around`` the evidence, its title, says so only where the evidence has no such word.
    """
    own, titles = _persons(evidence), _persons(around)
    for token in tokens(sentence):
        endings = own.get(_root(token)) or titles.get(_root(token), set())
        mine = _ending(token)
        if token.isalpha() and len(token) >= _LEAST_OF_A_PERSON and endings and mine not in endings:
            return f"'{token}' is not what the evidence speaks of"
    return ""


def _persons(text: str) -> dict[str, set[str]]:
    """Return the endings that each root has in ``text``."""
    found: dict[str, set[str]] = {}
    for token in tokens(text):
        found.setdefault(_root(token), set()).add(_ending(token))
    return found


def words_of_persons(text: str) -> list[str]:
    """Return the content words of ``text`` with those for persons told from others: visitor is not visit."""
    found = []
    for token in tokens(text):
        ending = _ending(token) if token.isalpha() else ""
        found += [f"{word}-{ending}" if ending else word for word in content_words(token)]
    return found


def _root(token: str) -> str:
    return re.sub(r"(?:ees?|(?:er|or)s?)$", "", token) if len(token) >= _LEAST_OF_A_PERSON else token


def _ending(token: str) -> str:
    if len(token) < _LEAST_OF_A_PERSON:
        return ""
    return "ee" if _PATIENT.search(token) else "er" if _AGENT.search(token) else ""
