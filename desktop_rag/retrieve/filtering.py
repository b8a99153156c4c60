"""Filters as a condition on the elements' columns, so that LanceDB tests them before it searches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath

from desktop_rag.core.filters import Filters, Range, Terms
from desktop_rag.store.files import FileRecord
from desktop_rag.store.filters import both, one_of

Tagged = Mapping[str, frozenset[str]]
"""The tags of files by their documents; those without any may be left out."""


def condition(
    filters: Filters,
    records: Callable[[], Sequence[FileRecord]],
    tagged: Callable[[Sequence[FileRecord]], Tagged] = lambda _: {},
) -> str | None:
    """Return the condition, or None when there is none.

    ``records`` are asked for only if files are to be chosen, and what ``tagged`` they are only if by their tags.
    """
    documents = None
    if _about_files(filters.wanted) or _about_files(filters.unwanted):
        files = records()
        tags = tagged(files) if filters.wanted.tags or filters.unwanted.tags else {}
        fit = [record.document for record in files if _fits(record, tags.get(record.document, frozenset()), filters)]
        documents = one_of("document", fit)
    kept, left_out = _about_elements(filters.wanted), _about_elements(filters.unwanted)
    return both(documents, *kept, *(f"NOT ({one})" for one in left_out if one))


def _about_elements(terms: Terms) -> tuple[str | None, ...]:
    # An element without a language has null there, which is neither equal nor unequal to anything in SQL.
    languages = one_of("coalesce(language, '')", terms.languages) if terms.languages else None
    return _kinds(terms), _pages(terms.pages), languages


def _about_files(terms: Terms) -> bool:
    return bool(terms.folders or terms.files or terms.types or terms.dates or terms.tags)


def _fits(record: FileRecord, tags: frozenset[str], filters: Filters) -> bool:
    wanted, unwanted = filters.wanted, filters.unwanted
    tests = _tests(record, tags)
    return all(not values or any(map(test, values)) for test, values in zip(tests, _values(wanted), strict=True)) and (
        not any(test(value) for test, values in zip(tests, _values(unwanted), strict=True) for value in values)
    )


def _values(terms: Terms) -> tuple[Sequence[object], ...]:
    return terms.folders, terms.files, terms.types, terms.dates, terms.tags


def _tests(record: FileRecord, tags: frozenset[str]) -> tuple[Callable[..., bool], ...]:
    """Return what tells whether a folder, a part of a file's name, a type, a range of days and a tag fit the file.

    A folder fits by its name or by the end of its path: "reports" and "work/reports" both fit "ada/work/reports".
    """
    path = PurePath(record.shown.lower())
    above = {"/".join(folder.parts[start:]) for folder in path.parents for start in range(len(folder.parts))}
    above |= {folder.as_posix() for folder in path.parents}
    day = datetime.fromtimestamp(record.mtime_ns / 1e9, UTC).astimezone().date()
    return (
        lambda folder: folder.replace("\\", "/") in above,
        lambda name: name in path.name,
        lambda kind: path.suffix == f".{kind}",
        lambda days: days.holds(day),
        lambda tag: tag in tags,
    )


def _kinds(terms: Terms) -> str | None:
    return one_of("kind", map(str, terms.kinds)) if terms.kinds else None


def _pages(pages: Iterable[Range]) -> str | None:
    return " OR ".join(f"({_between(one)})" for one in pages) or None


def _between(pages: Range) -> str:
    ends = []
    if pages.first is not None:
        ends.append(f"page >= {pages.first:d}")
    if pages.last is not None:
        ends.append(f"page <= {pages.last:d}")
    return " AND ".join(ends)
