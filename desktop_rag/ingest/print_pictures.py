"""Pictures of documents without pages: checked, made small, and sized for the print view, where they can be looked at.

What a program may have put into a file is opened with care: damaged pictures, vector formats that nothing here draws,
icons, and what stands again and again (a logo on each slide) are left out.
"""

from __future__ import annotations

import hashlib
import io
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from desktop_rag.core.types import Block

_SCREEN_DPI = 96.0
_LEAST_PX = 48
_LEAST_AREA_PX = 10_000
_MOST_PX = 60_000_000
_LONGEST_KEPT_PX = 1_800
_MOST_BYTES = 40_000_000
_HIGHEST = 460.0
"""Points: a picture leaves room for its caption on its page."""

_SHOWN_AGAIN = 3
_AS_THEY_ARE = {"JPEG": ("RGB", "L"), "PNG": ("RGB", "L")}


@dataclass(frozen=True, slots=True)
class PrintPicture:
    """A picture ready to be drawn: bytes that MuPDF knows, and its size in points."""

    data: bytes
    width: float
    height: float

    @property
    def name(self) -> str:
        """The name by which the layout refers to it."""
        return hashlib.blake2b(self.data, digest_size=12).hexdigest()

    def html(self) -> str:
        """Return the tag that draws it."""
        return f'<img src="{self.name}" width="{self.width:.0f}" height="{self.height:.0f}"/>'


def prepared(data: bytes, room: float) -> PrintPicture | None:
    """Return a picture at most ``room`` points wide; None for one that cannot be shown or is but an ornament."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    if not 0 < len(data) <= _MOST_BYTES:
        return None
    try:
        with warnings.catch_warnings(), Image.open(io.BytesIO(data)) as image:
            warnings.simplefilter("ignore")  # Pillow warns of odd metadata and of pictures that are merely large
            if not _is_worth_it(image):
                return None
            width, height = _size(image, room)
            plain = image.mode in _AS_THEY_ARE.get(image.format or "", ()) and "transparency" not in image.info
            if plain and max(image.size) <= _LONGEST_KEPT_PX and image.getexif().get(0x0112, 1) == 1:
                image.load()
                return PrintPicture(data, width, height)
            upright = ImageOps.exif_transpose(image)
            if (upright.width > upright.height) != (image.width > image.height):
                width, height = _size(upright, room)
            return PrintPicture(_small(upright, Image), width, height)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError, EOFError):
        return None


def without_ornaments(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks; pictures that stand in three places or more are taken off: they say nothing of any place."""
    counts = Counter(block.picture for block in blocks if block.picture)
    often = {picture for picture, count in counts.items() if count >= _SHOWN_AGAIN}
    kept = [block for block in blocks if block.picture not in often or block.text]
    return [replace(block, picture=b"") if block.picture in often else block for block in kept]


def archive_of(pictures: Iterable[PrintPicture | None]) -> Any:
    """Return the archive from which a story takes its pictures; None when there are none."""
    import pymupdf

    there = {picture.name: picture for picture in pictures if picture is not None}
    if not there:
        return None
    archive = pymupdf.Archive()
    for name, picture in there.items():
        archive.add(picture.data, name)
    return archive


def _is_worth_it(image: Any) -> bool:
    width, height = image.size
    return bool(min(width, height) >= _LEAST_PX and _LEAST_AREA_PX <= width * height <= _MOST_PX)


def _size(image: Any, room: float) -> tuple[float, float]:
    width, height = (pixels * 72 / _SCREEN_DPI for pixels in image.size)
    factor = min(1.0, room / width, _HIGHEST / height)
    return width * factor, height * factor


def _small(image: Any, pillow: Any) -> bytes:
    """Return the picture on white paper, in a size that no screen shows more of."""
    if image.mode.startswith(("I", "F")):
        image = image.convert("F").convert("L")
    image = image.convert("RGBA") if image.mode in ("P", "PA", "LA", "RGBA") else image.convert("RGB")
    image.thumbnail((_LONGEST_KEPT_PX, _LONGEST_KEPT_PX))
    if image.mode == "RGBA":
        image = pillow.alpha_composite(pillow.new("RGBA", image.size, "white"), image).convert("RGB")
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=3)
    return out.getvalue()
