"""The outline of a document from the heading paths of its elements, and the elements of one section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from desktop_rag.core.outline import Section
from desktop_rag.core.types import Element


@dataclass(slots=True)
class _Node:
    path: tuple[str, ...]
    page: int
    last_page: int
    characters: int = 0
    children: list[_Node] = field(default_factory=list)

    def frozen(self) -> Section:
        below = tuple(child.frozen() for child in self.children)
        return Section(self.path[-1], self.path, self.page, self.last_page, self.characters, below)


def outline(elements: Sequence[Element]) -> tuple[Section, ...]:
    """Return the sections of a document whose ``elements`` come in reading order; empty when it has no headings.

    A heading that comes again, as running heads and tables read later do, is the same section and not another one.
    """
    root = _Node((), 1, 1)
    nodes: dict[tuple[str, ...], _Node] = {(): root}
    for element in elements:
        for depth in range(1, len(element.heading) + 1):
            path = element.heading[:depth]
            node = nodes.get(path)
            if node is None:
                node = nodes[path] = _Node(path, element.page, element.page)
                nodes[path[:-1]].children.append(node)
            node.last_page = max(node.last_page, element.page)
            node.characters += len(element.text)
    return tuple(child.frozen() for child in root.children)


def section_elements(elements: Sequence[Element], path: Sequence[str]) -> tuple[Element, ...]:
    """Return the elements under the heading ``path``, in their order; all of them for an empty path."""
    wanted = tuple(path)
    return tuple(element for element in elements if element.heading[: len(wanted)] == wanted)
