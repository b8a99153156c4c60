"""``desktop-rag search … --heatmap DIR``: why each page was found, as pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_rag.cli.output import tell
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.types import Hit

if TYPE_CHECKING:
    from desktop_rag.library import Library

_SCALE = 1.5
"""Pixels per point: 108 dpi, about as sharp as a screen."""

_UNSAFE = re.compile(r"[^\w.-]+")


def write_heatmaps(library: Library, query: str, hits: Sequence[Hit], folder: Path) -> list[Path]:
    """Write, for each page among ``hits``, a picture for the whole question and one for each word of it.

    Raises UserFacingError when the folder cannot be written. Pages that nobody looked at are told and left out.
    """
    from desktop_rag.ingest.heat_pictures import overlay

    written: list[Path] = []
    pages: dict[tuple[str, int], Hit] = {}
    for hit in hits:
        pages.setdefault((hit.element.document, hit.element.page), hit)
    for rank, hit in enumerate(pages.values(), start=1):
        heat = library.heat_map(query, hit.element.document, hit.element.page)
        if heat is None:
            tell(f"{hit.file}, p. {hit.element.page}: nobody looked at this page yet, so there is no heat map.")
            continue
        picture = library.page_picture(hit.element.document, hit.element.page, _SCALE)
        name = f"{rank:02}-{_safe(Path(hit.file).stem)}-p{hit.element.page}"
        maps = [("all", heat.total), *((word.word, word.values) for word in heat.words)]
        for number, (label, values) in enumerate(maps):
            path = folder / f"{name}-{number:02}-{_safe(label)}.png"
            _write(path, overlay(picture, heat, values))
            written.append(path)
    return written


def _safe(text: str) -> str:
    return _UNSAFE.sub("_", text)[:60] or "_"


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise UserFacingError(f"{path} cannot be written: {error.strerror}. Choose another folder for it.") from error
