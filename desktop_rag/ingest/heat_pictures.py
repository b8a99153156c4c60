"""Heat maps as pictures: a page with the parts that fit a question in warm colours."""

from __future__ import annotations

import io
from collections.abc import Sequence

from desktop_rag.core.heat import HeatMap
from desktop_rag.core.types import PagePicture

_COLD, _WARM, _HOT = (255, 244, 214), (255, 176, 32), (214, 40, 24)
_STRENGTH = 0.62
"""How much of the hottest patch's colour covers the page; words stay readable under it."""

_LEAST = 0.08
"""Heat below this is not shown, so that the page stays a page."""


def overlay(picture: PagePicture, heat: HeatMap, values: Sequence[float]) -> bytes:
    """Return the page as PNG with ``values`` (of the map's total, or of one of its words) laid over it."""
    import numpy as np
    from PIL import Image

    page = Image.open(io.BytesIO(picture.png)).convert("RGB")
    small = np.asarray(values, dtype=np.float32).reshape(heat.rows, heat.columns)
    spread = Image.fromarray(small).resize(page.size, Image.Resampling.BICUBIC)
    shown = np.asarray(spread).clip(0.0, 1.0)[:, :, None]
    below = np.asarray(page, dtype=np.float32)
    cold, warm, hot = (np.asarray(colour, np.float32) for colour in (_COLD, _WARM, _HOT))
    first, second = (2 * shown).clip(0, 1), (2 * shown - 1).clip(0, 1)
    colour = (cold + (warm - cold) * first) * (1 - second) + hot * second
    share = np.where(shown < _LEAST, 0.0, _STRENGTH * shown)
    mixed = below * (1 - share) + below / 255 * colour * share  # multiplied, so that dark letters stay dark
    out = io.BytesIO()
    Image.fromarray(mixed.clip(0, 255).astype(np.uint8)).save(out, "PNG")
    return out.getvalue()
