"""A document's outline is a tree of its headings; a section is what stands under one of them."""

from desktop_rag.core.types import BBox, Element, ElementKind
from desktop_rag.retrieve.outline import outline, section_elements


def element(page: int, text: str, *heading: str) -> Element:
    return Element(f"{page}{text}", "d", page, BBox(0, 0, 1, 1), ElementKind.TEXT, text, (), "", heading, text)


ELEMENTS = (
    element(1, "foreword"),
    element(1, "ab", "One"),
    element(2, "cde", "One", "First"),
    element(3, "f", "One", "Second"),
    element(4, "gh", "Two", "First"),
    element(5, "row", "One", "First"),
)


def test_headings_become_a_tree_with_pages_and_sizes() -> None:
    one, two = outline(ELEMENTS)

    assert (one.title, one.page, one.last_page, one.characters) == ("One", 1, 5, 9)
    assert [(child.path, child.characters) for child in one.children] == [
        (("One", "First"), 6),
        (("One", "Second"), 1),
    ]
    assert [child.title for child in two.children] == ["First"]
    assert two.children[0].children == ()


def test_a_document_without_headings_has_no_outline() -> None:
    assert outline(ELEMENTS[:1]) == ()


def test_a_section_is_all_that_stands_under_its_heading() -> None:
    assert [one.text for one in section_elements(ELEMENTS, ("One", "First"))] == ["cde", "row"]
    assert [one.text for one in section_elements(ELEMENTS, ("Two",))] == ["gh"]
    assert section_elements(ELEMENTS, ()) == ELEMENTS
