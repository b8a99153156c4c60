"""What is attached to a message: which files of it are read, and how many and how large ones."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from desktop_rag.core.types import Attachment, ReadDocument

MOST_FILES = 100
LARGEST_BYTES = 64_000_000
MOST_BYTES = 128_000_000
"""Of one message, all attachments together."""

_LONGEST_NAME = 120
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u202a-\u202e\u2066-\u2069\ud800-\udfff]+')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


def safe_name(name: str) -> str:
    """Return ``name`` as every platform takes it for a file: without folders, and not too long, with its suffix."""
    plain = " ".join(_FORBIDDEN.sub(" ", name.replace("\\", "/").rsplit("/", 1)[-1]).split()).strip(". ")
    stem, dot, suffix = plain.rpartition(".")
    if dot and len(suffix) <= 10:
        plain = f"{_cut(stem, _LONGEST_NAME - len(suffix)).rstrip('. ')}.{suffix}"
    else:
        plain = _cut(plain, _LONGEST_NAME)
    plain = plain or "attachment"
    return f"_{plain}" if _RESERVED.match(plain) or plain.startswith((".", "~$")) else plain


def with_attachments(document: ReadDocument, attachments: Iterable[Attachment]) -> ReadDocument:
    """Return the message ``document`` with those of ``attachments`` that are read, and a sentence on the others."""
    taken: list[Attachment] = []
    left: list[str] = []
    total = 0
    for one in attachments:
        if not one.data:
            continue
        if len(taken) >= MOST_FILES or len(one.data) > LARGEST_BYTES or total + len(one.data) > MOST_BYTES:
            left.append(one.name)
            continue
        total += len(one.data)
        taken.append(replace(one, name=safe_name(one.name)))
    if not taken and not left:
        return document
    problem = " ".join(filter(None, (document.problem, _left_out(left))))
    return replace(document, attachments=tuple(taken), problem=problem)


def _left_out(names: list[str]) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    which = "1 attachment was" if len(names) == 1 else f"{len(names)} attachments were"
    return (
        f"{which} not read ({shown}): of a message at most {MOST_FILES} are, each up to "
        f"{LARGEST_BYTES // 1_000_000} MB and {MOST_BYTES // 1_000_000} MB together. Save them as files to have them "
        "read."
    )


def _cut(name: str, length: int) -> str:
    """Cut to ``length`` bytes of UTF-8: file systems count those."""
    return name.encode("utf-8")[: max(1, length)].decode("utf-8", "ignore")
