"""Tags of files and folders: they go with what moves, and go away with what is removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.tags import checked_tag
from desktop_rag.store.catalogue import Catalogue
from tests.unit.store.make import source


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue.open(tmp_path / "home" / "catalogue.sqlite")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    (docs / "tax").mkdir(parents=True)
    return docs


def add(catalogue: Catalogue, path: Path) -> str:
    folder = catalogue.folders.add(path.parents[0], "docs")
    return catalogue.files.add(source(path, folder.id)).document


def tags(catalogue: Catalogue) -> dict[str, set[str]]:
    return {document: set(names) for document, names in catalogue.tags.of_files(catalogue.files.all()).items()}


def move(catalogue: Catalogue, document: str, new: Path) -> None:
    record = catalogue.files.get(document)
    assert record is not None
    catalogue.tags.before_move(record.path, new)
    catalogue.files.move(document, source(new, record.folder_id))


def test_a_file_has_its_own_tags_and_those_of_the_folders_above_it(catalogue: Catalogue, docs: Path) -> None:
    tax, other = add(catalogue, docs / "tax" / "a.pdf"), add(catalogue, docs / "b.pdf")
    assert tags(catalogue) == {}
    assert not catalogue.tags.are_there

    catalogue.tags.put("open", [tax, other], [])
    catalogue.tags.put("money", [], [docs / "tax"])
    assert tags(catalogue) == {tax: {"open", "money"}, other: {"open"}}
    late = add(catalogue, docs / "tax" / "late.pdf")
    assert tags(catalogue)[late] == {"money"}

    catalogue.tags.take("open", [tax], [docs / "tax"])
    assert tags(catalogue)[tax] == {"money"}
    catalogue.tags.forget_below(docs)
    assert tags(catalogue) == {other: {"open"}}


def test_what_is_attached_has_the_tags_of_its_message(catalogue: Catalogue, docs: Path, tmp_path: Path) -> None:
    mail, attached = add(catalogue, docs / "mail.eml"), add(catalogue, tmp_path / "kept" / "a.pdf")
    catalogue.files.update(attached, parent=mail)
    catalogue.tags.put("trip", [mail], [])

    assert tags(catalogue) == {mail: {"trip"}, attached: {"trip"}}


def test_a_tag_goes_with_a_moved_file_and_away_with_a_removed_one(catalogue: Catalogue, docs: Path) -> None:
    document = add(catalogue, docs / "a.pdf")
    catalogue.tags.put("open", [document], [])
    move(catalogue, document, docs / "tax" / "renamed.pdf")
    assert tags(catalogue) == {document: {"open"}}

    catalogue.files.remove([document])
    add(catalogue, docs / "tax" / "renamed.pdf")
    assert tags(catalogue) == {}


@pytest.mark.parametrize("new_name", ["taxes", "archive/tax"])
def test_a_tagged_folder_that_is_renamed_or_moved_keeps_its_tag(
    catalogue: Catalogue, docs: Path, new_name: str
) -> None:
    first, second = add(catalogue, docs / "tax" / "a.pdf"), add(catalogue, docs / "tax" / "2024" / "b.pdf")
    catalogue.tags.put("money", [], [docs / "tax"])
    (docs / "tax").rmdir()

    move(catalogue, second, docs / new_name / "2024" / "b.pdf")
    move(catalogue, first, docs / new_name / "a.pdf")

    assert list(catalogue.tags.of_folders()) == [docs / new_name]
    assert tags(catalogue) == {first: {"money"}, second: {"money"}}


def test_a_file_that_leaves_a_tagged_folder_leaves_its_tag(catalogue: Catalogue, docs: Path) -> None:
    document = add(catalogue, docs / "tax" / "a.pdf")
    add(catalogue, docs / "letters" / "b.pdf")
    catalogue.tags.put("money", [], [docs / "tax"])

    move(catalogue, document, docs / "other" / "a.pdf")  # the folder is still there
    assert tags(catalogue) == {}
    move(catalogue, document, docs / "tax" / "a.pdf")
    (docs / "tax").rmdir()
    move(catalogue, document, docs / "letters" / "a.pdf")  # where others were before
    assert tags(catalogue) == {}


def test_a_tag_is_one_line_in_lower_case() -> None:
    assert checked_tag("  Tax  2024 ") == "tax 2024"
    for bad in ("", "  ", 'a "b"', "x" * 61, "bell\a"):
        with pytest.raises(UserFacingError, match="cannot be a tag"):
            checked_tag(bad)
