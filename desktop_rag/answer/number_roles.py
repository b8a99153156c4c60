"""What a number does in a sentence: "from 5" is not "to 5", "5 of 20" not "20", and "sample 7" not "7 samples"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from desktop_rag.answer.conditions import nearest_pieces
from desktop_rag.answer.dates import find_dates
from desktop_rag.answer.german import is_german, small_words
from desktop_rag.answer.quantities import Quantity, find_quantities, is_unit
from desktop_rag.core.words import STOP_WORDS, content_words, fold, stem

_PREPOSITIONS = """
from/since/starting/beginning/ab/seit/von/mit to/until/till/through/within/binnen/bis/auf by/um before/vor/earlier-than
after/following/nach/later-than at/on/in/during/am/im/an/mit
"""
_GROUPS = tuple(frozenset(group.split("/")) for group in _PREPOSITIONS.split())
_DAY_OR_MONTH = re.compile(
    r"(?:\b\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?\b[a-z]{3,9}\.?\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?$"
)
_BEFORE = re.compile(
    r"\b(?P<word>from|since|starting|beginning|ab|seit|von|to|until|till|through|bis|auf|by|um|before|vor|after|following"
    r"|nach|at|on|in|during|am|im|an|mit)\s+(?:(?:the|den|dem|about|around|only|nur|early|late|year|fiscal|spatestens|fruhestens|einschliesslich)\s+){0,2}$"
)
_PART_BEFORE = re.compile(
    r"(?:\d[\d.,]*|\b(?:[^\W\d_]+(?:teen|ty)|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|most|some|half"
    r"|none|few|third|quarter|percent)|%)\s+(?:[^\W\d_]+\s+)?(?:out\s+)?(?:of|von|der)\s+(?:the\s+|all\s+|its\s+|these\s+|den\s+)*$"
)
_OF_BEFORE = re.compile(
    r"\b(?:of|von|among|auf)\s+(?:(?:the|all|its|their|these|den|a total of)\s+)*$|\d\s+(?:der|aller)\s+$"
)
_OF_THE = re.compile(r"(?:^|[.;:!?]\s+)(?:of|von)\s+(?:the|den|all|allen|its|ihren)\s+$")
_OF_THESE = re.compile(r"\b(?:davon|darunter|wovon|von denen|of (?:whom|which|these|them|those))\s+(?:[^\W\d_]+\s+)?$")
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)$")
_OF_WHOLE = re.compile(r"\s+(?:out\s+)?(?:of|von)\s+(?:the\s+|all\s+|den\s+)*[\d.,]+")
_WORD = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,]*")
_LABEL = re.compile(r"\b([^\W\d_]{2,})\s+$")
_STOP = re.compile(r"[.;:,()\n|]\s|[;:()\n|]")
_QUALIFIED_DAY = re.compile(r"\b(?:working|business|banking|trading|school|werk|arbeits|bank)[ -]?(?:days?|tage?n?)\b")
_PLAIN_DAY = re.compile(r"(?<!working )(?<!business )(?<!banking )(?<!trading )(?<!school )\b(?:days?|tage?n?)\b")
_JOINED = re.compile(r"\b(?P<left>[\w%°]+)\s+(?P<join>and|or|und|oder)\s+(?:the\s+|an?\s+)?(?P<right>[\w%°]+)")
_BEFORE_WORD = re.compile(
    r"\b(?P<word>from|since|to|until|till|through|within|before|after|in|on|at|ab|seit|bis|vor|nach|im|am)\s+"
    r"(?:(?:the|an?|den|dem|der|early|late|next|last)\s+)?(?P<what>[^\W\d_]{3,})"
)
_AT = ("in", "on", "at", "im", "am")
_TIME_WORD = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:spring|summer|autumn|winter|morning|evening|night|noon|midnight)s?"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag"
    r"|sonntag|fruhling|sommer|herbst)s?"
)
_BY_HOW_MUCH = re.compile(r"(?:and )?by how (?:much|many)\b|um wie ?viel\b")
_CHANGE = (
    r"(?:increas|decreas|r[io]se|risen|f[ae]ll|gr[eo]w|drop|declin|gain|los[st]|rais|cut|reduc|chang|differ|improv|worsen"
    r"|up\b|down\b|gestiegen|gesunken|stieg|sank|erhoh|verringer)"
)
_CHANGE_BEFORE = re.compile(
    rf"(?:\bby|\bum|\b{_CHANGE}\w*(?: (?:of|about|some|around|nearly|almost|over|only))*)\s+[$€£]?$"
)
_CHANGE_AFTER = re.compile(rf"(?:\s\w+){{0,3}}\s(?:more|less|fewer|higher|lower|mehr|weniger|{_CHANGE}\w*)")
_FRACTION = re.compile(
    r"\b(?P<count>an?|one|two|three|four|ein|eine|zwei|drei)[ -](?P<part>thirds?|quarters?|fifths?|tenths?|drittel"
    r"|viertel|funftel|zehntel)\b"
)
_EVERY = re.compile(r"\b(?:every|each|jede\w*)\s+(?P<unit>hour|day|week|month|year|stunde|tag|woche|monat|jahr)")
_OR = ("or", "oder")
_ROWS = re.compile(r"\n")
_CELL = re.compile(r"(?:^|;\s*)([^:;\n]{1,40}):\s*([^;\n]*)")
_FEWEST_CELLS = 2
_OF_CERTAIN = re.compile(
    r"\b([^\W\d_]{3,}) (under|over|above|below|aged|older than|younger than|unter|uber)(?: the age of)? $"
)


def changed_number_role(sentence: str, evidence: str) -> str:
    """Return what ``sentence`` does with a number that ``evidence`` does with another one, or ""."""
    return (
        _changed_preposition(sentence, evidence)
        or _changed_time_word(sentence, evidence)
        or _part_for_whole(sentence, evidence)
        or _other_fraction(sentence, evidence)
        or _changed_count(sentence, evidence)
        or _other_label(sentence, evidence)
        or _dropped_limit(sentence, evidence)
        or _plain_day(sentence, evidence)
        or _more_often(sentence, evidence)
        or _joined_otherwise(sentence, evidence)
    )


def no_change(text: str, evidence: str, question: str) -> str:
    """Return why no number of ``text`` is by how much something changed, where ``question`` asks for that, or ""."""
    if not _BY_HOW_MUCH.match(fold(question).strip()):
        return ""
    said, known = list(find_quantities(fold(text))), fold(evidence)
    places = [one for one in find_quantities(known) if any(one.same_number(own) for own in said)]
    changes = (
        _CHANGE_BEFORE.search(known[: one.start]) or _CHANGE_AFTER.match(known[one.start + len(one.text) :])
        for one in places
    )
    return "" if not places or any(changes) else "none of its numbers says by how much it changed"


def _changed_preposition(sentence: str, evidence: str) -> str:
    for quantity, before in _governed(sentence):
        mine = _preposition(before)
        if not mine:
            continue
        theirs = [_preposition(text) for known, text in _governed(evidence) if quantity.same_number(known)]
        if theirs and all(other and not _alike(mine, other) for other in theirs):
            return f"it says '{mine} {quantity.text}' where the evidence says '{theirs[0]}'"
    return ""


def _changed_time_word(sentence: str, evidence: str) -> str:
    """Return why a word stands behind "from" that stands behind "to" in the evidence, and so on, or "".

    "On" and "in" count before names of months, days and seasons only.
    """
    known = [(match["word"], match["what"]) for match in _BEFORE_WORD.finditer(fold(evidence))]
    everywhere = fold(evidence)
    for match in _BEFORE_WORD.finditer(fold(sentence)):
        what = match["what"]
        if match["word"] in _AT and not _TIME_WORD.fullmatch(what):
            continue
        theirs = [word for word, other in known if other == what]
        places = len(re.findall(rf"\b{re.escape(what)}\b", everywhere))
        if theirs and len(theirs) == places and not any(_alike(match["word"], word) for word in theirs):
            return f"it says '{match['word']} {what}' where the evidence says '{theirs[0]}'"
    return ""


def _governed(text: str) -> Iterator[tuple[Quantity, str]]:
    """Yield the numbers of ``text`` with what stands before them; a year or day goes with its date's."""
    folded = fold(text)
    for quantity in find_quantities(folded):
        yield quantity, _before_date(folded[: quantity.start])


def _before_date(before: str) -> str:
    """Return ``before`` without the day or month of the same date, so that the preposition of the date is found."""
    date = _DAY_OR_MONTH.search(before)
    return before[: date.start()] if date and find_dates(f"{date.group()}2000")[0] else before


def _preposition(before: str) -> str:
    match = _BEFORE.search(before)
    return match["word"] if match else ""


def _alike(one: str, other: str) -> bool:
    groups = [{at for at, group in enumerate(_GROUPS) if word in group} for word in (one, other)]
    return bool(groups[0] & groups[1])


def _part_for_whole(sentence: str, evidence: str) -> str:
    """Return why the whole is said where the evidence has a part: "412 of 1,150 moved" is not "1,150 moved"."""
    said, known = fold(sentence), fold(evidence)
    theirs = list(find_quantities(known))
    for quantity in find_quantities(said):
        if _OF_BEFORE.search(said[: quantity.start]):
            continue
        same = [one for one in theirs if one.same_number(quantity)]
        if same and all(_PART_BEFORE.search(known[: one.start]) or _is_whole(known, one) for one in same):
            return f"it says {quantity.text}, of which the evidence gives a part"
    return ""


def _is_whole(text: str, quantity: Quantity) -> bool:
    """Return whether a sentence begins with "Of the 42 …", so that what follows is said of a part."""
    return _OF_THE.search(text[: quantity.start]) is not None


def _other_fraction(sentence: str, evidence: str) -> str:
    """Return why a fraction in words ("two thirds") is not one of the evidence's, which has some, or ""."""
    ours, theirs = ([_fraction(match) for match in _FRACTION.finditer(fold(text))] for text in (sentence, evidence))
    changed = next((one for one in ours if theirs and one not in theirs), None)
    return f"the evidence does not say '{' '.join(changed)}'" if changed else ""


def _fraction(match: re.Match[str]) -> tuple[str, str]:
    count = "one" if match["count"] in ("a", "an", "one", "ein", "eine") else match["count"]
    return count, match["part"].removesuffix("s")


def _changed_count(sentence: str, evidence: str) -> str:
    """Return why a number counts or labels another thing than in the evidence, or ""."""
    said, known = fold(sentence), fold(evidence)
    german = is_german(sentence, evidence)
    verbs = small_words(f"{sentence} {evidence}") if german else frozenset()
    theirs = [(one, _counted_of(known, one, verbs), _label(known, one)) for one in find_quantities(known)]
    for quantity in find_quantities(said):
        same = [entry for entry in theirs if entry[0].same_number(quantity)]
        others = [entry for entry in theirs if not entry[0].same_number(quantity)]
        if german and _ORDINAL.search(quantity.text):
            continue
        noun = next(iter(_counted(said, quantity)), "")
        label = _label(said, quantity)
        if label in verbs or (german and quantity.units):
            label = ""  # "gilt 6", "je Gerät 6 Monate": what stands there is not what the number names
        if noun and same and not quantity.units:
            elsewhere = any(noun in counted for _, counted, _ in others)
            labelled = any(noun == own for _, _, own in same)
            if (elsewhere or labelled) and not any(noun in counted for _, counted, _ in same):
                return f"the evidence does not count {quantity.text} of '{noun}'"
        if label and same and not any(label == own for _, _, own in same):
            counts = any(label in counted for _, counted, _ in same)
            elsewhere = any(label == own for _, _, own in others)
            if counts or (elsewhere and not any(_unlabelled(known, one) for one, *_ in same)):
                return f"the evidence does not say '{label} {quantity.text}'"
    return ""


def _counted_of(text: str, quantity: Quantity, verbs: Collection[str]) -> Sequence[str]:
    """Return what a number counts; without a noun, and behind "of whom" or "davon", what the one before it counts, too.

    ``verbs`` are words that are no nouns: "16 brachen sie ab" counts what was counted before.
    """
    own = _counted(text, quantity)
    without_noun = bool(verbs) and not quantity.units and all(word in verbs for word in own)
    if not (without_noun or _OF_THESE.search(text[: quantity.start])):
        return own
    before = sorted(find_quantities(text), key=lambda one: -one.start)
    counted = (_counted(text, one) for one in before if one.start < quantity.start and not one.units)
    return (*own, *next(filter(None, counted), ()))


def _counted(text: str, quantity: Quantity) -> Sequence[str]:
    """Return the stems of the words that follow a number in its phrase: what it counts, nearest first."""
    after = text[quantity.start + len(quantity.text) :]
    if re.match(r"[./:]\d|\.$|\.\s", after):
        return ()
    whole = _OF_WHOLE.match(after)
    after = after[whole.end() :] if whole else after
    ends = _STOP.search(after)
    words = _WORD.findall(after[: ends.start()] if ends else after)[:3]
    found = []
    for word in words:
        if word[0].isdigit() or (word in STOP_WORDS and word != "of"):
            break
        if not (is_unit(word) or word in STOP_WORDS):
            found.append(stem(word))
    return tuple(found)


def _label(text: str, quantity: Quantity) -> str:
    match = _LABEL.search(text[: quantity.start])
    word = match[1] if match else ""
    if not word or word in STOP_WORDS or is_unit(word) or find_dates(f"{word.title()} 2000")[0]:
        return ""
    return stem(word)


def _unlabelled(text: str, quantity: Quantity) -> bool:
    """Return whether a number begins a clause, or follows another one as in the rows of a table."""
    return re.search(r"(?:^|[\d;.,|(\n])[%\s|+-]*$", text[: quantity.start]) is not None


def _other_label(sentence: str, evidence: str) -> str:
    """Return why a number is not the value of the column that ``sentence`` names: rows say "label: value; …"."""
    words, numbers = set(content_words(sentence)), list(find_quantities(fold(sentence)))
    if len(_CELL.findall(fold(sentence))) > 1:
        return ""
    for row in nearest_pieces(sentence, evidence, _ROWS):
        numeric = [(label, value) for label, value in _CELL.findall(fold(row)) if _is_number(value)]
        cells = [(label, list(find_quantities(value))) for label, value in numeric]
        if len(cells) < _FEWEST_CELLS or not any(_same(numbers, values) for _, values in cells):
            continue
        named = [(label, values) for label, values in cells if set(content_words(label)) <= words]
        missing = next((label for label, values in named if not _same(numbers, values)), None)
        if missing:
            return f"the evidence gives another number for '{missing.strip()}'"
    return ""


def _is_number(value: str) -> bool:
    return re.fullmatch(r"\s*[-+$€£]?\d[\d.,]*\s?[^\W\d_]{0,6}%?\s*", value) is not None


def _same(numbers: Sequence[Quantity], values: Sequence[Quantity]) -> bool:
    return any(number.same_number(value) for number in numbers for value in values)


def _dropped_limit(sentence: str, evidence: str) -> str:
    """Return why ``sentence`` says of all what the evidence says of "children under 12" or "cells above 30 °C"."""
    said = list(find_quantities(fold(sentence)))
    subjects = set(content_words(sentence))
    for piece in nearest_pieces(sentence, evidence):
        known = fold(piece)
        for quantity in find_quantities(known):
            who = _OF_CERTAIN.search(known[: quantity.start])
            if who and stem(who[1]) in subjects and not any(one.same_number(quantity) for one in said):
                return f"it says of all '{who[1]}' what the evidence says of those {who[2]} {quantity.text}"
    return ""


def _plain_day(sentence: str, evidence: str) -> str:
    said, known = fold(sentence), fold(evidence)
    only_certain = _QUALIFIED_DAY.search(known) and not _PLAIN_DAY.search(known)
    if only_certain and _PLAIN_DAY.search(said) and not _QUALIFIED_DAY.search(said):
        return "it says 'day' where the evidence counts certain days only"
    return ""


def _more_often(sentence: str, evidence: str) -> str:
    """Return why "every day" is not what the evidence says, which has "every second day", or ""."""
    known = fold(evidence)
    for match in _EVERY.finditer(fold(sentence)):
        plain = re.search(rf"\b(?:every|each|jede\w*)\s+{match['unit']}", known)
        seldom = re.search(rf"\b(?:every|each|jede\w*|alle)\s+\w+\s+{match['unit']}", known)
        if seldom and not plain:
            return f"it says '{match.group()}' where the evidence says '{seldom.group()}'"
    return ""


def _joined_otherwise(sentence: str, evidence: str) -> str:
    """Return why "and" stands in ``sentence`` where the evidence has "or" between the same words, or ""."""
    known = {(stem(m["left"]), stem(m["right"])): m["join"] in _OR for m in _JOINED.finditer(fold(evidence))}
    for match in _JOINED.finditer(fold(sentence)):
        theirs = known.get((stem(match["left"]), stem(match["right"])))
        if theirs is not None and theirs != (match["join"] in _OR):
            return f"it says '{match['join']}' between '{match['left']}' and '{match['right']}', the evidence does not"
    return ""
