"""What lies in the folder of a page model: which family, how large, and whether it is whole. Loads nothing."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import blake3

from desktop_rag.core.errors import ModelError


class Loader(StrEnum):
    """The library that loads a family."""

    BYALDI = "byaldi"
    COLPALI_ENGINE = "colpali_engine"
    TRANSFORMERS = "transformers"


class Grid(StrEnum):
    """How the patches of a picture lie in the sequence of its vectors."""

    SQUARE = "square"
    """As many columns as rows, row by row."""
    DYNAMIC = "dynamic"
    """Row by row, in a grid that follows the shape of the picture."""
    TILES = "tiles"
    """Tile by tile, each row by row; the last tile is the whole picture once more, small."""
    LINES = "lines"
    """Row by row after one token for the whole picture, with a token at the end of each row."""


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of page model: who loads it, by which classes, and how its patches lie.

    ``mark`` is what byaldi looks for in a path to tell its two families apart.
    """

    architecture: str
    loader: Loader
    processor: str
    grid: Grid
    mark: str = ""


FAMILIES: tuple[Family, ...] = (
    Family("ColPali", Loader.BYALDI, "ColPaliProcessor", Grid.SQUARE, "colpali"),
    Family("ColQwen2", Loader.BYALDI, "ColQwen2Processor", Grid.DYNAMIC, "colqwen2"),
    Family("ColIdefics3", Loader.COLPALI_ENGINE, "ColIdefics3Processor", Grid.TILES),
    Family("ColModernVBert", Loader.COLPALI_ENGINE, "ColModernVBertProcessor", Grid.TILES),
    Family("ColQwen2_5", Loader.COLPALI_ENGINE, "ColQwen2_5_Processor", Grid.DYNAMIC),
    Family("ColQwen3", Loader.COLPALI_ENGINE, "ColQwen3Processor", Grid.DYNAMIC),
    Family("ColPaliForRetrieval", Loader.TRANSFORMERS, "ColPaliProcessor", Grid.SQUARE),
    Family("ColQwen2ForRetrieval", Loader.TRANSFORMERS, "ColQwen2Processor", Grid.DYNAMIC),
    Family("ColModernVBertForRetrieval", Loader.TRANSFORMERS, "ColModernVBertProcessor", Grid.TILES),
    Family("NeoMMEForRetrieval", Loader.TRANSFORMERS, "NeoMMEProcessor", Grid.LINES),
)
"""A new family is a line here, if its patches lie in one of the known ways."""

_HEADER_BYTES = 8
_LARGEST_HEADER = 100_000_000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder that holds a whole page model; ``weights`` is the size of its weights in bytes."""

    folder: Path
    family: Family
    weights: int


def inspect(folder: Path) -> Checkpoint:
    """Look at a folder. Raises ModelError saying what is wrong with it and what to do."""
    if not folder.is_dir():
        raise ModelError(f"{folder} is not there, or is no folder. Name the folder that holds the model's config.json.")
    if (folder / "adapter_config.json").is_file():
        refuse_adapter(folder)
    config = read_json(folder / "config.json")
    family = _family(folder, config)
    refuse_unfinished(folder)
    refuse_wordless(folder)
    return Checkpoint(folder, family, sum(file.stat().st_size for file in weight_files(folder)))


def refuse_wordless(folder: Path) -> None:
    """Raise ModelError unless the vocabulary of a model is in its folder."""
    if not any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer.model")):
        raise ModelError(f"{folder} has no tokenizer. The download is not complete: fetch all files of the model.")


def listing(folder: Path, names: Sequence[str] = ()) -> dict[str, list[int]]:
    """Return size and time of change of each file below ``folder``: as long as they are equal, so is the model.

    With ``names``, only these files of the folder count; those that are gone are left out.
    """
    found = [folder / name for name in names] if names else folder.rglob("*")
    files = sorted(file for file in found if file.is_file() and not file.name.startswith("."))
    return {file.relative_to(folder).as_posix(): [file.stat().st_size, file.stat().st_mtime_ns] for file in files}


def digest_of(folder: Path, names: Sequence[str] = ()) -> str:
    """Return a digest of all files of a model (see :func:`listing`); some seconds for some gigabytes."""
    digest = blake3.blake3(max_threads=2)
    for name in listing(folder, names):
        digest.update(f"{name}\n".encode())
        if (folder / name).stat().st_size:
            digest.update_mmap(folder / name)
    return digest.hexdigest()[:16]


def _family(folder: Path, config: dict[str, Any]) -> Family:
    named = config.get("architectures") or []
    for family in FAMILIES:
        if family.architecture in named:
            return family
    what = ", ".join(map(str, named)) or str(config.get("model_type", "of an unknown kind"))
    known = ", ".join(dict.fromkeys(family.architecture.removesuffix("ForRetrieval") for family in FAMILIES))
    raise ModelError(f"The model in {folder} is {what}, which cannot look at pages here. These can: {known}.")


def refuse_adapter(folder: Path) -> None:
    """Raise ModelError: the folder holds an addition to a model and not the model."""
    base = read_json(folder / "adapter_config.json").get("base_model_name_or_path", "its base model")
    raise ModelError(
        f"{folder} holds only an adapter, a small addition to {base}, and not the whole model. Take a version of the "
        "model with the adapter merged in."
    )


def refuse_unfinished(folder: Path) -> None:
    """Raise ModelError, saying what is missing, unless all weights of a model are in its folder."""
    parts = [file for pattern in ("*.incomplete", "*.part", "*.tmp") for file in folder.glob(pattern)]
    if parts:
        raise ModelError(f"{parts[0].name} in {folder} is only partly downloaded. Let the download end, or repeat it.")
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        wanted = sorted({str(name) for name in read_json(index).get("weight_map", {}).values()})
        missing = [name for name in wanted if not (folder / name).is_file()]
        if missing:
            raise ModelError(
                f"{folder} lacks {len(missing)} of {len(wanted)} files with weights, e.g. {missing[0]}. The download "
                "is not complete: fetch them, too."
            )
    files = weight_files(folder)
    if not files:
        raise ModelError(f"{folder} has no weights (*.safetensors). The download is not complete: fetch all files.")
    for file in files:
        if file.suffix == ".safetensors" and file.stat().st_size < _announced_bytes(file):
            raise ModelError(f"{file} ends too early. The download broke off: fetch this file again.")


def _announced_bytes(file: Path) -> int:
    """Return how long a safetensors file says that it is: header length, header, and the end of the last tensor."""
    try:
        with file.open("rb") as opened:
            length = int(struct.unpack("<Q", opened.read(_HEADER_BYTES))[0])
            if length > _LARGEST_HEADER:
                raise ValueError("no header")
            header: dict[str, Any] = json.loads(opened.read(length))
        ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
        return _HEADER_BYTES + length + int(max(ends, default=0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise ModelError(f"{file} is damaged, or not what its name says. Fetch this file again.") from error


def weight_files(folder: Path) -> list[Path]:
    """Return the files with weights in the folder of a model."""
    return sorted([*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")])


def read_json(file: Path) -> dict[str, Any]:
    """Return what a file of a model's folder says. Raises ModelError when it is not there or not JSON."""
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelError(
            f"{file.parent} is not the folder of a model: it has no {file.name}. Name the folder that holds it."
        ) from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} cannot be read ({error}). Fetch this file again.") from error
    if not isinstance(read, dict):
        raise ModelError(f"{file} does not say what the model is. Fetch this file again.")
    return read
