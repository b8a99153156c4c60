"""One file from disk to elements: what a parse worker does, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop_rag.core.errors import NeedsPasswordError, ReadError, UnsupportedError, UserFacingError
from desktop_rag.core.ledger import FileState, Stage
from desktop_rag.core.tables import TableData
from desktop_rag.core.types import Attachment, Element, Page
from desktop_rag.ingest.readers.base import Reader


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file that was read: ``reader`` is its label ("pdf/1.1"); the rest is as in ReadDocument."""

    title: str
    reader: str
    pages: tuple[Page, ...]
    elements: tuple[Element, ...]
    print_view: bytes
    problem: str
    waiting: frozenset[Stage]
    missing: str = ""
    attachments: tuple[Attachment, ...] = ()
    tables: tuple[TableData, ...] = ()


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """A file that was not read: the state for the ledger and the reason; ``reader`` is empty if none took it."""

    state: FileState
    reason: str
    reader: str


def label_of(reader: Reader) -> str:
    """Return what is noted of who read a file ("pdf/1.1"): another version of reader or chunker reads it again."""
    from desktop_rag.ingest.chunks import CHUNKS_VERSION

    return f"{reader.name}/{reader.version}.{CHUNKS_VERSION}"


def parse(
    document: str, path: Path, password: str | None, max_tokens: int, on_pages: Callable[[int], None]
) -> Parsed | ParseFailure:
    """Read the file and cut it into elements. ``on_pages`` hears the number of pages before the long part begins.

    Never raises for a bad document: that is a ParseFailure.
    """
    from desktop_rag.ingest.chunks import chunk
    from desktop_rag.ingest.readers import find_reader
    from desktop_rag.ingest.readers.base import CountsPages

    label = ""
    try:
        reader = find_reader(path)
        label = label_of(reader)
        if isinstance(reader, CountsPages):
            on_pages(reader.count_pages(path, password))
        read = reader.read(path, password)
        elements = chunk(document, read, max_tokens)
    except ReadError as error:
        return failure_of(error, label)
    except MemoryError:
        return ParseFailure(FileState.FAILED, f"{path.name} needs more memory to be read than is allowed.", label)
    except OSError as error:
        reason = f"{path.name} cannot be read: {error.strerror or type(error).__name__}. Check the file and its disk."
        return ParseFailure(FileState.FAILED, reason, label)
    except Exception as error:  # a document that trips up a library is data, not the end of the batch
        reason = (
            f"{path.name} cannot be read: it is damaged, or built in a way that is not understood ({_name(error)})."
        )
        return ParseFailure(FileState.FAILED, reason, label)
    return Parsed(
        title=read.title,
        reader=label,
        pages=read.pages,
        elements=elements,
        print_view=read.print_view,
        problem=read.problem,
        waiting=read.waiting,
        missing=read.missing,
        attachments=read.attachments,
        tables=read.tables,
    )


def failure_of(error: ReadError, reader: str = "") -> ParseFailure:
    """Return what the ledger says of a file that raised ``error`` in a reader, whose label is ``reader``."""
    state = FileState.FAILED
    if isinstance(error, NeedsPasswordError):
        state = FileState.NEEDS_PASSWORD
    elif isinstance(error, UnsupportedError):
        state = FileState.UNSUPPORTED
    return ParseFailure(state, str(error), reader)


def part_failure(error: Exception, path: Path, thing: str) -> ParseFailure:
    """Return what the ledger says of pages of ``path`` on which a later stage raised ``error`` at a ``thing``.

    What trips up a library is data, not the end of a batch: a stage gives every exception to this.
    """
    if isinstance(error, ReadError):
        return failure_of(error)
    if isinstance(error, UserFacingError):
        return ParseFailure(FileState.FAILED, str(error), "")
    if isinstance(error, MemoryError):
        return ParseFailure(FileState.FAILED, f"{path.name} needs more memory than is allowed.", "")
    return ParseFailure(FileState.FAILED, f"{path.name} has {thing} that fails ({_name(error)}).", "")


def _name(error: Exception) -> str:
    return type(error).__name__
