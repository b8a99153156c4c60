"""Which text of a page a reader would see. What is hidden must not be quoted, and must not reach a language model."""

from __future__ import annotations

from typing import Any

_PAINTED = 16 | 32 | 64  # filled, stroked, or used as a clip for what is painted
_TINY = 1.0
_LIGHT = 0xD0
_CONTRAST = 24
_LARGE = 0.25
_PICTURE_PIXELS = 3_000_000


class Visibility:
    """Judges the text spans of one page; what is costly (pictures, rendering) is done only for doubtful spans."""

    def __init__(self, page: Any, spans: list[dict[str, Any]]) -> None:
        self._page = page
        self._images: list[Any] | None = None
        self._picture: Any = None
        self._crop = _unrotated_size(page)
        doubtful = [span for span in spans if _is_light(span) and span["text"].strip()]
        self._doubtful = _bounds(doubtful) if doubtful else None

    def shows(self, span: dict[str, Any]) -> bool:
        """Say whether a span can be seen, or is the text layer of a picture that can be seen."""
        x0, y0, x1, y1 = span["bbox"]
        width, height = self._crop
        if span["size"] < _TINY or x1 <= 0 or y1 <= 0 or x0 >= width or y0 >= height:
            return False
        if not span["char_flags"] & _PAINTED or span["alpha"] < 8:
            return self._on_picture(span["bbox"])
        return not (_is_light(span) and span["text"].strip()) or self._has_contrast(span)

    def is_scan(self, letters: int) -> bool:
        """Say whether what there is to read stands in pictures or drawn outlines, and not in the ``letters``."""
        width, height = self._crop
        covered = sum((box[2] - box[0]) * (box[3] - box[1]) for box in self._image_boxes())
        if covered >= _LARGE * width * height:
            return True
        return letters == 0 and any(kind != "ignore-text" for kind, _ in self._page.get_bboxlog())

    def _image_boxes(self) -> list[Any]:
        if self._images is None:
            width, height = self._crop
            kinds = ("fill-image", "fill-imgmask")
            boxes = [box for kind, box in self._page.get_bboxlog() if kind in kinds]
            clipped = [(max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)) for x0, y0, x1, y1 in boxes]
            self._images = [box for box in clipped if box[2] > box[0] and box[3] > box[1]]
        return self._images

    def _on_picture(self, box: tuple[float, float, float, float]) -> bool:
        """Invisible text over a picture of a fair size is what text recognition leaves there."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        least = 0.05 * self._crop[0] * self._crop[1]
        return any(
            x0 <= x <= x1 and y0 <= y <= y1 and (x1 - x0) * (y1 - y0) >= least for x0, y0, x1, y1 in self._image_boxes()
        )

    def _has_contrast(self, span: dict[str, Any]) -> bool:
        """Look at the rendered page: light text is seen only where something darker lies beside its strokes."""
        if self._picture is None:
            self._picture = self._render()
        picture, scale, left, top = self._picture
        x0, y0, x1, y1 = span["bbox"]
        columns = range(max(int((x0 - left) * scale), 0), min(int((x1 - left) * scale) + 1, picture.width))
        rows = range(max(int((y0 - top) * scale), 0), min(int((y1 - top) * scale) + 1, picture.height))
        if not columns or not rows:
            return True
        samples = picture.samples_mv
        lines = [samples[row * picture.stride + columns.start : row * picture.stride + columns.stop] for row in rows]
        darkest = min(min(line) for line in lines)
        lightest = max(max(line) for line in lines)
        return bool(lightest - darkest >= _CONTRAST)

    def _render(self) -> tuple[Any, float, float, float]:
        import pymupdf

        assert self._doubtful is not None
        x0, y0, x1, y1 = self._doubtful
        width, height = self._crop
        clip = pymupdf.Rect(max(x0, 0), max(y0, 0), min(x1, width), min(y1, height))
        scale = min(1.5, (_PICTURE_PIXELS / max(clip.width * clip.height, 1)) ** 0.5)
        rotation = self._page.rotation
        if rotation:
            self._page.set_rotation(0)
        try:
            matrix = pymupdf.Matrix(scale, scale)
            picture = self._page.get_pixmap(matrix=matrix, clip=clip, colorspace=pymupdf.csGRAY, annots=False)
        finally:
            if rotation:
                self._page.set_rotation(rotation)
        return picture, scale, picture.x / scale, picture.y / scale


def _unrotated_size(page: Any) -> tuple[float, float]:
    width, height = page.rect.width, page.rect.height
    return (height, width) if page.rotation % 180 else (width, height)


def _is_light(span: dict[str, Any]) -> bool:
    colour: int = span["color"]
    alpha: int = span["alpha"]
    if not colour and alpha >= 48:  # black, as nearly all text is
        return False
    return min(colour >> 16 & 0xFF, colour >> 8 & 0xFF, colour & 0xFF) >= _LIGHT or alpha < 48


def _bounds(spans: list[dict[str, Any]]) -> tuple[float, float, float, float]:
    boxes = [span["bbox"] for span in spans]
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)
