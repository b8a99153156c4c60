"""What of a message's attachments is taken: names that every disk can hold, and no more than a limit."""

from __future__ import annotations

import pytest

from desktop_rag.core.types import Attachment, ReadDocument
from desktop_rag.ingest.readers import attached
from desktop_rag.ingest.readers.attached import safe_name, with_attachments

MESSAGE = ReadDocument("A message", (), ())


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("Übersicht – 概要.pdf", "Übersicht – 概要.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ann\\plan.docx", "plan.docx"),
        ("a\x00b\nc.txt", "a b c.txt"),
        ('what?"<now>".txt', "what now.txt"),
        ("invoice\u202efdp.exe", "invoice fdp.exe"),
        (".hidden", "hidden"),
        ("CON.txt", "_CON.txt"),
        ("~$draft.docx", "_~$draft.docx"),
        (" . ", "attachment"),
        ("", "attachment"),
    ],
)
def test_names_become_names_of_files(given: str, kept: str) -> None:
    assert safe_name(given) == kept


def test_a_long_name_is_cut_but_keeps_its_suffix() -> None:
    name = safe_name("概" * 200 + ".pdf")
    assert name.endswith("概.pdf")
    assert len(name.encode("utf-8")) <= 124


def test_what_is_over_the_limits_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attached, "LARGEST_BYTES", 10)
    monkeypatch.setattr(attached, "MOST_BYTES", 25)
    given = [
        Attachment("film.mp4", bytes(11)),
        Attachment("a.txt", bytes(10)),
        Attachment("b.txt", bytes(10)),
        Attachment("c.txt", bytes(10)),
        Attachment("d.txt", bytes(5)),
        Attachment("empty.txt", b""),
    ]
    document = with_attachments(MESSAGE, given)
    assert [one.name for one in document.attachments] == ["a.txt", "b.txt", "d.txt"]
    assert document.problem.startswith("2 attachments were not read (film.mp4, c.txt): of a message at most 100 are")


def test_too_many_are_cut_off_and_a_message_without_any_stays_as_it_is() -> None:
    document = with_attachments(MESSAGE, [Attachment(f"{n}.txt", b"x") for n in range(103)])
    assert len(document.attachments) == 100
    assert document.problem.startswith("3 attachments were not read (100.txt, 101.txt, 102.txt)")
    assert with_attachments(MESSAGE, []) is MESSAGE
