"""Workspaces that do not lie in the data folder: on another disk, or with their index on an object store."""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from desktop_rag.core.errors import UserFacingError

_FILE = "workspaces.toml"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a workspace lies: its ``folder`` and the address of its ``index``; empty means the usual place."""

    folder: str = ""
    index: str = ""


def load_places(base: Path) -> dict[str, Place]:
    """Return the workspaces under ``base`` that have a place of their own; raises UserFacingError for a bad file."""
    path = base / _FILE
    try:
        stored = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserFacingError(f"{path} is not valid TOML ({error}). Correct it.") from error
    except OSError as error:
        raise UserFacingError(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error
    places = {}
    for name, values in stored.items():
        folder, index = (values.get("folder", ""), values.get("index", "")) if isinstance(values, dict) else (None, "")
        if not isinstance(folder, str) or not isinstance(index, str):
            raise UserFacingError(f"{path}: the entry '{name}' is not understood. Correct it or delete it.")
        places[name] = Place(folder, index)
    return places


def save_places(base: Path, places: Mapping[str, Place]) -> None:
    """Write the places under ``base``, whole or not at all."""
    values = {
        name: {key: value for key, value in (("folder", place.folder), ("index", place.index)) if value}
        for name, place in places.items()
        if place != Place()
    }
    base.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=base, prefix=_FILE, suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            tomli_w.dump(values, file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(base / _FILE)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
