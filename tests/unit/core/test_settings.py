"""Settings: defaults, what is stored, and what a wrong file says."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.settings import Settings, load_settings, save_settings


def test_missing_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.toml") == Settings()


def test_saved_settings_come_back(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "settings.toml"
    settings = Settings(threads=3, theme="dark", llm_path="/models/größer 🐫.gguf", parse_seconds=9.5)
    save_settings(settings, path)
    assert load_settings(path) == settings


def test_only_what_differs_from_the_defaults_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    save_settings(Settings(threads=3), path)
    assert path.read_text(encoding="utf-8") == "threads = 3\n"


def test_saving_leaves_no_other_file_behind(tmp_path: Path) -> None:
    save_settings(Settings(), tmp_path / "settings.toml")
    assert [entry.name for entry in tmp_path.iterdir()] == ["settings.toml"]


def test_failed_save_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    save_settings(Settings(threads=3), path)
    cannot_be_written: Any = object()
    with pytest.raises(TypeError):
        save_settings(Settings(threads=cannot_be_written), path)
    assert load_settings(path).threads == 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["settings.toml"]


def test_unknown_names_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("threads = 2\nfrom_the_future = true\n", encoding="utf-8")
    assert load_settings(path) == Settings(threads=2)


def test_whole_number_will_do_for_seconds(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("parse_seconds = 30\n", encoding="utf-8")
    assert load_settings(path).parse_seconds == 30.0


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('threads = "four"', "threads"),
        ("threads = true", "threads"),
        ("threads = -1", "threads"),
        ("evidence = 0", "evidence"),
        ('theme = "purple"', "theme"),
        ('route = "teleport"', "route"),
        ("parse_seconds = 0", "parse_seconds"),
    ],
)
def test_wrong_value_names_the_setting_and_the_file(tmp_path: Path, line: str, name: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(UserFacingError, match=name) as caught:
        load_settings(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"threads = ", b"\xff\xfe\x00"])
def test_file_that_is_no_toml_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    with pytest.raises(UserFacingError, match="not valid TOML"):
        load_settings(path)


def test_every_setting_says_what_it_is_for() -> None:
    assert all(item.metadata["help"].endswith(".") for item in dataclasses.fields(Settings))


def test_zero_threads_and_workers_mean_what_the_machine_has() -> None:
    assert Settings(threads=0).model_threads >= 1
    assert Settings(threads=5).model_threads == 5
    assert Settings(parse_workers=0).parse_processes >= 1
    assert Settings(parse_workers=7).parse_processes == 7
