"""Mail messages (.eml) by the standard library: the headers that people read, the text, and what is attached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from mimetypes import guess_extension
from pathlib import Path

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Attachment, Block, ElementKind, ReadDocument
from desktop_rag.ingest.readers.attached import with_attachments
from desktop_rag.ingest.readers.decoding import decode, is_text, laid_out
from desktop_rag.ingest.readers.html import html_blocks
from desktop_rag.ingest.readers.text import paragraphs

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_HEADER_LINE = re.compile(rb"^([A-Za-z][A-Za-z0-9-]*):[ \t]", re.MULTILINE)
_SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
"""Attached by programs, for programs."""

_TELLING = frozenset({b"received", b"mime-version", b"message-id", b"return-path", b"delivered-to"})


class MailReader:
    """Reads one message. Of an alternative in plain text and HTML the plain one is taken."""

    name = "mail"
    version = 2

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take text that begins with mail headers; the name helps but does not decide."""
        first = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
        names = {name.lower() for name in _HEADER_LINE.findall(first)}
        if not is_text(head) or not _HEADER_LINE.match(head) or b"from" not in names:
            return False
        return suffix == ".eml" or bool(names & _TELLING)

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the message; raises ReadError when it cannot be opened or has neither headers nor text."""
        try:
            message = message_from_bytes(path.read_bytes(), policy=policy.default)
        except OSError as error:
            raise ReadError(f"{path.name} cannot be read: {error.strerror or error}.") from error
        title = _header(message, "Subject") or path.stem
        return with_attachments(laid_out(path, title, list(_blocks(message, title))), _attachments(message))


def _blocks(message: EmailMessage, title: str) -> Iterator[Block]:
    yield Block(ElementKind.TEXT, title, level=1)
    lines = [f"{name}: {value}" for name in _HEADERS if (value := _header(message, name))]
    yield Block(ElementKind.TEXT, "\n".join(lines))
    body = message.get_body(preferencelist=("plain", "html"))
    if isinstance(body, EmailMessage):
        text = _text(body)
        yield from html_blocks(text) if body.get_content_subtype() == "html" else paragraphs(text)
    for attachment in message.iter_attachments():
        name = _file_name(attachment) or "without a name"
        yield Block(ElementKind.TEXT, f"Attachment: {name} ({attachment.get_content_type()})")


def _attachments(message: EmailMessage) -> Iterator[Attachment]:
    for part in message.iter_attachments():
        kind = part.get_content_type()
        if kind in _SIGNATURES:
            continue
        inner = part.get_payload()
        if kind == "message/rfc822" and isinstance(inner, list) and inner and isinstance(inner[0], EmailMessage):
            name = _file_name(part) or (_header(inner[0], "Subject") or "message")
            yield Attachment(name if name.lower().endswith(".eml") else f"{name}.eml", inner[0].as_bytes())
            continue
        data = part.get_payload(decode=True)
        if isinstance(data, bytes):
            yield Attachment(_file_name(part) or f"attachment{guess_extension(kind) or ''}", data)


def _file_name(part: EmailMessage) -> str:
    """Return the name that the sender gave; empty where there is none, or a broken one."""
    try:
        return part.get_filename() or ""
    except (ValueError, IndexError, AttributeError, TypeError):
        return ""


def _header(message: EmailMessage, name: str) -> str:
    """Return a header as people read it; broken ones are shown as they are."""
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, IndexError, AttributeError, TypeError):
        raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
        return " ".join(str(raw).split())


def _text(part: EmailMessage) -> str:
    """Return the text of a part; an unknown or wrong charset is guessed from the bytes."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    try:
        return data.decode(part.get_content_charset() or "utf-8").replace("\r\n", "\n")
    except (LookupError, UnicodeDecodeError):
        return decode(data)
