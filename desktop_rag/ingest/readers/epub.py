"""Books (.epub): the chapters in the order of the spine, each read as the HTML that it is."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.readers.containers import ZIP
from desktop_rag.ingest.readers.decoding import decode, laid_out
from desktop_rag.ingest.readers.html import html_blocks
from desktop_rag.ingest.readers.html_pictures import Load
from desktop_rag.ingest.readers.office import check_archive, damaged, parse_xml, target_of

if TYPE_CHECKING:
    from lxml.etree import _Element

_WHAT = "an EPUB book"
_FONT_LOCKS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


class EpubReader:
    """Reads the text of all chapters; the table of contents is left out."""

    name = "epub"
    version = 2

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take archives that hold a book."""
        return head.startswith(ZIP) and suffix == ".epub"

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises ReadError when it is locked by its shop, damaged, or far too large."""
        try:
            with path.open("rb") as file:
                check_archive(path, file, _WHAT)
                with zipfile.ZipFile(file) as package:
                    _refuse_locked(path, package)
                    book = _Book(package)
                    blocks = list(book.blocks())
        except ReadError:
            raise
        except OSError as error:
            raise ReadError(f"{path.name} cannot be read: {error.strerror or error}.") from error
        except Exception as error:  # whatever a damaged package makes the libraries raise is the file's fault
            raise damaged(path, _WHAT) from error
        return laid_out(path, book.title, blocks)


def _refuse_locked(path: Path, package: zipfile.ZipFile) -> None:
    """Fonts may be scrambled; anything else that is, is the copy protection of a shop."""
    name = "META-INF/encryption.xml"
    if name not in package.namelist():
        return
    locks = package.read(name)
    if locks.count(b"<EncryptionMethod") + locks.count(b":EncryptionMethod ") > sum(map(locks.count, _FONT_LOCKS)):
        raise ReadError(
            f"{path.name} has a copy protection, so that only the shop's own program can open it. "
            "Get a copy without it, if the shop gives you one."
        )


class _Book:
    def __init__(self, package: zipfile.ZipFile) -> None:
        self._package = package
        container = parse_xml(package.read("META-INF/container.xml"))
        self._place = str(next(container.iter("{*}rootfile")).get("full-path", ""))
        self._root = parse_xml(package.read(self._place))
        title = next(self._root.iter("{http://purl.org/dc/elements/1.1/}title"), None)
        self.title = " ".join((title.text or "").split()) if title is not None else ""

    def blocks(self) -> Iterator[Block]:
        names = set(self._package.namelist())
        for item in self._chapters():
            part = target_of(self._place, unquote(str(item.get("href", ""))))
            if part in names:
                yield from _chapter(decode(self._package.read(part)), self.title, self._loader(part, names))

    def _loader(self, chapter: str, names: set[str]) -> Load:
        """Return what finds the pictures of a chapter in the book."""

        def load(address: str) -> bytes:
            part = target_of(chapter, address)
            return self._package.read(part) if part in names else b""

        return load

    def _chapters(self) -> Iterator[_Element]:
        items = {item.get("id", ""): item for item in self._root.iter("{*}item")}
        for reference in self._root.iter("{*}itemref"):
            item = items.get(reference.get("idref", ""))
            if item is None or item.get("media-type") not in _PAGES or "nav" in item.get("properties", "").split():
                continue
            yield item


def _chapter(html: str, book: str, load: Load) -> Iterator[Block]:
    """Yield the blocks of a chapter; one without a heading gets the title of its page, unless that is the book's."""
    from bs4 import BeautifulSoup

    blocks = html_blocks(html, load)
    if blocks and not any(block.level for block in blocks):
        title = BeautifulSoup(html[:5000], "html.parser").title
        name = " ".join(title.get_text(" ").split()) if title else ""
        if name and name != book:
            yield Block(ElementKind.TEXT, name, level=1)
    yield from blocks
