"""German sentences and their evidence in one form, so that the audit's rules compare what is said, not how.

German bends its words, parts its verbs and joins its nouns: "schlug … um" and "umgeschlagen", "Hafenbehörde" and
"Behörde des Hafens", "3. Quartal" and "dritten Quartal". Here both texts are written plainly, and the sentence in the
words of its evidence where they are forms of its own. What is shown stays as it was written.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from desktop_rag.answer.dates import find_dates
from desktop_rag.answer.german_forms import is_strong_form, parts_of, same_word
from desktop_rag.answer.german_words import DETERMINERS, NO_VERBS, PARTICLES, TURNING
from desktop_rag.core.answers import Evidence
from desktop_rag.core.languages import function_words, language_of
from desktop_rag.core.words import STOP_WORDS, fold, stem

_MONTHS = (
    "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
    "Dezember",
)  # fmt: skip
_MONTH = rf"(?:{'|'.join(_MONTHS)}|Jänner)"
_NUMERIC_DATE = re.compile(r"\b(0?[1-9]|[12]\d|3[01])\.\s?(0?[1-9]|1[0-2])\.\s?(\d{4})\b(?![.,]\d)")
_DAY = re.compile(rf"\b(\d{{1,2}})\.(?=\s{_MONTH}\b)")
_ORDINALS = "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft"
_ORDINAL_AT = {fold(word): at for at, word in enumerate(_ORDINALS.split(), 1)}
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
_ORDINAL = re.compile(
    rf"\b({'|'.join(_ORDINALS.split())})e[nrsm]?(?=\s[A-ZÄÖÜ])"
    rf"|(?<=\b[Dd](?:er|ie|as|en|em|es)\s)({'|'.join(_ORDINALS.split())})e[nrsm]?\b"
)
_ORDINAL_DIGITS = re.compile(
    r"(?<=\b(?:[Aa]m|[Ii]m|an|in)\s)(\d{1,2})\.(?=\s[A-ZÄÖÜ][a-zäöüß])"
    r"|(?<=\b(?:[Dd](?:er|ie|as|en|em|es)|[Zz]um|[Vv]om)\s)(\d{1,2})\.(?=\s[A-ZÄÖÜ][a-zäöüß])"
)
_AT_MOST = re.compile(r"\b(?:maximal|bis zu)\b(?=\s(?:\d|[a-zäöüß]+\s[A-ZÄÖÜ]))")
_MINUS = re.compile(r"\bminus (?=\d)")
_TO_THE = re.compile(r"\bbis (?:zum|zur|zu den|zu dem|zu der) (?=\d|[A-ZÄÖÜ])")
_FROM_THE = re.compile(r"\bvom (?=\d)")
_HAS_TO = re.compile(
    r"\b(ist|sind)\b(?P<between>[^.;]*?)\s"
    r"(?:zu (?P<verb>[a-zäöüß]{3,}n)|(?P<joined>[a-zäöüß]+zu[a-zäöüß]{3,}n))(?=[\s.,;]|$)"
)
_VERB_FIRST = re.compile(
    r"(?:^|(?<=[.!]\s))(?P<verb>Wird|Werden|Wurden?|Ist|Sind|Hat|Haben|Kann|Sollte|Muss|[A-ZÄÖÜ][a-zäöüß]+t)"
    r"(?=\s(?:der|die|das|ein|eine|kein|keine|sie|er|es|man|dies\w*|[A-ZÄÖÜ]\w+)\s[^.?!]*,\s(?:so\s)?"
    r"(?:ist|sind|hat|haben|kann|können|muss|müssen|darf|dürfen|soll|sollen|werden|gilt|[a-zäöüß]+[td])\s)"
)
""""Schlägt die Sicherung fehl, erhält …": a condition."""
_BUT_NOT_IT = re.compile(
    r"\b(?P<verb>ist|sind|war|waren|wird|werden|wurden?|darf|dürfen|kann|können|muss|müssen|hat|haben)\s"
    r"(?P<rest>[^,.;]+),\s(?P<other>(?:[a-zäöü]+\s)?[A-ZÄÖÜ][\wäöüß-]+)\s(?:aber|jedoch|hingegen|dagegen)\snicht\b"
    r"(?=\s*[.,;]|\s*$)"
)
_BUT_RATHER = re.compile(
    r"(?P<who>[^,.;:]*?)\b(?P<verb>ist|sind|war|waren|wird|werden|wurden?)\snicht\s(?!nur\b)(?P<what>[^,.;]+)"
    r",\ssondern\s"
)
_NOT_ONLY = re.compile(r"\bnicht nur\s(?P<one>[^,.;]+),\ssondern(?: auch)?\s")
_IN_THE_YEAR = re.compile(r"\b[Ii]m Jahre? (?=(?:1[5-9]|20)\d\d\b)")
_NOT_BUT = re.compile(r"\bnicht (?:aber|jedoch)\b")
_UNREAL = re.compile(r"\b(?:würde|hätte|wäre|müsste)(?P<many>n?)\b")
_SHORTENED = re.compile(
    r"\b(Mio|Mrd|Tsd)\.(?=\s(?:[a-zäöü€$]|Euro|EUR|US|CHF|Franken|Dollar|Tonnen|Liter|Kubikmeter|Stück|Menschen))"
)
_PAIRS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_TOLD_APART = re.compile(r"\b\w*(?:förder|zähl|drück|schön)\w*", re.IGNORECASE)
"""Words that are others without their umlauts: zählen and zahlen, fördern and fordern."""
_MAY_NOT_EXCEED = re.compile(
    r"\b(?:darf|dürfen|soll|sollen)\s(?P<limit>[^,.;]{0,20}?\d[\d.,]*[^,.;]{0,20}?)\snicht\s(?:übersteigen|überschreiten)\b"
)
_ON_A_WEEKDAY = re.compile(rf"\b(\w+tags?|Mittwoch|Sonnabend), (?:dem|den|der) (\d{{1,2}} {_MONTH}(?: \d{{4}})?),?")
_LIMIT = re.compile(r"\b(höchstens|mindestens|frühestens|spätestens) (?:jedoch|aber)\b")
_DENIED_THING = re.compile(
    r"(?:(?<=\b[Dd](?:ie|er|as|en|em|es)\s)|(?<=\b[Ee]ine\s)|(?<=\b[Ee]ine[rmns]\s))nicht\s"
    r"(?=[a-zäöüß]+e[nrsm]?\s[A-ZÄÖÜ])"
)
"""In "eine nicht bestandene Prüfung" nothing is denied of the test."""
_BORDER = re.compile(r"[.;:!?]\s|[;:()]|,(?!\d)|\b(?:und|oder|aber|sondern|wobei|weil|dass)\b|\n|[.!?]?\s*$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_OF = r"(?:des|der|von|vom|von der|von den|eines|einer)"
_GENITIVE = re.compile(rf"\b([A-ZÄÖÜ][a-zäöüß]{{2,}})\s{_OF}\s(?:[a-zäöüß]+en\s)?([A-ZÄÖÜ][a-zäöüß]{{2,}})")
_COMPOUND = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]{7,}\b")
_DEFINITE = re.compile(r"\b(?:[Dd](?:er|ie|as|en|em|es)|[Dd]iese[rsmn]?)\s([A-ZÄÖÜ][a-zäöüß]{3,})\b")
_ATTRIBUTE = re.compile(r"\b([a-zäöüß]{3,}e[nrsm]?)\s([A-ZÄÖÜ][a-zäöüß]{2,})")
_SHORTEST_KIND = 3
_OTHER_THAN = PARTICLES | {"gegen", "neben", "nicht", "ober", "stell"}
_RUN = re.compile(r"[A-ZÄÖÜ][\wäöüß-]+(?:\s[A-ZÄÖÜ][\wäöüß-]+)+")


def is_german(text: str, quote: str) -> bool:
    """Return whether a sentence and the quote beside which it is judged are German.

    A short sentence has few words that tell, and "in" is English, too: where the quote is clear, it decides.
    """
    language = language_of(quote)
    if language == "de":
        return language_of(text) in ("de", "")
    return not language and language_of(text, least=1) == "de"


def dropped_attribute(text: str, quote: str) -> bool:
    """Return whether ``text`` has a noun of ``quote`` without its adjective: "Mängel" for "sichtbare Mängel"."""
    said = {stem(fold(word)) for word in _WORD.findall(text)}
    pairs = [(fold(one), stem(fold(one)), stem(fold(noun))) for one, noun in _ATTRIBUTE.findall(quote)]
    return any(
        noun in said and one not in said
        for plain, one, noun in pairs
        if plain not in STOP_WORDS | TURNING | DETERMINERS
    )


def small_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a German ``text`` that are written in lower case: no nouns and no names."""
    return frozenset(stem(fold(word)) for word in _WORD.findall(text) if word[0].islower())


def in_one_german(text: str, item: Evidence, question: str) -> tuple[str, Evidence, str]:
    """Return a sentence, its evidence and the question written alike; as they are where they are not German."""
    if not is_german(text, item.quote):
        return text, item, question
    ours, quote, asked = (plain_german(one) for one in (text, item.quote, question))
    heading = tuple(map(plain_german, item.heading))
    ours, quote = _joined_nouns(ours, quote), _joined_nouns(quote, ours)
    ours, quote = _plain_denial(ours, quote), _plain_denial(quote, ours)
    around = f"{item.title} . {' . '.join(heading)}"
    ours = _in_the_words_of(_with_whole_nouns(ours, quote), f"{around} . {quote}")
    return ours, replace(item, quote=quote, heading=heading), _in_the_words_of(asked, f"{around} . {quote}")


@lru_cache(maxsize=1024)
def plain_german(text: str) -> str:
    """Return ``text`` with days in digits, ordinals as 3rd, parted verbs joined, and what must be done as such."""
    text = _NUMERIC_DATE.sub(lambda match: f"{int(match[1])} {_MONTHS[int(match[2]) - 1]} {match[3]}", text)
    text = _DAY.sub(r"\1", text)
    text = _ORDINAL.sub(lambda match: _ordinal(_ORDINAL_AT[fold(match[1] or match[2])]), text)
    text = _ORDINAL_DIGITS.sub(lambda match: _ordinal(int(match[1] or match[2])), text)
    text = _MINUS.sub("−", text)
    text = _FROM_THE.sub("von ", _TO_THE.sub("bis ", text))
    text = _BUT_NOT_IT.sub(r"\g<verb> \g<rest>, aber \g<other> \g<verb> nicht \g<rest>", text)
    text = _NOT_ONLY.sub(r"\g<one> und ", _SHORTENED.sub(r"\1", text))
    text = _NOT_BUT.sub("aber nicht", _IN_THE_YEAR.sub("", text))
    text = _UNREAL.sub(r"könnte\g<many>", text)
    text = _TOLD_APART.sub(lambda match: match.group().translate(_PAIRS), text)
    text = _AT_MOST.sub("höchstens", text)
    text = _BUT_RATHER.sub(r"\g<who>\g<verb> nicht \g<what>, aber \g<who>\g<verb> ", text)
    text = _MAY_NOT_EXCEED.sub(r"beträgt höchstens \g<limit>", text)
    text = _ON_A_WEEKDAY.sub(r"\1 \2", text)
    text = _LIMIT.sub(r"\1", _DENIED_THING.sub("nicht", text))
    text = _VERB_FIRST.sub(lambda match: f"Wenn {match['verb'][0].lower()}{match['verb'][1:]}", text)
    return _HAS_TO.sub(_must, _joined_verbs(text))


def _ordinal(number: int) -> str:
    """Return an ordinal as quantities are read, so that it counts nothing: 3rd."""
    return f"{number}{_ENDINGS.get(number, 'th')}"


def _must(match: re.Match[str]) -> str:
    verb = match["verb"] or re.sub(r"zu(?=[^z]*$)", "", match["joined"], count=1)
    return f"{'muss' if match[1] == 'ist' else 'müssen'}{match['between']} {verb} werden"


def _joined_verbs(text: str) -> str:
    """Return ``text`` with "lehnte … ab" as "ablehnte …": a particle that ends a clause goes before its verb.

    The verb may stand before a comma: "traf am Montag, dem 6. Mai, in Rostock ein".
    """
    done, begun, at = "", 0, 0
    for border in _BORDER.finditer(text):
        clause = text[at : border.start()]
        joined = _joined_verb(clause)
        if joined == clause and done[begun:].strip():
            whole = _joined_verb(done[begun:] + clause)
            done, joined = done[:begun], whole
        done += joined + border.group()
        at = border.end()
        if border.group()[:1] in ".;:!?\n":
            begun = len(done)
    return done + text[at:]


def _joined_verb(clause: str) -> str:
    words = list(_WORD.finditer(clause))
    if len(words) < 2 or words[-1].end() != len(clause.rstrip()) or fold(words[-1].group()) not in PARTICLES:
        return clause
    verb = _finite_verb(clause, words[:-1])
    if verb is None:
        return clause
    last = words[-1]
    between = clause[verb.start() : last.start()].rstrip()
    return f"{clause[: verb.start()]}{last.group()}{between}{clause[last.end() :]}"


def _finite_verb(clause: str, words: list[re.Match[str]]) -> re.Match[str] | None:
    """Return the first word of a clause that can be its verb: in lower case, with such an ending, no adjective."""
    common = function_words("de") | STOP_WORDS | NO_VERBS
    found = [
        match
        for at, match in enumerate(words)
        if match.group()[0].islower()
        and fold(match.group()) not in common
        and (not at or fold(words[at - 1].group()) not in DETERMINERS)
    ]
    likely = [
        match for match in found if is_strong_form(fold(match.group())) or match.group().endswith(("t", "te", "ten"))
    ]
    return next(iter(likely or [match for match in found if match.group().endswith("en")]), None)


def _joined_nouns(text: str, other: str) -> str:
    """Return ``text`` with "Behörde des Hafens" as "Hafenbehörde" where the ``other`` text says so."""
    compounds = set(_COMPOUND.findall(other))

    def joined(match: re.Match[str]) -> str:
        return next((one for one in sorted(compounds) if parts_of(one, match[2], match[1])), match.group())

    return _GENITIVE.sub(joined, text) if compounds else text


def _with_whole_nouns(text: str, quote: str) -> str:
    """Return ``text`` with "der Betrag" as "der Rechnungsbetrag" where the quote has one word only that ends so."""
    known = set(_COMPOUND.findall(quote))

    def whole(match: re.Match[str]) -> str:
        tail = fold(match[1])
        ends = [one for one in known if _is_kind_of(fold(one), tail)]
        if len(ends) != 1 or re.search(rf"\b{tail}\w{{0,2}}\b", fold(quote)):
            return match.group()
        return match.group().replace(match[1], ends[0])

    return _DEFINITE.sub(whole, text)


def _is_kind_of(compound: str, tail: str) -> bool:
    """Return whether a ``compound`` is a kind of ``tail``: a Rechnungsbetrag is a Betrag, a Verkäufer is no Käufer."""
    kind = compound.removesuffix(tail)
    return kind != compound and len(kind) > _SHORTEST_KIND and kind not in _OTHER_THAN


def _plain_denial(text: str, other: str) -> str:
    """Return ``text`` with "unwirksam" as "nicht wirksam" where the ``other`` text has "wirksam" and no "unwirksam"."""
    folded = set(map(fold, _WORD.findall(other)))

    def denied(match: re.Match[str]) -> str:
        word = match[1]
        return f"nicht {word}" if fold(word) in folded and f"un{fold(word)}" not in folded else match.group()

    return re.sub(r"\bun([a-zäöüß]{4,})\b", denied, text)


def _in_the_words_of(text: str, known: str) -> str:
    """Return ``text`` with each word that ``known`` has in another form only in that form."""
    words = dict.fromkeys(word for word in _WORD.findall(known) if fold(word) not in STOP_WORDS | TURNING)
    folded = {fold(word) for word in words}
    proper = _proper_names(text) | _proper_names(known)

    def said(match: re.Match[str]) -> str:
        word = match.group()
        if fold(word) in folded or fold(word) in STOP_WORDS | TURNING or len(word) < 4 or find_dates(f"{word} 2000")[0]:
            return word
        found = next((one for one in words if same_word(word, one)), word)
        if {fold(word), fold(found)} & proper and fold(found) != fold(word).removesuffix("s"):
            return word  # "Hansen" is no form of "Hans"
        return f"{found[0].upper()}{found[1:]}" if not match.start() else found

    return _WORD.sub(said, text)


def with_plain_nouns(text: str, quote: str, question: str) -> tuple[str, str, str]:
    """Return the three with the nouns in lower case that are no names of persons, places or firms; not German as is.

    A name is what follows another capitalised word ("Frau Petersen", "Firma Brenneke"), wherever else it stands.
    """
    if not is_german(text, quote):
        return text, quote, question
    proper = _proper_names(quote) | _proper_names(text)

    def plain(one: str) -> str:
        return _WORD.sub(
            lambda match: match.group() if fold(match.group()) in proper else _uncapitalised(match.group()), one
        )

    return plain(text), plain(quote), plain(question)


def _uncapitalised(word: str) -> str:
    return word[0].lower() + word[1:] if word[1:].islower() else word


def _proper_names(text: str) -> set[str]:
    runs = (match.group().split() for match in _RUN.finditer(text))
    return {fold(word) for run in runs for word in _without_article(run)[1:]}


def _without_article(run: list[str]) -> list[str]:
    return run[1:] if fold(run[0]) in STOP_WORDS or fold(run[0]) in DETERMINERS else run
