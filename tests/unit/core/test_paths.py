"""Where things lie, and which names a workspace may have."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.paths import home, resource, workspace_names, workspace_paths


def test_home_is_the_folder_that_the_environment_names(data_home: Path) -> None:
    assert home() == data_home


def test_without_the_variable_home_is_the_platforms_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKTOP_RAG_HOME")
    assert home().name == "desktop-rag"
    assert home().is_absolute()


def test_tilde_in_the_variable_is_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DESKTOP_RAG_HOME", "~/notes")
    assert home() == tmp_path / "notes"


def test_all_places_of_a_workspace_lie_in_its_folder(tmp_path: Path) -> None:
    paths = workspace_paths("Tax 2024", tmp_path)
    assert paths.root == tmp_path / "workspaces" / "Tax 2024"
    places = (paths.catalogue, Path(paths.elements_uri), paths.print_views, paths.lock, paths.log)
    assert len(set(places)) == 5
    assert all(place.parent == paths.root for place in places)


def test_asking_for_the_places_makes_no_folder(tmp_path: Path) -> None:
    workspace_paths("a", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["default", "Ärzte", "v1.2", "a_b-c", "会议", "x" * 64])
def test_names_that_every_platform_takes_are_taken(name: str, tmp_path: Path) -> None:
    assert workspace_paths(name, tmp_path).name == name


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", "a:b", " a", "a ", "a.", "-a", "x" * 65, "a\n"])
def test_names_that_could_leave_the_folder_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserFacingError, match="cannot be the name of a workspace"):
        workspace_paths(name, tmp_path)


def test_workspaces_are_the_folders_that_exist_and_the_default_one(tmp_path: Path) -> None:
    assert workspace_names(tmp_path) == ("default",)
    (tmp_path / "workspaces" / "zoo").mkdir(parents=True)
    (tmp_path / "workspaces" / "a file").write_text("")
    assert workspace_names(tmp_path) == ("default", "zoo")


def test_program_files_are_found_in_a_checkout() -> None:
    assert resource("samples").is_dir()
    assert resource("prompts").is_dir()


def test_missing_program_file_says_that_the_installation_is_incomplete() -> None:
    with pytest.raises(FileNotFoundError, match="install Desktop RAG again"):
        resource("prompts", "no such prompt.txt")
