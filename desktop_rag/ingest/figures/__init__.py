"""Figures of pages: pictures and clusters of drawings that say something, with their captions and the words in them."""

from __future__ import annotations

from desktop_rag.ingest.figures.finder import figures_on
from desktop_rag.ingest.figures.found import FoundFigure, Label
from desktop_rag.ingest.figures.output import PlacedFigure, figure_elements

__all__ = ["FoundFigure", "Label", "PlacedFigure", "figure_elements", "figures_on"]
