"""Numbers with their units, read so that 1,695.1 and 1.695,1, "five" and 5, "17 %" and "17 percent" are the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from desktop_rag.core.words import fold, stem

_UNIT_TABLE = """
scale: thousand thousands tausend | million millions mio mn mln millionen | billion billions bn mrd milliarde milliarden
scale: trillion trillions billionen
share: % percent pct prozent percentage | prozentpunkt prozentpunkte prozentpunkten
money: $ usd dollar dollars us$ | € eur euro euros | £ gbp pound-sterling | ¥ yen jpy
money: chf franc francs franken | krone kroner krona kronor sek nok dkk | inr rupee rupees | cny yuan | pln zloty
time: second seconds sec sekunde sekunden | minute minutes min minuten | hour hours hr hrs stunde stunden
time: day days tag tage tagen | week weeks woche wochen
time: month months monat monate monaten | year years jahr jahre jahren
length: mm millimeter millimeters millimetre millimetres | cm centimeter centimeters centimetre centimetres
length: m meter meters metre metres | km kilometer kilometers kilometre kilometres | ft foot feet | mile miles mi
length: inch inches in. zoll | yard yards
mass: mg milligram milligrams | g gram grams gramm | kg kilogram kilograms kilogramm | ton tons tonne tonnes tonnen
mass: lb lbs pound pounds
volume: ml milliliter milliliters millilitre millilitres | l liter liters litre litres | gallon gallons
power: w watt watts | kw kilowatt kilowatts | mw megawatt megawatts | kwh kilowatt-hour kilowatt-hours
heat: °c celsius | °f fahrenheit | kelvin
torque: nm newton-metre newton-metres newton-meters
data: kb kilobyte kilobytes | mb megabyte megabytes | gb gigabyte gigabytes | tb terabyte terabytes
current: ma milliampere | a ampere amperes amps | ka kiloampere | v volt volts | kv kilovolt kilovolts
"""


def _read_units(table: str) -> dict[str, tuple[str, str]]:
    """Return family and first name of every unit word of ``table``."""
    units = {}
    for line in table.strip().splitlines():
        family, _, groups = line.partition(":")
        for names in map(str.split, groups.split("|")):
            units.update(dict.fromkeys(names, (family, names[0])))
    return units


_UNITS = _read_units(_UNIT_TABLE)
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_GERMAN = (
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn"
)
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
_SPELLED = {word: at for at, word in enumerate(_CARDINALS.split())}
_SPELLED |= {word: 10 * at for at, word in enumerate(_TENS.split(), 2)}
_GERMAN_NUMBERS = {word: at for at, word in enumerate(_GERMAN.split())}
_GERMAN_NUMBERS |= {word: 10 * at for at, word in enumerate(_GERMAN_TENS.split(), 2)}
_GERMAN_NUMBERS |= {
    f"{one}und{ten}": at + 10 * tens
    for tens, ten in enumerate(_GERMAN_TENS.split(), 2)
    for at, one in enumerate(_GERMAN.split()[1:10], 1)
}
_SPELLED |= {fold(word): at for word, at in _GERMAN_NUMBERS.items()}
_ORDINAL_WORDS = {word: at for at, word in enumerate(_ORDINALS.split())}
_SPELLED_WORD = "|".join(sorted({*_SPELLED, *_GERMAN_NUMBERS, "hundred", "dozen"}, key=len, reverse=True))

_DIGITS = re.compile(
    r"(?<![\w.,])(?P<sign>[-−–+](?=[\d.$€£]))?(?P<money>(?:US)?[$€£¥]\s?)?"
    r"(?P<digits>\d{1,3}(?:[.,'’\u202f\u00a0]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?|\.\d+)(?P<ordinal>st|nd|rd|th)?"
)
_WORDS = re.compile(rf"\b(?:{_SPELLED_WORD})(?:(?:[\s-]|\sand\s)(?:{_SPELLED_WORD}))*\b", re.IGNORECASE)
_ORDINAL_WORD = re.compile(rf"\b(?:{'|'.join(_ORDINAL_WORDS)})\b(?!\s+of\s+all)", re.IGNORECASE)
_AFTER = re.compile(r"[\s\u00a0-]?(%|°\s?[CF]\b|[€£$¥]|[^\W\d_]+(?:-[^\W\d_]+)?)")
_GLUED = re.compile(r"(?P<number>\d+(?:[.,]\d+)*)(?P<rest>-?[^\W\d_]+)(?:-[^\W\d_]+)*")
_SMALL_WORDS = ("metric", "short", "long", "u.s", "us", "of", "fiscal", "calendar", "business", "working", "square")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text: its value, the other value that its form could mean, and its units by family.

    ``units`` maps "scale" to "million" and so on. ``spelled`` numbers are words in the text.
    """

    text: str
    value: Decimal
    other: Decimal | None = None
    units: dict[str, str] = field(default_factory=dict)
    spelled: bool = False
    start: int = 0

    @staticmethod
    def of(number: int) -> Quantity:
        """Return a bare number as a quantity, e.g. the year of a date."""
        return Quantity(str(number), Decimal(number))

    def same_number(self, known: Quantity) -> bool:
        """Return whether both are one number. Where just one of them is ambiguous, the other one decides."""
        if self.value == known.value:
            return True
        if (self.other is None) == (known.other is None):
            return False
        return self.value == known.other if self.other is None else self.other == known.value

    def said_by(self, known: Quantity, units_around: Collection[str] = ()) -> bool:
        """Return whether ``known`` is this number in units that agree.

        A unit that stands only at one of them must stand near the evidence (``units_around``, e.g. in the heading of
        a table); a scale or a percent sign that the evidence has must not get lost.
        """
        written_out = self._whole() == known._whole()
        if not written_out and not self.same_number(known):
            return False
        ignored = {"scale"} if written_out else set()
        bare = not known.units.keys() - {"scale"}
        for family in self.units.keys() - ignored:
            at_known = known.units.get(family)
            unsaid = at_known is None and (bare or family == "scale") and self.units[family] in units_around
            if at_known != self.units[family] and not unsaid:
                return False
        return not {"scale", "share"} & (known.units.keys() - self.units.keys() - ignored)

    def _whole(self) -> Decimal:
        """Return the value written out: 1.2 million is 1200000."""
        scale = self.units.get("scale")
        return self.value.scaleb(_SCALES[scale]) if scale else self.value


def find_quantities(text: str) -> Iterator[Quantity]:
    """Yield the quantities of ``text`` (without dates and identifiers), in digits first, then in words."""
    for match in _DIGITS.finditer(text):
        value, other = _values(match["digits"])
        if match["sign"] and match["sign"] != "+" and _is_sign(text, match.start()):
            value, other = -value, None if other is None else -other
        units = _units_after(text, match.end())
        if match["money"]:
            units["money"] = _UNITS[match["money"].strip().removeprefix("US")][1]
        yield Quantity(match.group().strip(), value, other, units, start=match.start())
    for match in _WORDS.finditer(text):
        value = Decimal(_spelled_value(match.group()))
        yield Quantity(match.group(), value, None, _units_after(text, match.end()), True, match.start())
    for match in _ORDINAL_WORD.finditer(text):
        yield Quantity(match.group(), Decimal(_ORDINAL_WORDS[match.group().lower()]), None, {}, True, match.start())


def units_in(text: str) -> frozenset[str]:
    """Return the units, each by its first name, that stand anywhere in ``text``."""
    return frozenset(_UNITS[word][1] for word in _unit_words(text) if word in _UNITS)


def _unit_words(text: str) -> list[str]:
    return re.findall(r"[%$€£¥]|°[cf]|[^\W\d_]+", fold(text))


def family_of(word: str) -> str:
    """Return what a folded ``word`` measures if it names a unit ("dollars" gives "money"), else ""."""
    return _UNITS[word][0] if word in _UNITS else ""


def is_unit(word: str) -> bool:
    """Return whether a folded ``word`` names a unit."""
    return word in _UNITS


@lru_cache(maxsize=1)
def unit_stems() -> frozenset[str]:
    """Return the stems of the words that name units, as they stand among content words."""
    return frozenset(stem(word) for word in _UNITS)


def has_amount(text: str, families: Collection[str], around: str = "") -> bool:
    """Return whether a number of ``text`` has a unit of ``families``, at itself or, as in a table, in ``around``."""
    amounts = list(find_quantities(text))
    if any(family in amount.units for amount in amounts for family in families):
        return True
    return bool(amounts) and any(family_of(word) in families for word in _unit_words(around))


def as_quantity(token: str) -> bool:
    """Return whether a folded token such as "12-foot", "150kw", "3rd" or "2010s" is a number with something at it."""
    match = _GLUED.fullmatch(token)
    if not match:
        return False
    rest = match["rest"].removeprefix("-")
    return rest in _UNITS or rest in ("st", "nd", "rd", "th", "s") or (match["rest"].startswith("-") and len(rest) > 3)


def _values(digits: str) -> tuple[Decimal, Decimal | None]:
    """Return the value of ``digits`` and, where "1,695" may be a decimal (or "1.695" a thousand), the other one."""
    plain = re.sub(r"['’\u202f\u00a0]", "", digits)
    marks = [char for char in plain if char in ".,"]
    if not marks:
        return Decimal(plain), None
    if len(set(marks)) == 2:
        decimal = marks[-1]
        return Decimal(plain.replace("," if decimal == "." else ".", "").replace(",", ".")), None
    whole = Decimal(plain.replace(marks[0], ""))
    if len(marks) > 1:
        return whole, None
    fraction = Decimal(plain.replace(",", "."))
    could_be_thousands = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", plain) is not None
    if not could_be_thousands:
        return fraction, None
    return (whole, fraction) if marks[0] == "," else (fraction, whole)


def _is_sign(text: str, at: int) -> bool:
    """Return whether the dash at ``at`` is a minus: a dash after a number or a word is a range or a hyphen."""
    before = text[:at].rstrip()
    if text[at] == "−" and text[at - 1 : at].isspace():
        return True
    return not before or (before[-1] in "(:=|,;" or (text[at - 1].isspace() and not before[-1].isdigit()))


def _units_after(text: str, at: int) -> dict[str, str]:
    """Return the units that follow position ``at``: "5 million metric tons" gives scale and mass."""
    units: dict[str, str] = {}
    for _ in range(4):
        match = _AFTER.match(text, at)
        if not match:
            break
        word = fold(match[1].replace(" ", ""))
        if word in _UNITS:
            family, name = _UNITS[word]
            # "5 a day": a single letter is a unit only as a symbol, and "a" and "in" are words
            if (word in ("a", "in", "l", "min") and not match[1].isupper() and word != "min") or family in units:
                break
            units[family] = name
        elif word not in _SMALL_WORDS:
            break
        at = match.end()
    return units


def _spelled_value(words: str) -> int:
    total = 0
    for word in re.split(r"[\s-]+", fold(words)):
        if word in ("hundred", "dozen"):
            total = max(1, total) * (100 if word == "hundred" else 12)
        elif word != "and":
            total += _SPELLED[word]
    return total
