"""A document's outline: its headings as a tree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SectionPlace:
    """The section of a document under the heading ``path``; without one, the whole document."""

    document: str
    path: tuple[str, ...] = ()


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

    def as_json(self) -> dict[str, object]:
        """Return the section in the form of the JSON contract."""
        return {
            "title": self.title,
            "page": self.page,
            "last_page": self.last_page,
            "characters": self.characters,
            "children": [child.as_json() for child in self.children],
        }
