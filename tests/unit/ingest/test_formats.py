"""Every format that is read: its source in ``tests/fixtures/<format>/`` comes out as its maker put it in, no more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import Element, ElementKind
from desktop_rag.ingest.grids import Grid, parse_markdown, row_text
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.ocr_rapid import RapidRecogniser
from desktop_rag.ingest.ocr_stage import OcrEntry, page_picture
from desktop_rag.ingest.parse import Parsed, parse
from desktop_rag.ingest.readers import READERS, find_reader
from desktop_rag.ingest.readers.base import ShowsPages
from desktop_rag.ingest.table_stage import find
from tests.fixtures.make import SOURCES, make, source_of, truth_of
from tests.fixtures.truth import FORMATS, Piece, Truth

TOKENS = 48
"""So few that sections and tables are cut: what is cut must still be whole together."""
PICTURES = ("png", "jpeg", "webp", "bmp", "gif", "tiff")
SAME_PICTURE = ("jpeg", "webp", "bmp", "gif")


@pytest.fixture(scope="module", autouse=True)
def regenerated(request: pytest.FixtureRequest) -> None:
    """With ``--regenerate``: write all sources and truths anew before they are looked at."""
    if request.config.getoption("--regenerate"):
        for name in SOURCES:
            make(name)


@pytest.fixture(scope="module")
def recogniser() -> OcrEntry:
    return OcrEntry(RapidRecogniser(threads=2))


def elements_of(path: Path, recogniser: OcrEntry | None = None) -> tuple[Parsed, list[Element]]:
    """Return a file as it is read, with the elements of all its stages."""
    parsed = parse("d", path, None, TOKENS, lambda _: None)
    assert isinstance(parsed, Parsed), parsed
    elements = list(parsed.elements)
    part = Part(parsed.title, 1, len(parsed.pages))
    for stage, entry in ((Stage.TABLES, find), (Stage.OCR, recogniser)):
        if stage in parsed.waiting and entry is not None:
            found = entry("d", path, None, TOKENS, lambda _: None, part)
            assert isinstance(found, PartRead), found
            elements += found.elements
    return parsed, elements


def grid_of(elements: Iterable[Element]) -> Grid:
    """Return a table whose rows several elements share."""
    grids = [parse_markdown(element.markdown.split("\n\n")[-1]) for element in elements]
    assert len({grid.header for grid in grids}) == 1
    return Grid(grids[0].header, tuple(row for grid in grids for row in grid.rows))


def is_under(element: Element, piece: Piece, before: str) -> bool:
    """Say whether an element has the headings of a piece, or the first of them and the others in its own text."""
    size = len(element.heading)
    return piece.heading[:size] == element.heading and all(name in before for name in piece.heading[size:])


def check_text(piece: Piece, elements: Sequence[Element]) -> None:
    group = [e for e in elements if e.kind == piece.kind and e.page == piece.page]
    squeezed = ["".join(element.text.split()) for element in group]
    whole, wanted = "".join(squeezed), "".join(piece.text.split())
    at = whole.find(wanted)
    assert at >= 0, f"{piece.text!r} is not in {[element.text for element in group]}"
    ends = [sum(map(len, squeezed[: n + 1])) for n in range(len(group))]
    first = next(n for n, end in enumerate(ends) if end > at)
    assert is_under(group[first], piece, group[first].text), (piece.heading, group[first])


def check_table(piece: Piece, elements: Sequence[Element]) -> None:
    group = [e for e in elements if e.kind is ElementKind.TABLE and e.page == piece.page]
    assert grid_of(group) == Grid(piece.header, piece.rows)
    assert {element.heading for element in group} == {piece.heading}
    said = "\n".join(element.text for element in group)
    assert all(row_text(piece.header, row) in said for row in piece.rows)


def words(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in re.findall(r"[^\W_]+", text))


def said(elements: Sequence[Element]) -> Counter[str]:
    """All words of the elements; of tables the cells without the names that each row repeats."""
    found = words(element.text for element in elements)
    for element in elements:
        if element.kind is ElementKind.TABLE:
            grid = grid_of([element])
            found -= words(row_text(grid.header, row) for row in grid.rows)
            found += words(cell for row in grid.rows for cell in row)
    return found


def put_in(truth: Truth) -> Counter[str]:
    """All words that the maker put in: texts, cells, each heading once, and what comes out beside them."""
    headings = {(piece.page, piece.heading[: n + 1]) for piece in truth.pieces for n in range(len(piece.heading))}
    names = [path[-1] for page, path in headings if not any(p < page and q == path for p, q in headings)]
    cells = [cell for piece in truth.pieces for row in piece.rows for cell in row]
    return words([*names, *cells, *(piece.text for piece in truth.pieces), *truth.asides])


@pytest.mark.parametrize("name", [name for name in SOURCES if name not in PICTURES])
def test_a_source_comes_out_as_it_was_put_in(name: str) -> None:
    truth = Truth.load(truth_of(name))
    parsed, elements = elements_of(source_of(name))
    assert (parsed.title, len(parsed.pages)) == (truth.title, truth.pages)
    for piece in truth.pieces:
        (check_table if piece.rows else check_text)(piece, elements)
    assert said(elements) == put_in(truth)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["png", "tiff"])
def test_a_picture_is_read_word_by_word(name: str, recogniser: OcrEntry) -> None:
    truth = Truth.load(truth_of(name))
    parsed, elements = elements_of(source_of(name), recogniser)
    assert (parsed.title, len(parsed.pages), parsed.elements) == (truth.title, truth.pages, ())
    for piece in truth.pieces:
        check_text(piece, elements)
    assert said(elements) == put_in(truth)


@pytest.mark.parametrize("name", SAME_PICTURE)
def test_a_picture_in_another_format_is_the_same_page(name: str) -> None:
    """So its words are those that are read in the PNG file."""
    assert Truth.load(truth_of(name)) == Truth.load(truth_of("png"))
    pages = []
    for source in (source_of(name), source_of("png")):
        reader = find_reader(source)
        assert isinstance(reader, ShowsPages)
        with reader.open_pages(source, None) as document:
            assert len(document) == 1
            pages.append(page_picture(document[0])[0].astype(int))
    assert pages[0].shape == pages[1].shape
    assert abs(pages[0] - pages[1]).mean() < 2


@pytest.mark.parametrize("name", SOURCES)
def test_the_truth_is_that_of_its_maker_and_sources_are_made_alike_each_time(name: str, tmp_path: Path) -> None:
    made = [source_of(name, tmp_path / run) for run in ("first", "second")]
    for source in made:
        make(name, source.parents[1])
    assert Truth.load(truth_of(name, tmp_path / "first")) == Truth.load(truth_of(name))
    assert made[0].read_bytes() == made[1].read_bytes()


def test_every_reader_has_a_source_and_the_folder_is_small() -> None:
    assert {find_reader(source_of(name)).name for name in SOURCES} == {reader.name for reader in READERS}
    assert sum(path.stat().st_size for name in SOURCES for path in (FORMATS / name).iterdir()) < 2_000_000
