"""Outlook messages: what people see of them."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import ReadDocument
from desktop_rag.ingest.readers import find_reader
from tests.fixtures.ole_file import ole_file

SENT = datetime(2024, 3, 9, 17, 30, tzinfo=UTC)


def times() -> bytes:
    ticks = int((SENT - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
    return bytes(32) + struct.pack("<HHIQ", 0x0040, 0x0039, 6, ticks)


def read(path: Path, streams: dict[str, bytes]) -> ReadDocument:
    path.write_bytes(ole_file(streams))
    reader = find_reader(path)
    assert reader.name == "outlook"
    return reader.read(path, None)


@pytest.mark.parametrize("name", ["a.msg", "a.bin"])
def test_headers_text_and_attachments(tmp_path: Path, name: str) -> None:
    document = read(
        tmp_path / name,
        {
            "__properties_version1.0": times(),
            "__substg1.0_0037001F": "The café".encode("utf-16-le"),
            "__substg1.0_0C1A001F": "Ada".encode("utf-16-le"),
            "__substg1.0_5D01001F": "ada@example.org".encode("utf-16-le"),
            "__substg1.0_0E04001E": "Bob; Zoë".encode("cp1252"),
            "__substg1.0_1000001F": "It opens at nine.\r\n\r\nBring cups.\r\n".encode("utf-16-le"),
            "__attach_version1.0_#00000000/__substg1.0_3707001F": "plan.pdf".encode("utf-16-le"),
            "__attach_version1.0_#00000000/__substg1.0_370E001F": "application/pdf".encode("utf-16-le"),
        },
    )
    assert document.title == "The café"
    assert [block.text for block in document.blocks] == [
        "The café",
        "From: Ada <ada@example.org>\nTo: Bob; Zoë\nDate: 2024-03-09 17:30 UTC\nSubject: The café",
        "It opens at nine.",
        "Bring cups.",
        "Attachment: plan.pdf (application/pdf)",
    ]


def test_a_message_in_html(tmp_path: Path) -> None:
    html = b"<html><body><p>It <b>opens</b>.</p></body></html>"
    streams = {"__properties_version1.0": times(), "__substg1.0_0037001F": b"A\0", "__substg1.0_10130102": html}
    assert read(tmp_path / "a.msg", streams).blocks[-1].text == "It opens."


def test_a_damaged_message_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.msg"
    path.write_bytes(ole_file({"__properties_version1.0": times()})[:900])
    with pytest.raises(ReadError, match=r"a\.msg is damaged: no Outlook message"):
        find_reader(path).read(path, None)
