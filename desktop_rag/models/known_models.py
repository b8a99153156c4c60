"""The models that are known to be of use: where each is, under what terms, for which languages, and how large."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from desktop_rag.core.model_rows import ModelKind
from desktop_rag.core.paths import resource


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be fetched by name; ``files`` are those of the repository that are wanted (empty: as usual)."""

    name: str
    repository: str
    licence: str
    languages: str
    megabytes: int
    about: str
    kind: ModelKind = ModelKind.PAGE
    files: tuple[str, ...] = ()
    seconds: float | None = None


def known_models() -> tuple[str, tuple[KnownModel, ...]]:
    """Return the address of the hub, and the models that are known to work."""
    said = tomllib.loads(resource("models", "known_models.toml").read_text(encoding="utf-8"))
    return str(said["hub"]), tuple(map(_known, said["models"]))


def _known(said: dict[str, Any]) -> KnownModel:
    files = tuple(map(str, said.get("files", ())))
    return KnownModel(**{**said, "kind": ModelKind(said["kind"]), "files": files})
