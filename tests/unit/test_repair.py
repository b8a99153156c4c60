"""Damaged parts are kept aside and made anew; conversations are saved first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_rag.core.errors import DamagedDataError
from desktop_rag.core.paths import WorkspacePaths
from desktop_rag.repair import mend
from desktop_rag.store.catalogue import Catalogue
from tests.fixtures.in_step import Content, IndexOfDisk


@pytest.fixture
def paths(tmp_path: Path) -> WorkspacePaths:
    return WorkspacePaths("w", tmp_path / "index")


@pytest.fixture
def before(paths: WorkspacePaths, tmp_path: Path) -> dict[str, Content]:
    """Index a folder, hold a conversation, tidy up, and return what is known."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(3):
        (folder / f"note-{number}.txt").write_text(f"Note {number} speaks of parcel {number * 7}.\n", encoding="utf-8")
    index = IndexOfDisk(paths.root, workers=1)
    index.watch(folder)
    index.sync()
    thread = index.catalogue.chats.new_thread("Parcels")
    for number in range(40):
        index.catalogue.chats.begin_turn(thread.id, f"Question {number}: " + "why " * 50)
    assert index.check().sound
    content = index.content()
    index.close()
    return content


@pytest.fixture
def reopened(paths: WorkspacePaths) -> Iterator[list[IndexOfDisk]]:
    opened: list[IndexOfDisk] = []
    yield opened
    for index in opened:
        index.close()


def content_after(paths: WorkspacePaths, reopened: list[IndexOfDisk]) -> dict[str, Content]:
    index = IndexOfDisk(paths.root, workers=1)
    reopened.append(index)
    index.sync()
    assert index.check().sound
    return index.content()


def conversations(paths: WorkspacePaths) -> tuple[list[str], int]:
    with Catalogue.open(paths.catalogue) as catalogue:
        threads = catalogue.chats.threads()
        return [thread.title for thread in threads], sum(len(catalogue.chats.turns(thread.id)) for thread in threads)


def test_a_sound_workspace_is_left_alone(paths: WorkspacePaths, before: dict[str, Content]) -> None:
    assert mend(paths, 512) == ()
    assert not list(paths.root.glob("damaged-*"))


@pytest.mark.parametrize("where", ["whole", "middle", "header"])
def test_a_damaged_catalogue_is_made_anew_with_its_conversations(
    paths: WorkspacePaths, before: dict[str, Content], reopened: list[IndexOfDisk], where: str
) -> None:
    sound = paths.catalogue.read_bytes()
    half = len(sound) // 2
    paths.catalogue.write_bytes(
        {
            "whole": b"\xff" * len(sound),
            "middle": sound[: half - 8192] + b"\xff" * 16384 + sound[half + 8192 :],
            "header": b"\xff" * 100 + sound[100:],
        }[where]
    )
    if where == "header":
        with pytest.raises(DamagedDataError, match="doctor --repair"):
            Catalogue.open(paths.catalogue)

    (said,) = mend(paths, 512)

    assert "1 conversations and 1 folders" in said
    assert conversations(paths) == (["Parcels"], 40)
    (aside,) = paths.root.glob("damaged-*")
    assert (aside / paths.catalogue.name).exists()
    assert content_after(paths, reopened) == before


def test_a_damaged_index_is_made_anew(
    paths: WorkspacePaths, before: dict[str, Content], reopened: list[IndexOfDisk]
) -> None:
    for path in Path(paths.elements_uri).rglob("*.lance"):
        if path.is_file():
            path.write_bytes(b"\xff" * 64)

    (said,) = mend(paths, 512)

    assert "search index was damaged" in said
    assert conversations(paths) == (["Parcels"], 40)
    assert content_after(paths, reopened) == before


def test_a_lost_index_is_made_again_by_the_next_sync(
    paths: WorkspacePaths, before: dict[str, Content], reopened: list[IndexOfDisk]
) -> None:
    Path(paths.elements_uri).rename(paths.root / "lost")
    assert content_after(paths, reopened) == before


def test_a_lost_print_view_is_noticed_and_made_again(
    paths: WorkspacePaths, before: dict[str, Content], reopened: list[IndexOfDisk]
) -> None:
    next(paths.print_views.glob("*.pdf")).unlink()
    index = IndexOfDisk(paths.root, workers=1)
    reopened.append(index)
    assert index.check().missing_views == 1
    index.keeper().read_again_what_is_incomplete()
    index.sync()
    assert index.check().sound
    assert index.content() == before
