"""OpenDocument files (.odt, .ods, .odp) by lxml: texts are laid out on pages, sheets and slides keep their numbers."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_rag.core.errors import NeedsPasswordError, ReadError
from desktop_rag.core.types import Block, ReadDocument
from desktop_rag.ingest.readers.containers import ZIP
from desktop_rag.ingest.readers.decoding import blank, laid_out
from desktop_rag.ingest.readers.office import check_archive, damaged, parse_xml
from desktop_rag.ingest.readers.workbook import laid_out_sheets

if TYPE_CHECKING:
    from desktop_rag.ingest.print_numbered import Frame
    from desktop_rag.ingest.readers.odf_body import OdfBody

_KINDS = {
    ".odt": "an OpenDocument text",
    ".ott": "an OpenDocument text",
    ".ods": "an OpenDocument spreadsheet",
    ".ots": "an OpenDocument spreadsheet",
    ".odp": "an OpenDocument presentation",
    ".otp": "an OpenDocument presentation",
}
_WHAT = "an OpenDocument file"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_LENGTH = re.compile(r"([\d.]+)(cm|mm|in|pt)")
_POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0}
_WIDTH = 720.0


class OpenDocumentReader:
    """Reads the three kinds that have words in them; which one it is, the content says."""

    name = "opendocument"
    version = 2

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take archives that hold an OpenDocument text, spreadsheet or presentation."""
        return head.startswith(ZIP) and suffix in _KINDS

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises NeedsPasswordError when it is locked, ReadError when it is damaged or far too large."""
        from desktop_rag.ingest.readers.odf_body import OdfBody

        try:
            with path.open("rb") as file:
                check_archive(path, file, _WHAT)
                with zipfile.ZipFile(file) as package:
                    _refuse_locked(path, package)
                    body = OdfBody(package, parse_xml(package.read("content.xml")))
                    return _laid_out(path, package, body)
        except ReadError:
            raise
        except OSError as error:
            raise ReadError(f"{path.name} cannot be read: {error.strerror or error}.") from error
        except Exception as error:  # whatever a damaged package makes the libraries raise is the file's fault
            raise damaged(path, _WHAT) from error


def _refuse_locked(path: Path, package: zipfile.ZipFile) -> None:
    manifest = package.read("META-INF/manifest.xml") if "META-INF/manifest.xml" in package.namelist() else b""
    if b"encryption-data" in manifest:
        raise NeedsPasswordError(
            f"{path.name} is locked with a password, and locked OpenDocument files are not supported, with or without "
            "it. Open it in the program that made it and save a copy without a password."
        )


def _laid_out(path: Path, package: zipfile.ZipFile, body: OdfBody) -> ReadDocument:
    title = _title(package)
    sheets, slides = body.sheets(), body.slides()
    if sheets:
        return laid_out_sheets(path, title, sheets, too_long=False)
    if slides:
        return _laid_out_slides(path, title, slides, package)
    blocks = body.text()
    highest = [block.text for block in blocks if block.level == 1]
    return laid_out(path, title or (highest[0] if len(highest) == 1 else ""), blocks)


def _laid_out_slides(path: Path, title: str, slides: list[list[Block]], package: zipfile.ZipFile) -> ReadDocument:
    from desktop_rag.ingest.print_view import lay_out_numbered

    blocks = [block for slide in slides for block in slide]
    first = next((block.text for block in blocks if block.level == 1 and block.page == 1), "")
    document = lay_out_numbered(title or first or path.stem, blocks, [_frame(package)] * len(slides))
    if not document.blocks:
        raise blank(path)
    return document


def _frame(package: zipfile.ZipFile) -> Frame:
    """Return a frame with the shape of the slides."""
    from desktop_rag.ingest.print_numbered import Frame
    from desktop_rag.ingest.readers.odf_nodes import FO, STYLE

    root = parse_xml(package.read("styles.xml")) if "styles.xml" in package.namelist() else None
    master = next(root.iter(f"{STYLE}master-page"), None) if root is not None else None
    if root is not None and master is not None:
        wanted = master.get(f"{STYLE}page-layout-name", "")
        for layout in root.iter(f"{STYLE}page-layout"):
            size = layout.find(f"{STYLE}page-layout-properties")
            if layout.get(f"{STYLE}name") == wanted and size is not None:
                width, height = (_points(size.get(f"{FO}{name}", "")) for name in ("page-width", "page-height"))
                if width and height:
                    return Frame(_WIDTH, round(_WIDTH * min(2.0, max(0.3, height / width)), 1))
    return Frame(_WIDTH, _WIDTH * 3 / 4)


def _points(length: str) -> float:
    match = _LENGTH.fullmatch(length)
    return float(match.group(1)) * _POINTS[match.group(2)] if match else 0.0


def _title(package: zipfile.ZipFile) -> str:
    if "meta.xml" not in package.namelist():
        return ""
    title = next(parse_xml(package.read("meta.xml")).iter(_TITLE), None)
    return " ".join((title.text or "").split()) if title is not None else ""
