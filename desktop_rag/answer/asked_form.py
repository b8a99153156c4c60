"""What form an answer must have: a question for a price wants money, one for a day a date, one for a why a reason.

Where the documents speak of something close to the question, words and meaning are as near as for a question that they
answer. What gives it away is that no place has an answer of the form that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from desktop_rag.answer.dates import YEAR, find_dates
from desktop_rag.answer.quantities import family_of, find_quantities, has_amount
from desktop_rag.core.answers import Evidence
from desktop_rag.core.types import ElementKind
from desktop_rag.core.words import content_words, fold

_LOOKED_AT = 7
"""Quotes that are looked at, best first: further down, anything has a number."""
_THING = 0.5
"""How much of the fit hangs on the words of the thing that is asked for."""
_GRIDS = (ElementKind.TABLE, ElementKind.FIGURE)


@dataclass(frozen=True, slots=True)
class _Place:
    """A quote, the question's digits, and the titles that say what the quote's numbers are.

    In a ``grid``, a table or a figure, the unit of a number often stands elsewhere on the page.
    """

    text: str
    asked: frozenset[str]
    around: str
    grid: bool

    def other_number(self) -> bool:
        """Whether it has a number that the question does not have itself."""
        numbers = (set(re.findall(r"\d+", amount.text)) for amount in find_quantities(self.text))
        return any(not digits & self.asked for digits in numbers)

    def date(self) -> bool:
        """Whether it has a date, or a year that is not the question's."""
        return bool(find_dates(self.text)[0]) or any(year not in self.asked for year in YEAR.findall(self.text))


def _says(pattern: str) -> Callable[[_Place], bool]:
    expression = re.compile(pattern, re.IGNORECASE)
    return lambda place: expression.search(place.text) is not None


def _amount(*families: str) -> Callable[[_Place], bool]:
    """A number in such a unit; in a table or figure, any that the question does not have."""
    return lambda place: has_amount(place.text, families, place.around) or (place.grid and place.other_number())


_often = _says(
    r"\b(?:dai|week|month|annual|year|hour|minut|second|day|quarter|always|never|tag|woche|monat|jahr|stund|täglich)"
)
_part = _says(
    r"\b(?:half|halves|(?:one|two|three)[- ](?:thirds?|quarters?|fifths?)|a (?:third|quarter|fifth)"
    r"|hälfte|drittel|viertel)\b"
    r"|\b\d+ (?:out )?of (?:the )?\d+\b"
)
_share = _amount("share")
_none = _says(r"\b(?:none|nobody|no one|both|keine[rs]?|niemand|beide)\b")
_clock = _says(
    r"\b\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m|uhr|o'clock)|\b\d{1,2}:\d\d\b|\b(?:noon|midnight|mittags?|mitternacht)\b"
)
_time_words = _says(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:spring|summer|autumn|winter|morning|evening|night|today|weekend)s?\b"
    r"|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|frühling|sommer|herbst|wochenende|heute)s?\b"
)
_span = _amount("time")
_length_or_time = _amount("length", "time")
_counted_length = _says(r"\d\W+(?:characters?|digits?|letters?|words?|pages?|lines?|zeichen|stellen|wörter|seiten)\b")
_gratis = _says(r"\bfree\b|\bno (?:charge|cost|fee)|\bcosts? nothing\b|kostenlos|gratis|kostet nichts|umsonst")
_pounds = _says(r"\d\s?(?:pounds?|pence|pfund)\b")
"""Which may be a weight, too."""
_money = _amount("money")
_heat = _amount("heat")


def _is_price(place: _Place) -> bool:
    return _money(place) or _pounds(place) or _gratis(place)


def _is_length(place: _Place) -> bool:
    return _length_or_time(place) or _often(place) or _counted_length(place)


def _is_age(place: _Place) -> bool:
    return _is_length(place) or place.date()


def _is_time(place: _Place) -> bool:
    return place.date() or _clock(place) or _time_words(place)


def _is_span(place: _Place) -> bool:
    return _span(place) or _often(place)


def _is_share(place: _Place) -> bool:
    return _share(place) or _part(place)


def _is_heat(place: _Place) -> bool:
    return _heat(place) or "°" in place.text or "degree" in place.text.lower()


@dataclass(frozen=True, slots=True)
class AskedForm:
    """A form of answers, in words that complete "no place gives …", and the tests that a place has one.

    ``usual`` is how such answers look and makes a better quote; ``rare`` is what else may answer (when? "each year")
    and stands in too many places to prefer one.
    """

    name: str
    usual: Callable[[_Place], bool]
    rare: Callable[[_Place], bool] | None = None

    def may_be_in(self, place: _Place) -> bool:
        """Whether an answer may stand in ``place``, in its usual form or another."""
        return self.usual(place) or (self.rare is not None and self.rare(place))


_PRICES = r"\b(?:price|fee|budget|salary)\b"
_ASKS_FOR_A_PRICE = (
    r"(?:^|[,;] )(?:and )?(?:what|which|how (?:much|high|large|big)|welche\w*|wie hoch)\b"
    rf"(?!.*\b(?:in|by|from|with|for) (?:the|this|an?) (?:\w+ )?{_PRICES})"
    rf"(?!.*{_PRICES} (?:cover|include|contain|depend|appl)).*{_PRICES}"
)
""""What is the fee", but not "is it included in the fee" or "what does the fee cover"."""
_FORMS = (
    (
        "a telephone number",
        r"(?:phone|fax) number|telefonnummer",
        _says(r"\(?\d{3}\)?[-. /]{1,2}\d{3}[-. ]\d{4}|\+\d[\d ()/-]{7,}|\b0\d[\d /-]{6,}"),
    ),
    ("an e-mail address", r"e-?mail address|mailadresse", _says("@")),
    (
        "an address",
        r"(?:home|street|postal|mailing) address|\banschrift\b",
        _says(
            r"\d+ (?:[A-Z]\w+ ){1,2}?(?:street|st|avenue|ave|road|rd|drive|lane|boulevard|way)\b|(?:straße|str\.) \d"
        ),
    ),
    (
        "an amount of money",
        r"how many dollars|how much money|how much .*\b(?:cost|charge|pay|paid|earn)\b"
        rf"|{_ASKS_FOR_A_PRICE}"
        r"|hourly rate|what (?:does|did|do|will|would) .*\b(?:cost|charge)\b|was kostet|wie teuer|compensation",
        _is_price,
    ),
    (
        "a share",
        r"what (?:percentage|share|proportion|slice)|percent\b|prozent|interest rate|welcher anteil",
        _is_share,
    ),
    ("a time of day", r"what time\b|uhrzeit|um wie ?viel uhr", _clock),
    ("a date or time", r"^(?:and )?when\b|^(?:und )?(?:seit |bis |ab )?wann\b", _is_time, _is_span),
    (
        "a date",
        r"\b(?:what|which) (?:year|date|day|month)\b|welche[mnrs]? (?:jahr|tag|datum|monat)",
        lambda place: place.date() or _time_words(place),
    ),
    (
        "a length",
        r"how (?:tall|deep|high|wide|thick|far)\b|diameter|\bdepth\b|wie (?:hoch|tief|breit)\b",
        _amount("length"),
    ),
    ("a weight", r"how heavy|\bweigh|wie schwer", _amount("mass")),
    ("a temperature", r"\btemperatur", _is_heat),
    ("an age", r"how old\b|wie alt\b", _is_age),
    ("a length or duration", r"how (?:long|soon|often)\b|wie (?:lange?|oft)\b", _is_length),
    ("a number", r"how (?:many|much|large|big)\b|wie ?viele?\b|\bnumber of\b", _Place.other_number, _none),
    (
        "a reason",
        r"^(?:and )?(?:why|warum|weshalb)\b|for what reason",
        _says(
            r"\b(?:because|since|due to|result of|as a result|so that|therefore|reason|in order|to \w+)\b"
            r"|\b(?:weil|da|damit|um)\b"
        ),
    ),
)
_IN_ANY_WORDS = frozenset({"a reason", "an address"})
"""Forms that a sentence can have without the words by which they are told."""
_READY = tuple((re.compile(asked), AskedForm(name, *tests)) for name, asked, *tests in _FORMS)
_SOME_PART = AskedForm("a number", lambda place: place.other_number() or _part(place), _none)
_PARTS = re.compile(r"how (?:much|many) of\b|wie ?viel (?:davon|von)\b")
_COUNTED = re.compile(r"\b(?:how many|wie ?viele) ([^\W\d_]+)")

_VERBS = (
    "is|are|was|were|did|does|do|has|have|had|can|could|may|might|must|should|would|will|in|of|for|from|to|at|on|by|that"
    "|under|with|according|hat|ist|war|wurde|wurden|sind|haben|kann|gilt|galt"
)
_ASKED_THING = re.compile(
    r"\b(?:what|which|how many|how much|how large|how big|welche\w*|wie ?viele?|was für)\b"
    rf"((?: [^\W\d_][\w'’-]*){{1,5}}?)(?: (?:{_VERBS})\b|[,?])",
    re.IGNORECASE,
)
_ONLY_FORMS = frozenset(
    content_words(
        "year date day month time percentage percent share proportion slice number amount price cost dollars euros "
        "money total size length depth height kind type name value period jahr tag datum prozent preis anteil fiscal "
        "calendar average"
    )
)
"""Words that say what form an answer has, and not what it is about."""


def form_fit(question: str, evidence: Sequence[Evidence], weights: Mapping[str, float], names: Sequence[int]) -> float:
    """Return how well the best of the first quotes fits as an answer, from 0 to 1.

    A quote without an answer of the asked form is worth 0. Others are worth their share of the question's weighted
    words, relative to the best quote of all, times the share of its names that they have around them (``names`` counts
    them for each quote, the most being all), less up to half for the words of the asked thing ("home address") that
    they lack. A question that asks for no particular form is satisfied with any.
    """
    form = asked_form(question)
    things = _asked_things(question) & weights.keys()
    known = [frozenset(content_words(f"{_said_of(item)} {item.quote}")) for item in evidence]
    covered = [sum(weights[word] for word in words & weights.keys()) for words in known]
    most, all_names = max(covered, default=0.0), max(names, default=0)
    if not most:
        return 0.0
    worths = [0.0]
    for item, words, share, named in list(zip(evidence, known, covered, names, strict=True))[:_LOOKED_AT]:
        if form is None or form.may_be_in(_place(question, item.quote, _said_of(item), item.kind)):
            of_thing = len(things & words) / len(things) if things else 1.0
            of_names = named / all_names if all_names else 1.0
            worths.append(share / most * of_names * (1 - _THING + _THING * of_thing))
    return max(worths)


def has_usual_form(question: str, quote: str, titles: str, kind: ElementKind) -> bool:
    """Return whether ``quote``, under ``titles``, looks like an answer of the form that ``question`` asks for."""
    form = asked_form(question)
    return form is not None and form.usual(_place(question, quote, titles, kind))


def left_out(question: str, sentence: str, carrier: Evidence) -> str:
    """Return what form of answer ``question`` asks for if ``carrier`` has it and ``sentence``, made of it, has not.

    Else "". "The floor reopened after five months" does not say when, where its quote begins with "In September".
    """
    form = asked_form(question)
    if form is None or form.name in _IN_ANY_WORDS or has_usual_form(question, sentence, "", ElementKind.TEXT):
        return ""
    return form.name if form.usual(_place(question, carrier.quote, _said_of(carrier), carrier.kind)) else ""


def _place(question: str, quote: str, titles: str, kind: ElementKind) -> _Place:
    return _Place(quote, frozenset(re.findall(r"\d+", question)), titles, kind in _GRIDS)


@lru_cache(maxsize=64)
def asked_form(question: str) -> AskedForm | None:
    """Return the form of answer that ``question`` asks for; None where any text may answer it."""
    plain = fold(question)
    counted = _COUNTED.search(plain)
    family = family_of(counted[1]) if counted else ""
    if counted and family and family != "scale":
        return AskedForm(f"a number of {counted[1]}", _amount(family))
    if _PARTS.search(plain):
        return _SOME_PART
    return next((form for asked, form in _READY if asked.search(plain)), None)


def _asked_things(question: str) -> frozenset[str]:
    match = _ASKED_THING.search(question)
    return frozenset(content_words(match[1])) - _ONLY_FORMS if match else frozenset()


def _said_of(item: Evidence) -> str:
    return f"{item.title} {' '.join(item.heading)}"
