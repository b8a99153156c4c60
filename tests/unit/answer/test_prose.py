"""The stream is cut into sentences, whatever its pieces are."""

from __future__ import annotations

import pytest

from desktop_rag.answer.prose import ProseReader

TEXT = (
    "<think>Let me see. It is 5.</think>The limit is 5. [1][2] It ends on Jan. 3, 2025 [1]. 1. First item is good.\n"
    "2. Second one [3]\nThe U.S. paid $1,695.1 billion"
)
SENTENCES = [
    "The limit is 5. [1][2]",
    "It ends on Jan. 3, 2025 [1].",
    "1. First item is good.",
    "2. Second one [3]",
    "The U.S. paid $1,695.1 billion",
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 1000])
def test_sentences_do_not_depend_on_the_pieces(size: int) -> None:
    reader = ProseReader()
    found = [sentence for at in range(0, len(TEXT), size) for sentence in reader.feed(TEXT[at : at + size])]
    assert found + reader.finish() == SENTENCES


def test_a_sentence_is_given_as_soon_as_the_next_one_begins() -> None:
    reader = ProseReader()
    assert reader.feed("One is here. ") == []
    assert reader.feed("Two") == ["One is here."]


def test_thinking_is_known_while_it_lasts() -> None:
    reader = ProseReader()
    reader.feed("<think>hm")
    assert reader.thinking
    reader.feed("</think>So")
    assert not reader.thinking
    assert reader.finish() == ["So"]


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_a_date_with_a_dot_ends_no_sentence(size: int) -> None:
    text = "Die Gurken wurden am 26. Mai 2024 gepflanzt. Zone 12. Maybe not. Es sind 12. Ende."
    reader = ProseReader()
    found = [sentence for at in range(0, len(text), size) for sentence in reader.feed(text[at : at + size])]
    found += reader.finish()
    assert found == ["Die Gurken wurden am 26. Mai 2024 gepflanzt.", "Zone 12.", "Maybe not.", "Es sind 12.", "Ende."]
