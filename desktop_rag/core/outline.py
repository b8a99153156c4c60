"""A document's outline: its headings as a tree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it. ``path`` are the headings from the top down to this one.

    ``page`` is where it begins, ``last_page`` where it ends; ``characters`` counts its text, sections below included.
    """

    title: str
    path: tuple[str, ...]
    page: int
    last_page: int
    characters: int
    children: tuple[Section, ...] = ()
