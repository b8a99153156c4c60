"""Questions that one document may answer, made of its headings, tables, definitions and captions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise, takewhile

from desktop_rag.core.languages import language_of
from desktop_rag.core.tables import TableData
from desktop_rag.core.types import Element, ElementKind
from desktop_rag.core.words import fold
from desktop_rag.suggest.language import Wording, wordings
from desktop_rag.suggest.phrases import (
    as_question,
    clean_caption,
    clean_heading,
    clean_label,
    clean_subject,
    clean_title,
    names_in,
)

_YEAR = re.compile(r"(?:(?:Year|Jahr) ?)?((?:FY ?)?(?:19|20)\d\d)")
_OPENING = re.compile(r"(?:^|[.!?]\s+|• )((?:\S+ ){4})(?=\S+ \S+)", re.MULTILINE)
"""The first words of a sentence of some length."""
_LEAST_SAID = 120
"""Characters under a heading, so that there is something to say about it."""
_LEAST_INNER = 60
"""Characters under a heading within an element."""
_LEAST_SENTENCE = 8
"""Words of a line that is no heading."""
_LEAST_ANSWER = 5
"""Words after a question in a document, so that they may answer it."""
_CHOICES = re.compile(r"[☐☑□▢◻○◯]|_{3,}|\.{4,}|\(\s*\)|\[\s*\]")
_SHORT_TITLE = 5
"""Words of a title that a question can name; a longer one would be most of what is searched."""
_LONGEST = 110
"""Characters of a question."""
_PER_TABLE = 2
_TABLES = 2


class Source(IntEnum):
    """What a question was made of, the best first."""

    QUESTION = 0
    VALUE = 1
    DEFINITION = 2
    SECTION = 3
    SUBJECT = 4
    FIGURE = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question, and where its answer stands: in one of ``elements``, in a quote that holds all of ``holds``.

    Without ``elements`` it may stand anywhere in the document. With a ``passage``, the quote is mostly out of that.

    What the quote holds beside ``apart``, the question itself, must not be empty.
    """

    question: str
    source: Source
    document: str
    elements: frozenset[str] = frozenset()
    holds: tuple[str, ...] = ()
    apart: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """The beginning of a document as it was read: its file, title, elements in reading order, and small tables."""

    document: str
    file: str
    title: str
    elements: Sequence[Element]
    tables: Sequence[TableData] = ()


def candidates(reading: Reading) -> list[Candidate]:
    """Return the questions that may be asked of a document, the best kind first, each kind in reading order.

    The same document gives the same questions. Without a language of the templates there are only those that the
    document asks and answers itself.
    """
    found = list(_own_questions(reading))
    text = "\n".join(one.text for one in reading.elements)
    wording = wordings().get(language_of(text))
    if wording is not None:
        names = names_in("\n".join(one.text for one in reading.elements if one.kind is not ElementKind.TABLE))
        for some in (_values, _definitions, _sections, _subjects, _figures):
            found.extend(some(reading, wording, names))
    by_words = {fold(one.question): one for one in reversed(found) if len(one.question) <= _LONGEST}
    return list(by_words.values())[::-1]


def _own_questions(reading: Reading) -> Iterator[Candidate]:
    """Yield the headings and lines that ask something which the next lines answer."""
    for at, element in enumerate(reading.elements):
        if element.kind not in (ElementKind.TEXT, ElementKind.SCAN):
            continue
        lines = [line for line in element.text.splitlines() if line.strip()]
        for number, line in enumerate(lines):
            question = as_question(line)
            if not question:
                continue
            places = [element]
            following = lines[number + 1 :]
            if not following and at + 1 < len(reading.elements):
                places = [reading.elements[at + 1]]
                following = places[0].text.splitlines()
            if following and _may_answer(following[0]):
                ids = frozenset(one.id for one in places)
                passage = "\n".join(takewhile(lambda after: not as_question(after), following))
                yield Candidate(question, Source.QUESTION, reading.document, ids, apart=line, passage=passage)


def _may_answer(line: str) -> bool:
    return len(line.split()) >= _LEAST_ANSWER and not line.rstrip().endswith("?") and not _CHOICES.search(line)


def _values(reading: Reading, wording: Wording, names: frozenset[str]) -> Iterator[Candidate]:
    """Yield questions for a cell of a table under or beside a year, or a month with its year."""
    fruitful = 0
    for table in reading.tables:
        if not table.header_rows or len(table.rows) <= table.header_rows or fruitful == _TABLES:
            continue
        cells = sorted(_cells(table, wording, names), key=lambda cell: _is_clumsy(cell[0], wording))
        for label, time, holds in cells[:_PER_TABLE]:
            question = wording.value.format(label=label, time=time)
            yield Candidate(question, Source.VALUE, reading.document, holds=holds)
        fruitful += bool(cells)


def _cells(table: TableData, wording: Wording, names: frozenset[str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield label, time, and what a quote of the row holds, for the numbers of the latest time; a label occurs once."""
    header, rows = table.header, table.rows[table.header_rows :]
    firsts = Counter(fold(row[0]) for row in rows)
    years = {at: found[1] for at, name in enumerate(header) if at and (found := _YEAR.fullmatch(name.strip()))}
    if years:
        latest = max(years, key=lambda at: (years[at][-4:], -at))
        for row in rows:
            label = clean_label(row[0], wording, names) if firsts[fold(row[0])] == 1 else ""
            if label and _is_number(row[latest]):
                yield label, wording.year.format(year=years[latest]), (row[0], row[latest])
        return
    columns = Counter(map(fold, header))
    for row in reversed(rows):
        time = _time(row[0].strip(), wording) if firsts[fold(row[0])] == 1 else ""
        for at, name in enumerate(header):
            label = clean_label(name, wording, names) if at and time and columns[fold(name)] == 1 else ""
            if label and _is_number(row[at]):
                yield label, time, (row[0], row[at])


def _is_clumsy(label: str, wording: Wording) -> bool:
    """Return whether a label reads less well in a question: it has one word, or an article."""
    words = label.split()
    return len(words) == 1 or not wording.articles.isdisjoint(map(fold, words))


def _time(text: str, wording: Wording) -> str:
    """Return a year, or a month with its year, as it stands after "in"; "" for anything else."""
    if found := _YEAR.fullmatch(text):
        return wording.year.format(year=found[1])
    month, _, year = text.partition(" ")
    return text if fold(month) in wording.months and _YEAR.fullmatch(year) else ""


def _is_number(cell: str) -> bool:
    return any(char.isdigit() for char in cell) and len(cell) <= 24


def _definitions(reading: Reading, wording: Wording, names: frozenset[str]) -> Iterator[Candidate]:
    verbs = "|".join(re.escape(verb) for verb in sorted(wording.defines, key=len, reverse=True))
    says = re.compile(rf"(?:^|[.!?]\s+)((?:[^\W_][\w-]*\s){{1,4}})(?:{verbs})\s+(?=\S+\s+\S+\s+\S+)", re.MULTILINE)
    for element in reading.elements:
        if element.kind is not ElementKind.TEXT:
            continue
        for match in says.finditer(element.text):
            words = match[1].split()
            article = words[0] if fold(words[0]) in wording.articles and len(words) > 1 else ""
            term = " ".join(words[1:] if article else words)
            if not article and not term[:1].isupper():
                continue
            sure = article or len(words) > 1 or term.isupper()
            if sure and clean_subject(term, wording, names):
                question = wording.definition.format(term=term)
                places = frozenset([element.id])
                yield Candidate(question, Source.DEFINITION, reading.document, places, (f"{term} ",))


def _sections(reading: Reading, wording: Wording, names: frozenset[str]) -> Iterator[Candidate]:
    """Yield questions for headings that stand over enough text, once in the document."""
    places: dict[tuple[str, ...], list[Element]] = {}
    for element in reading.elements:
        if element.heading and element.kind is not ElementKind.FIGURE:
            places.setdefault(element.heading, []).append(element)
    ask = _about(reading, wording)
    above = {path[:depth] for path in places for depth in range(1, len(path) + 1)}
    over = Counter(fold(path[-1]) for path in above)
    for path, elements in places.items():
        heading = clean_heading(path[-1], wording, names) if over[fold(path[-1])] == 1 else ""
        said = sum(len(one.text) for one in elements)
        if not heading or said < _LEAST_SAID or fold(path[-1]) == fold(reading.title):
            continue
        ids = frozenset(one.id for one in elements)
        yield Candidate(ask(heading), Source.SECTION, reading.document, ids, apart=path[-1])
    for element in reading.elements:
        for line, passage in _inner_sections(element):
            heading = clean_heading(line, wording, names)
            if heading and not over[fold(line)] and fold(line) != fold(reading.title):
                ids = frozenset([element.id])
                yield Candidate(ask(heading), Source.SECTION, reading.document, ids, apart=line, passage=passage)


def _about(reading: Reading, wording: Wording) -> Callable[[str], str]:
    """Return what makes a question about something that the document speaks of."""
    title = clean_title(reading.title, reading.file)
    template = wording.section if title and len(title.split()) <= _SHORT_TITLE else wording.section_alone
    return lambda thing: template.format(title=title, heading=thing)


def _inner_sections(element: Element) -> Iterator[tuple[str, str]]:
    """Yield the headings that stand in an element of several short sections, each with the text below it.

    A heading is a short line without an end, between the end of a sentence and the beginning of one or of a list.
    """
    if element.kind is not ElementKind.TEXT:
        return
    lines = [line.strip() for line in element.text.splitlines() if line.strip()]
    heads = [at for at in range(len(lines) - 1) if _is_inner_heading(lines, at)]
    for at, end in pairwise([*heads, len(lines)]):
        passage = "\n".join(lines[at + 1 : end])
        if len(passage) >= _LEAST_INNER:
            yield lines[at], passage


def _is_inner_heading(lines: Sequence[str], at: int) -> bool:
    line, after = lines[at], lines[at + 1]
    ended = at < 2 or lines[at - 1][-1] in ".!?:" or lines[at - 1].startswith("•")
    goes_on = after.startswith("•") or (len(after.split()) >= _LEAST_SENTENCE and after[-1] in ".!?:")
    return ended and goes_on and line[0].isupper() and line[-1].isalpha() and len(line.split()) < _LEAST_SENTENCE


def _subjects(reading: Reading, wording: Wording, names: frozenset[str]) -> Iterator[Candidate]:
    """Yield questions for what sentences are about, the most frequent first: for documents without headings."""
    text = "\n".join(one.text for one in reading.elements if one.kind is ElementKind.TEXT)
    ask = _about(reading, wording)
    found: dict[str, str] = {}
    for match in _OPENING.finditer(text):
        words = match[1].split()
        verb = next((at for at, word in enumerate(words) if at and fold(word) in wording.finite), 0)
        subject = " ".join(words[:verb])
        thing = clean_subject(subject, wording, names) if re.fullmatch(wording.subject, subject) else ""
        if thing:
            found.setdefault(thing, thing.split(" ", 1)[-1] if fold(thing.split()[0]) in wording.articles else thing)
    plain = text.casefold()
    for thing in sorted(found, key=lambda one: -plain.count(found[one].casefold())):
        yield Candidate(ask(thing), Source.SUBJECT, reading.document, holds=(found[thing],))


def _figures(reading: Reading, wording: Wording, _names: frozenset[str]) -> Iterator[Candidate]:
    kinds = "|".join(re.escape(kind) for kind in sorted(wording.captions, key=len, reverse=True))
    numbered = re.compile(rf"(?:{kinds})\s*\d+(?:\.\d+)*\s*[.:]?\s+", re.IGNORECASE)
    for element in reading.elements:
        if element.kind is not ElementKind.FIGURE:
            continue
        line = element.text.splitlines()[0] if element.text else ""
        match = numbered.match(line)
        caption = clean_caption(line[match.end() :], wording) if match else ""
        if caption:
            question = wording.figure.format(caption=caption)
            yield Candidate(question, Source.FIGURE, reading.document, frozenset([element.id]), apart=line)
