"""Filters hold in a real index, and the outline of a document leads to its sections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_rag.cli.outlines import place_of
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.ledger import Stage
from desktop_rag.core.outline import SectionPlace
from desktop_rag.core.types import Route
from desktop_rag.library import Library

pytestmark = pytest.mark.slow

NOTES = "# Boat\n\nThe boat is blue.\n\n" + "## Engine\n\n" + "The boat engine has four cylinders. " * 30
NOTES += "\n\n## Sails\n\n" + "The boat has a red sail. " * 30


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    folder = tmp_path / "harbour"
    (folder / "old").mkdir(parents=True)
    (folder / "boat.md").write_text(NOTES, encoding="utf-8")
    (folder / "old" / "boat.txt").write_text("An old boat lies here.", encoding="utf-8")
    (folder / "boats.csv").write_text("boat,price\nAda,900\n", encoding="utf-8")
    with Library.open("w", base=tmp_path / "home") as opened:
        opened.add_paths([str(folder)])
        opened.sync(stages={Stage.TEXT})
        yield opened


def names(library: Library, where: str) -> set[str]:
    return {Path(hit.file).name for hit in library.search("boat", route=Route.KEYWORD, k=50, where=where)}


def test_each_filter_leaves_what_fits(library: Library) -> None:
    assert names(library, "") == {"boat.md", "boat.txt", "boats.csv"}
    assert names(library, "type:md type:txt") == {"boat.md", "boat.txt"}
    assert names(library, "-folder:old -kind:table") == {"boat.md"}
    assert names(library, "date:..1999") == set()
    assert names(library, "kind = 'table'") == {"boats.csv"}
    (result,) = library.compare("boat", routes=[Route.KEYWORD], where="folder:harbour/old")
    assert [Path(hit.file).name for hit in result.hits] == ["boat.txt"]
    with pytest.raises(UserFacingError, match="The keys are"):
        names(library, "sort:size")


def test_the_outline_leads_to_the_sections(library: Library) -> None:
    document = next(row.document for row in library.status().files if row.file.endswith("boat.md"))

    (boat,) = library.outline(document)
    engine = next(section for section in boat.children if section.title == "Engine")

    assert {section.title for section in boat.children} == {"Engine", "Sails"}
    read = library.section(document, engine.path)
    assert "four cylinders" in read[0].text
    assert not any("red sail" in element.text for element in read)
    assert len(library.section(document)) > len(read)


def test_files_and_folders_are_tagged_and_searched_by_their_tags(library: Library, tmp_path: Path) -> None:
    library.sync()
    folder = tmp_path / "harbour"
    library.tag_paths([str(folder / "boats.csv")], "For Sale")
    library.tag_paths([str(folder / "old")], "history")
    document = next(row.document for row in library.status().files if row.file.endswith("boat.md"))
    library.tag([document], "for sale")
    assert names(library, 'tag:"For sale"') == {"boats.csv", "boat.md"}
    assert names(library, "tag:history") == {"boat.txt"}
    assert names(library, "-tag:history type:txt type:csv") == {"boats.csv"}
    assert [(row.name, row.files, len(row.folders)) for row in library.tags()] == [
        ("for sale", 2, 0),
        ("history", 1, 1),
    ]

    (folder / "old").rename(folder / "older")
    (folder / "boat.md").rename(folder / "old boat.md")
    (folder / "boats.csv").unlink()
    library.sync()
    assert names(library, "tag:history") == {"boat.txt"}
    assert names(library, 'tag:"for sale"') == {"old boat.md"}

    old = next(row for row in library.status().files if row.file.endswith("boat.txt"))
    assert old.tags == ("history",)
    with pytest.raises(UserFacingError, match="from its folder"):
        library.untag([old.document], "history")
    with pytest.raises(UserFacingError, match="does not have"):
        library.tag_paths([str(tmp_path / "elsewhere")], "history")
    library.tag_paths([str(folder / "older")], "history", wanted=False)
    library.untag([document], "for sale")
    assert library.tags() == ()

    (watched,) = library.folders()
    library.tag_folder(watched.id, "All of it")
    (watched,) = library.folders()
    assert watched.tags == ("all of it",)
    assert {row.tags for row in library.status().files} == {("all of it",)}
    library.tag_folder(watched.id, "all of it", wanted=False)
    assert library.tags() == ()


def test_a_single_file_that_is_watched_is_tagged_as_a_folder_is(library: Library, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The pump was mended in spring.\n")
    library.add_paths([str(note)])
    library.sync()
    watched = next(row for row in library.folders() if row.path.endswith("note.txt"))
    library.tag_folder(watched.id, "pump")
    assert {row.file for row in library.status().files if row.tags == ("pump",)} == {watched.path}
    assert [row.tags for row in library.folders() if row.id == watched.id] == [("pump",)]
    library.tag_folder(watched.id, "pump", wanted=False)
    assert library.tags() == ()


def test_a_section_is_read_as_a_whole(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "harbour" / "boat.md"
    place = place_of(library, file, "sails")
    assert place.path[-1] == "Sails"
    assert place_of(library, file, "Boat > Engine").path == ("Boat", "Engine")
    with pytest.raises(UserFacingError, match="is no heading"):
        place_of(library, file, "Anchor")

    answer = library.ask("What colour has the sail?", section=place, use_model=False)
    assert "red sail" in answer.text
    assert {item.heading[-1] for item in answer.evidence} == {"Sails"}
    assert library.turns(answer.thread)[0].answer is not None
    with pytest.raises(UserFacingError, match="not in the workspace any more"):
        library.ask("What colour has the sail?", section=SectionPlace("gone"))
