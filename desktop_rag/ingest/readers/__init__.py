"""The registry of file formats: which reader takes which file."""

from __future__ import annotations

from pathlib import Path

from desktop_rag.core.errors import ReadError
from desktop_rag.ingest.readers.base import HEAD_BYTES, Reader
from desktop_rag.ingest.readers.containers import true_suffix
from desktop_rag.ingest.readers.delimited import DelimitedReader
from desktop_rag.ingest.readers.epub import EpubReader
from desktop_rag.ingest.readers.html import HtmlReader
from desktop_rag.ingest.readers.image import ImageReader
from desktop_rag.ingest.readers.json_data import JsonReader
from desktop_rag.ingest.readers.mail import MailReader
from desktop_rag.ingest.readers.markdown import MarkdownReader
from desktop_rag.ingest.readers.opendocument import OpenDocumentReader
from desktop_rag.ingest.readers.outlook import OutlookReader
from desktop_rag.ingest.readers.pdf import PdfReader
from desktop_rag.ingest.readers.rtf import RtfReader
from desktop_rag.ingest.readers.slides import SlidesReader
from desktop_rag.ingest.readers.source_code import SourceCodeReader
from desktop_rag.ingest.readers.subtitles import SubtitlesReader
from desktop_rag.ingest.readers.text import TextReader
from desktop_rag.ingest.readers.unknown import unsupported
from desktop_rag.ingest.readers.word import WordReader
from desktop_rag.ingest.readers.workbook import WorkbookReader
from desktop_rag.ingest.readers.workbook_old import OldWorkbookReader

READERS: tuple[Reader, ...] = (
    PdfReader(),
    ImageReader(),
    WordReader(),
    SlidesReader(),
    WorkbookReader(),
    OldWorkbookReader(),
    OpenDocumentReader(),
    EpubReader(),
    RtfReader(),
    OutlookReader(),
    MailReader(),
    SubtitlesReader(),
    JsonReader(),
    SourceCodeReader(),
    MarkdownReader(),
    HtmlReader(),
    DelimitedReader(),
    TextReader(),
)
"""All readers, the most specific first: the first that accepts a file gets it."""


def find_reader(path: Path) -> Reader:
    """Return the reader that takes the file at ``path``.

    Raises ReadError when the file is empty or cannot be opened, UnsupportedError when no reader takes it.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise ReadError(
            f"{path.name} cannot be opened: {error.strerror or error}. Check that it may be read."
        ) from error
    if not head:
        raise ReadError(f"{path.name} is empty (0 bytes). Put the full file there, or delete it.")
    suffix = true_suffix(path, head)
    for reader in READERS:
        if reader.accepts(head, suffix):
            return reader
    raise unsupported(path, head, suffix)
