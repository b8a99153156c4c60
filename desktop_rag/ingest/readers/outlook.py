"""Messages of Outlook (.msg) by olefile: headers, text, and what is attached.

A message is a set of properties, each a stream named by its tag and type; dates lie in a table of fixed-size ones.
Source: [MS-OXMSG] and [MS-OXPROPS], open specifications of Microsoft.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Attachment, Block, ElementKind, ReadDocument
from desktop_rag.ingest.readers.attached import with_attachments
from desktop_rag.ingest.readers.containers import OLE
from desktop_rag.ingest.readers.decoding import decode, laid_out
from desktop_rag.ingest.readers.html import html_blocks
from desktop_rag.ingest.readers.office import damaged
from desktop_rag.ingest.readers.text import paragraphs

_WHAT = "an Outlook message"
_SUBJECT, _BODY, _HTML = "0037", "1000", "1013"
_SENDER, _ADDRESSES, _TO, _CC = "0C1A", ("5D01", "0C1F"), "0E04", "0E03"
_SENT, _RECEIVED = 0x0039, 0x0E06
_FILE_NAMES, _FILE_TYPE = ("3707", "3704"), "370E"
_DATA, _INNER = "__substg1.0_37010102", "__substg1.0_3701000D"
_TABLE, _TABLE_HEAD, _INNER_TABLE_HEAD, _ENTRY = "__properties_version1.0", 32, 24, 16
_DEEPEST = 5
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_TIME_TYPE = 0x0040
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


class OutlookReader:
    """Reads one message. Of an alternative in plain text and HTML the plain one is taken."""

    name = "outlook"
    version = 2

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take OLE files that hold a message."""
        return head.startswith(OLE) and suffix == ".msg"

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the message; raises ReadError when it cannot be opened, is damaged, or holds nothing."""
        import olefile

        try:
            with olefile.OleFileIO(str(path)) as container:
                message = _Message(container)
                title = message.text(_SUBJECT) or path.stem
                blocks = list(message.blocks(title))
                attachments = list(message.attachments())
        except PermissionError as error:
            raise ReadError(f"{path.name} cannot be read: {error.strerror}. Check that it may be read.") from error
        except Exception as error:  # whatever a damaged file makes the library raise is the file's fault
            raise damaged(path, _WHAT) from error
        return with_attachments(laid_out(path, title, blocks), attachments)


class _Message:
    """A message: the one of the file, or one in the ``storage`` of an attachment."""

    def __init__(self, container: Any, storage: str = "") -> None:
        self._container = container
        self._storage = storage

    def blocks(self, title: str) -> Iterator[Block]:
        yield Block(ElementKind.TEXT, title, level=1)
        lines = [f"{name}: {value}" for name, value in self._headers() if value]
        yield Block(ElementKind.TEXT, "\n".join(lines))
        body = self.text(_BODY).replace("\r\n", "\n")
        if body:
            yield from paragraphs(body)
        else:
            yield from html_blocks(self.text(_HTML))
        for folder in self._folders():
            name = self._first(_FILE_NAMES, folder) or "without a name"
            kind = self.text(_FILE_TYPE, folder)
            yield Block(ElementKind.TEXT, f"Attachment: {name}" + (f" ({kind})" if kind else ""))

    def text(self, tag: str, folder: str = "") -> str:
        """Return a property as text: it is stored in UTF-16, in an older encoding, or as bytes."""
        for kind in ("001F", "001E", "0102"):
            data = self._stream(f"{folder}__substg1.0_{tag}{kind}")
            if data:
                text = data.decode("utf-16-le", "replace") if kind == "001F" else decode(data)
                return text.strip("\0 \r\n")
        return ""

    def _headers(self) -> Iterator[tuple[str, str]]:
        name, address = self.text(_SENDER), self._first(_ADDRESSES)
        shown = f"{name} <{address}>" if "@" in address and address != name else name or address
        yield from (("From", shown), ("To", self.text(_TO)), ("Cc", self.text(_CC)))
        yield from (("Date", self._date()), ("Subject", self.text(_SUBJECT)))

    def _first(self, tags: tuple[str, ...], folder: str = "") -> str:
        return next(filter(None, (self.text(tag, folder) for tag in tags)), "")

    def _date(self) -> str:
        """Return when the message was sent, else when it came, in ISO form."""
        data = self._stream(_TABLE)
        times = {}
        for at in range(_INNER_TABLE_HEAD if self._storage else _TABLE_HEAD, len(data) - _ENTRY + 1, _ENTRY):
            kind, tag, _, ticks = struct.unpack_from("<HHIQ", data, at)
            if kind == _TIME_TYPE and ticks:
                times[tag] = ticks
        ticks = times.get(_SENT) or times.get(_RECEIVED)
        if not ticks or ticks > 2**62:
            return ""
        return (_EPOCH + timedelta(microseconds=ticks // 10)).strftime("%Y-%m-%d %H:%M UTC")

    def attachments(self, depth: int = 0) -> Iterator[Attachment]:
        """Yield what is attached; a message inside becomes one in the common form of mail, with what it holds."""
        for folder in self._folders():
            name = self._first(_FILE_NAMES, folder)
            data = self._stream(f"{folder}{_DATA}")
            inner = f"{self._storage}{folder}{_INNER}"
            if data:
                yield Attachment(name or "attachment", data)
            elif depth < _DEEPEST and self._container.exists(inner):
                message = _Message(self._container, f"{inner}/")
                mail = message.as_mail(depth + 1).as_bytes()
                yield Attachment(f"{message.text(_SUBJECT) or name or 'message'}.eml", mail)

    def as_mail(self, depth: int) -> EmailMessage:
        """Return the message in the common form of mail, with what is attached to it."""
        mail = EmailMessage()
        for name, value in self._headers():
            if value:
                mail[name] = " ".join(_CONTROL.sub(" ", value).split())
        body = self.text(_BODY)
        mail.set_content(body or self.text(_HTML), subtype="plain" if body else "html")
        for one in self.attachments(depth):
            mail.add_attachment(one.data, maintype="application", subtype="octet-stream", filename=one.name)
        return mail

    def _stream(self, name: str) -> bytes:
        path = f"{self._storage}{name}"
        return bytes(self._container.openstream(path).read()) if self._container.exists(path) else b""

    def _folders(self) -> list[str]:
        depth = self._storage.count("/")
        folders = {
            entry[depth]
            for entry in self._container.listdir()
            if len(entry) > depth
            and "/".join([*entry[:depth], ""]) == self._storage
            and entry[depth].startswith("__attach_version1.0_")
        }
        return sorted(f"{folder}/" for folder in folders)
