"""Workspaces as wholes: each stays by itself; nothing is lost when one is renamed, moved, or comes from a backup."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from desktop_rag.core.errors import UserFacingError, WorkspaceBusyError
from desktop_rag.core.paths import workspace_names, workspace_paths
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.lock import WriterLock
from desktop_rag.workspaces import Workspaces
from tests.fixtures.in_step import IndexOfDisk


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    return Workspaces(tmp_path / "home", wait_s=0.0)


@pytest.fixture
def filled(workspaces: Workspaces, tmp_path: Path) -> Path:
    """A workspace "work" with a note and a conversation; return the folder of the note."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("The apple trees were planted in 1987.\n", encoding="utf-8")
    workspaces.create("work")
    index = IndexOfDisk(workspace_paths("work", workspaces.base).root, workers=1)
    index.watch(folder)
    index.sync()
    index.catalogue.chats.begin_turn(index.catalogue.chats.new_thread("Apples").id, "When?")
    index.close()
    return folder


def texts(workspaces: Workspaces, name: str) -> list[str]:
    """Return what can be found in a workspace."""
    paths = workspace_paths(name, workspaces.base)
    with Catalogue.open(paths.catalogue) as catalogue:
        assert [thread.title for thread in catalogue.chats.threads()] == ["Apples"]
        (record,) = catalogue.files.all()
    store = ElementStore(paths.elements_uri, 512)
    found = [element.text for element in store.of_document(record.document)]
    assert (paths.print_views / f"{record.document}.pdf").exists()
    store.close()
    return found


APPLES = ["The apple trees were planted in 1987."]


def test_a_new_workspace_is_listed_and_its_name_is_taken(workspaces: Workspaces) -> None:
    workspaces.create("work")
    assert workspace_names(workspaces.base) == ("default", "work")
    with pytest.raises(UserFacingError, match="already"):
        workspaces.create("work")


def test_nothing_of_one_workspace_is_reachable_from_another(workspaces: Workspaces, filled: Path) -> None:
    workspaces.create("other")
    index = IndexOfDisk(workspace_paths("other", workspaces.base).root, workers=1)
    with Catalogue.open(workspace_paths("work", workspaces.base).catalogue) as catalogue:
        (record,) = catalogue.files.all()
        (thread,) = catalogue.chats.threads()
    assert index.catalogue.files.get(record.document) is None
    assert index.catalogue.chats.turns(thread.id) == ()
    assert index.elements.of_document(record.document) == []
    assert index.elements.search_keyword("apple", 5) == []
    assert index.content() == {}
    index.close()


def test_a_renamed_workspace_keeps_everything(workspaces: Workspaces, filled: Path) -> None:
    workspaces.rename("work", "garden")
    assert workspace_names(workspaces.base) == ("default", "garden")
    assert texts(workspaces, "garden") == APPLES


def test_a_moved_workspace_is_found_in_its_new_place_and_back(
    workspaces: Workspaces, filled: Path, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    row = workspaces.move("work", str(disk))
    assert row.folder == str(disk / "work")
    assert not (workspaces.base / "workspaces" / "work").exists()
    assert texts(workspaces, "work") == APPLES
    assert texts(workspaces, workspaces.rename("work", "garden").name) == APPLES

    workspaces.move("garden", "")
    assert texts(workspaces, "garden") == APPLES
    assert list(disk.iterdir()) == []


def test_a_workspace_whose_disk_is_away_is_told_and_not_made_anew(
    workspaces: Workspaces, filled: Path, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    workspaces.move("work", str(disk))
    disk.rename(tmp_path / "unplugged")
    assert [row.reachable for row in workspaces.all() if row.name == "work"] == [False]
    with pytest.raises(UserFacingError, match="Connect its disk"):
        workspaces.rename("work", "garden")
    assert not disk.exists()


def test_a_backup_brings_everything_back_under_another_name(
    workspaces: Workspaces, filled: Path, tmp_path: Path
) -> None:
    archive = workspaces.back_up("work", str(tmp_path / "work.zip"))
    workspaces.remove("work")
    assert workspace_names(workspaces.base) == ("default",)
    assert (filled / "a.txt").exists()

    assert workspaces.restore(str(archive), "again").name == "again"
    assert texts(workspaces, "again") == APPLES
    assert workspaces.restore(str(archive)).name == "work"


@pytest.mark.parametrize("damage", ["none of ours", "not a zip", "cut short", "climbs out"])
def test_a_bad_archive_leaves_nothing_behind(workspaces: Workspaces, filled: Path, tmp_path: Path, damage: str) -> None:
    archive = workspaces.back_up("work", str(tmp_path / "work.zip"))
    if damage == "not a zip":
        archive.write_bytes(b"hello")
    elif damage == "cut short":
        archive.write_bytes(archive.read_bytes()[:-200])
    elif damage == "none of ours":
        with zipfile.ZipFile(archive, "w") as made:
            made.writestr("hello.txt", "hello")
    else:
        with zipfile.ZipFile(archive, "a") as made:
            made.writestr("../out.txt", "hello")
    with pytest.raises(UserFacingError):
        workspaces.restore(str(archive), "again")
    assert workspace_names(workspaces.base) == ("default", "work")
    assert not (workspaces.base / "out.txt").exists()


def test_a_workspace_in_use_is_left_alone(workspaces: Workspaces, filled: Path) -> None:
    with WriterLock(workspace_paths("work", workspaces.base).lock), pytest.raises(WorkspaceBusyError):
        workspaces.remove("work")
    assert texts(workspaces, "work") == APPLES


def test_the_default_workspace_keeps_its_name(workspaces: Workspaces) -> None:
    workspaces.create("default")
    with pytest.raises(UserFacingError, match="opens when none is named"):
        workspaces.rename("default", "other")
