"""The pictures of a web page, as far as they are on this machine: in ``data:`` addresses or beside the saved page."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, unquote_to_bytes

if TYPE_CHECKING:
    from bs4.element import Tag

Load = Callable[[str], bytes]
"""Gives the bytes of the file that a relative address names, or none."""

_LARGEST = 40_000_000
_LEAST_SIDE = 64
"""An image that the page itself shows smaller is an icon."""


def nothing(address: str) -> bytes:
    """Find no picture: of pages that came without their files."""
    return b""


def beside(page: Path) -> Load:
    """Return what finds pictures in the folder of a saved page and below it, and nowhere else."""
    folder = page.parent.resolve()

    def load(address: str) -> bytes:
        try:
            file = (folder / address).resolve()
            if file.is_relative_to(folder) and file.is_file() and file.stat().st_size <= _LARGEST:
                return file.read_bytes()
        except (OSError, ValueError):
            pass
        return b""

    return load


class HtmlPictures:
    """Finds the bytes of a page's images."""

    def __init__(self, load: Load) -> None:
        self._load = load

    def of(self, tag: Tag) -> bytes:
        """Return the bytes of an ``img``; none for icons, and for what only another machine has."""
        if any(_is_small(str(tag.get(side, ""))) for side in ("width", "height")):
            return b""
        address = str(tag.get("src") or "").strip()
        if address.startswith("data:image/"):
            return _inline(address)
        path = unquote(address.split("#")[0].split("?")[0])
        if not path or ":" in path or path.startswith(("/", "\\")):
            return b""
        return self._load(path)


def _is_small(length: str) -> bool:
    digits = length.strip().removesuffix("px")
    return digits.isdigit() and int(digits) < _LEAST_SIDE


def _inline(address: str) -> bytes:
    head, _, body = address.partition(",")
    if len(body) > _LARGEST * 2:
        return b""
    if not head.endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode(unquote(body), validate=False)
    except (binascii.Error, ValueError):
        return b""
