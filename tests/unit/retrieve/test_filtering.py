"""Filters become one condition: about files by their documents, about elements by their columns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from desktop_rag.core.filters import parse_filters
from desktop_rag.core.ledger import FileState
from desktop_rag.retrieve.filtering import condition
from desktop_rag.store.files import FileRecord


def record(document: str, shown: str, day: tuple[int, int, int] = (2024, 5, 1)) -> FileRecord:
    mtime = int(time.mktime((*day, 12, 0, 0, 0, 0, -1)) * 1e9)
    return FileRecord(document, 1, Path(shown), shown, 1, mtime, "h", FileState.INDEXED, "", 1, 1, "", "", {})


RECORDS = (
    record("a", "/home/ada/Work/Reports/annual report.pdf"),
    record("b", "/home/ada/Work/Reports/2023/notes.md", (2023, 1, 1)),
    record("c", "/home/ada/private/annual's.csv", (2023, 12, 31)),
)


def chosen(text: str, records: Sequence[FileRecord] = RECORDS) -> str | None:
    filters = parse_filters(text)
    assert filters is not None
    return condition(filters, lambda: records)


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("folder:reports", "ab"),
        ("folder:work/reports", "ab"),
        ("folder:/home/ada/work", "ab"),
        ("folder:report", ""),
        ("folder:2023", "b"),
        ("file:annual", "ac"),
        ("file:ANNUAL -type:csv", "a"),
        ("type:pdf type:md", "ab"),
        ("date:2023", "bc"),
        ("date:2023-12..", "ac"),
        ("-folder:work", "c"),
        ("folder:work type:csv", ""),
    ],
)
def test_files_are_chosen_by_what_fits(text: str, documents: str) -> None:
    listed = ", ".join(f"'{document}'" for document in documents)

    assert chosen(text) == (f"(document IN ({listed}))" if documents else "(false)")


def test_kinds_and_pages_are_tested_on_the_elements() -> None:
    assert chosen("kind:table kind:scan page:3-10 page:20- -page:7") == (
        "(kind IN ('table', 'scan')) AND ((page >= 3 AND page <= 10) OR (page >= 20)) AND "
        "(NOT ((page >= 7 AND page <= 7)))"
    )


def test_the_ledger_is_not_asked_without_need() -> None:
    filters = parse_filters("kind:table")
    assert filters is not None

    assert condition(filters, lambda: pytest.fail("asked")) == "(kind IN ('table'))"
    assert chosen("") is None


def test_values_cannot_break_out_of_the_condition() -> None:
    assert chosen("file:annual's", [record("it's", "/x/annual's.csv")]) == "(document IN ('it''s'))"
