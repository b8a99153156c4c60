"""A conversation taken elsewhere: its words, its quotes, and pictures of the cited places."""

from __future__ import annotations

from dataclasses import replace

from desktop_rag.answer.transcript import around, as_html, as_markdown
from desktop_rag.core.answers import Evidence, Sentence, Turn, Verdict
from desktop_rag.core.types import BBox, Page, PagePicture
from tests.unit.store.make import answer

TURNS = (
    Turn(1, "t", 0.0, "Until when?", answer("t")),
    Turn(2, "t", 60.0, "And *then*?", None),
)


def draw(_item: Evidence, part: BBox) -> PagePicture:
    return PagePicture(b"png", 100, 50, Page(6, 400, 600), 9, part)


def test_markdown_has_questions_sentences_and_quotes_with_their_places() -> None:
    text = as_markdown("Leases | 2025", TURNS)
    assert text.startswith("# Leases \\| 2025\n")
    assert "## Until when?" in text
    assert "It ended on January 1, 2025." in text
    assert "summary.pdf, p. vi (6)" in text
    assert "## And \\*then\\*?" in text
    assert "Not answered to its end." in text


def test_a_refusal_says_why() -> None:
    refused = replace(answer("t"), refused=True, text="No answer.", refusal_reason="Nothing fits.", sentences=())
    text = as_markdown("T", (Turn(1, "t", 0.0, "Q?", refused),))
    assert "No answer. Nothing fits." in text
    assert "summary.pdf" not in text


def test_a_refusal_that_says_why_by_itself_does_not_say_it_twice() -> None:
    why = "no place was found that speaks of it"
    refused = replace(answer("t"), refused=True, text=f"Not answered: {why}.", refusal_reason=why, sentences=())
    assert refused.refusal == f"Not answered: {why}."
    assert as_markdown("T", (Turn(1, "t", 0.0, "Q?", refused),)).count(why) == 1


def test_html_stands_by_itself_with_the_cited_place_lit() -> None:
    page = as_html("A <title>", TURNS, draw)
    assert "<h1>A &lt;title&gt;</h1>" in page
    assert "data:image/png;base64,cG5n" in page
    assert page.count("<i style=") == 2  # the quote stands on two lines
    assert "http" not in page


def test_each_quote_has_a_paragraph_and_sentences_stand_together() -> None:
    prose = Sentence("It ended.", (1,), Verdict.SUPPORTED, "")
    quote = Sentence("“The lease ended.”", (1,), Verdict.QUOTE, "")
    said = replace(answer("t"), sentences=(prose, prose, quote, quote))
    page = as_html("T", (Turn(1, "t", 0.0, "Q?", said),), draw)
    assert "<p>It ended. [1] It ended. [1]</p>\n<p>“The lease ended.” [1]</p>\n<p>“The lease ended.” [1]</p>" in page
    assert "\n\nIt ended. [1] It ended. [1]\n\n“The lease ended.” [1]\n\n" in as_markdown(
        "T", (Turn(1, "t", 0.0, "Q?", said),)
    )


def test_a_conversation_of_one_question_says_it_once() -> None:
    page = as_html("Until when?", TURNS[:1], draw)
    assert "<h1>" not in page
    assert "<h2>Until when?</h2>" in page


def test_a_page_that_cannot_be_drawn_leaves_the_quote_alone() -> None:
    page = as_html("T", TURNS, lambda _item, _part: None)
    assert "<img" not in page
    assert "summary.pdf" in page


def test_the_picture_shows_the_beginning_of_a_tall_quote() -> None:
    part = around(BBox(10, 100, 90, 2000))
    assert (part.x0, part.y0, part.x1) == (0, 72, 340)
    assert part.y1 == 492
