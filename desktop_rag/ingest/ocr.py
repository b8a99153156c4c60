"""Text recognition: what a recogniser is, and the lines that it finds in a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
"""A picture as rows of pixels, each blue, green and red: shape (height, width, 3)."""

Point = tuple[float, float]
"""Pixels from the left and from the top of a picture, or points of a page."""

Corners = tuple[Point, Point, Point, Point]
"""The corners of a line as it is read: its upper left, upper right, lower right and lower left."""


@dataclass(frozen=True, slots=True)
class RecognisedLine:
    """A line of text in a picture. ``corners`` begin where the text begins, however it is turned.

    ``middles`` says for each character where its middle stands along the line, from 0 (begin) to 1 (end).
    ``confidence`` is the mean certainty of the characters, from 0 to 1.
    """

    text: str
    corners: Corners
    confidence: float
    middles: tuple[float, ...]


class TextRecogniser(Protocol):
    """Finds and reads the lines of a picture, in any order. Making one is cheap; models load at first use."""

    name: str
    """The engine with its version, for the log."""

    def recognise(self, picture: Picture) -> tuple[RecognisedLine, ...]:
        """Return the lines of ``picture``, in any order; those that are not text after all have a low confidence."""
