"""From a picture file to pages: each picture fills a page of a PDF, in the size in which it would be printed."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from desktop_rag.core.errors import ReadError
from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import Page, ReadDocument
from desktop_rag.ingest.normalise import clean_text

_SCREEN_DPI = 96.0
_BELIEVED_DPI = (50.0, 2400.0)
_MOST_PIXELS = 40_000_000
_MOST_PACKED_PIXELS = 170_000_000
"""As Pillow has it for what it opens itself."""

_HEAD_BYTES = 64
_SMALLEST_PAGE = 8.0
_LARGEST_PAGE = 14_400.0
"""Points: the size of page up to which PDF programs agree."""

_AS_THEY_ARE = {"JPEG": ("RGB", "L"), "PNG": ("RGB", "L", "1", "P")}
"""Formats and colour modes whose bytes a PDF takes without being packed anew."""

_TURNED = 0x0112


def read_image(path: Path) -> ReadDocument:
    """Return the document with a page for each picture of the file, and the PDF of its pages as its print view.

    Raises ReadError for a damaged or far too large picture.
    """
    import pymupdf

    pdf = to_pdf(path)
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        pages = tuple(Page(number, page.rect.width, page.rect.height) for number, page in enumerate(document, start=1))
    what = "This is a picture" if len(pages) == 1 else f"The {len(pages)} pages are pictures"
    return ReadDocument(
        title=clean_text(path.stem.replace("_", " ").replace("-", " "))[:120],
        pages=pages,
        blocks=(),
        print_view=pdf,
        waiting=frozenset({Stage.OCR}),
        missing=f"{what}: words are found only after text recognition.",
    )


def to_pdf(path: Path) -> bytes:
    """Return a PDF with the picture on its page, or each picture of a TIFF file on its own. Raises ReadError."""
    import pymupdf
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings(), _opened(path) as image, pymupdf.open() as document:
            warnings.simplefilter("ignore")  # Pillow warns of odd metadata and of pictures that are merely large
            for picture, width, height in _pictures(path, image):
                page = document.new_page(width=width, height=height)
                page.insert_image(page.rect, stream=picture)
            return bytes(document.tobytes(garbage=0, deflate=False))
    except Image.DecompressionBombError as error:
        raise ReadError(f"{path.name} has too many pixels to be opened. Save it in a smaller size.") from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, RuntimeError) as error:
        raise ReadError(f"{path.name} is a damaged picture: it cannot be opened. Get a fresh copy of it.") from error


def _opened(path: Path) -> Any:
    """Return the open picture. HEIC is what Pillow cannot open by itself; it comes upright from its library."""
    from PIL import Image

    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    brands = {head[at : at + 4] for at in (8, *range(16, len(head), 4))} if head[4:8] == b"ftyp" else set()
    if not brands or brands & {b"avif", b"avis"}:
        return Image.open(path)
    import pi_heif

    picture = pi_heif.open_heif(path)
    if picture.size[0] * picture.size[1] > _MOST_PACKED_PIXELS:
        raise Image.DecompressionBombError(path.name)
    return picture.to_pillow()


def _pictures(path: Path, image: Any) -> Iterator[tuple[bytes, float, float]]:
    """Yield each picture as bytes that a PDF can hold, with the width and height of its page in points."""
    count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    for index in range(count):
        if count > 1:
            image.seek(index)
        width, height = _page_size(image)
        if image.getexif().get(_TURNED, 1) in (5, 6, 7, 8):
            width, height = height, width
        yield _bytes_of(path, image), width, height


def _page_size(image: Any) -> tuple[float, float]:
    """The size in points by the picture's own resolution, if that can be believed, else by that of a screen."""
    across, down = (_resolution(value) for value in (image.info.get("dpi") or (0, 0))[:2])
    if not (across and down and 0.5 < across / down < 2):
        across = down = _SCREEN_DPI
    width, height = image.width * 72 / across, image.height * 72 / down
    factor = min(1.0, _LARGEST_PAGE / max(width, height)) * max(1.0, _SMALLEST_PAGE / min(width, height))
    return width * factor, height * factor


def _resolution(value: Any) -> float:
    try:
        dots = float(value)
    except (TypeError, ValueError, ZeroDivisionError):
        return 0.0
    return dots if _BELIEVED_DPI[0] <= dots <= _BELIEVED_DPI[1] else 0.0


def _bytes_of(path: Path, image: Any) -> bytes:
    """Return the file's own bytes where a PDF can hold them, else the picture as a PNG, upright and on white."""
    from PIL import Image, ImageOps

    turned = image.getexif().get(_TURNED, 1) != 1
    plain = image.mode in _AS_THEY_ARE.get(image.format or "", ()) and "transparency" not in image.info
    small = image.width * image.height <= _MOST_PIXELS
    if plain and small and not turned:
        image.load()  # a picture that breaks off is told here, and not shown half
        return path.read_bytes()
    picture = ImageOps.exif_transpose(image)
    if not small:
        picture.thumbnail((_MOST_PIXELS**0.5,) * 2)
    if picture.mode not in ("1", "L", "RGB"):
        picture = _on_white(picture, Image)
    out = io.BytesIO()
    if image.format is None and picture.mode == "RGB":  # HEIC: as large as the file only if it may lose as little
        picture.save(out, "JPEG", quality=92)
    else:
        picture.save(out, "PNG", compress_level=1)
    return out.getvalue()


def _on_white(picture: Any, pillow: Any) -> Any:
    """Lay what is transparent on white paper, and bring other colours and depths to RGB."""
    if picture.mode.startswith(("I", "F")):
        low, high = picture.getextrema()
        step = 255 / max(high - low, 1)
        return picture.convert("F").point(lambda value: (value - low) * step).convert("L")
    layered = picture.convert("RGBA")
    paper = pillow.new("RGBA", layered.size, "white")
    return pillow.alpha_composite(paper, layered).convert("RGB")
