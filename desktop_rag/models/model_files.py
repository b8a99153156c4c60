"""What a file or folder is: a chat model, a vision model, a text model, a page model or a reranker. Loads nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_rag.core.errors import ModelError
from desktop_rag.core.model_rows import ModelKind
from desktop_rag.models.gguf import read_head
from desktop_rag.models.page_checkpoints import (
    FAMILIES,
    inspect,
    read_json,
    refuse_adapter,
    refuse_unfinished,
    refuse_wordless,
    weight_files,
)

KIND_NAMES = {
    ModelKind.CHAT: "a chat model",
    ModelKind.VISION: "a vision model",
    ModelKind.EMBEDDING: "a text model",
    ModelKind.PAGE: "a page model",
    ModelKind.RERANKING: "a reranker",
}
"""What people call a model of each kind."""

_PROJECTOR = "clip"
_PART = re.compile(r"-\d{5}-of-\d{5}$")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A whole model in ``folder``. ``names`` are its files there; empty for all that the folder holds.

    ``main`` is the GGUF file of a chat or vision model and ``projector`` that of a vision model's eyes; ``bytes`` are
    those of the weights, and ``title`` is what its files call it, if they do.
    """

    kind: ModelKind
    folder: Path
    family: str
    bytes: int
    main: str = ""
    projector: str = ""
    title: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The files that belong to it; empty for all of the folder."""
        return tuple(name for name in (self.main, self.projector) if name)


def recognise(path: Path, kind: ModelKind | None = None) -> ModelFiles:
    """Look at a file or folder. Raises ModelError saying what is wrong, also when it is a model of another ``kind``."""
    found = _gguf_file(path, kind) if path.is_file() else _in_folder(path, kind)
    if kind is not None and found.kind is not kind:
        raise ModelError(f"{path} is {KIND_NAMES[found.kind]}, not {KIND_NAMES[kind]}. Choose another one.")
    return found


def _in_folder(folder: Path, kind: ModelKind | None) -> ModelFiles:
    if not folder.is_dir():
        raise ModelError(f"{folder} is not there. Name the file or folder of a model on this computer.")
    if any(folder.glob("*.gguf")):
        return _gguf_folder(folder)
    if (folder / "adapter_config.json").is_file():
        refuse_adapter(folder)
    if kind is ModelKind.PAGE:
        return _page(folder)
    config = read_json(folder / "config.json")
    named = list(map(str, config.get("architectures") or []))
    if any(family.architecture in named for family in FAMILIES):
        return _page(folder)
    if any(name.endswith("ForSequenceClassification") for name in named):
        _refuse_judge(folder, config)
        return _whole(folder, ModelKind.RERANKING, named[0])
    if (folder / "modules.json").is_file():
        return _whole(folder, ModelKind.EMBEDDING, named[0] if named else "sentence-transformers")
    what = ", ".join(named) or "of an unknown kind"
    raise ModelError(
        f"The model in {folder} is {what}, which is of no use here. Of use are: GGUF files (chat and vision models), "
        "folders of sentence-transformers (text models), of cross-encoders (rerankers), and of page models such as "
        "ColPali or ColQwen2."
    )


def _refuse_judge(folder: Path, config: Mapping[str, Any]) -> None:
    """Refuse a model of natural language inference, which looks like a reranker and has other classes."""
    classes = config.get("id2label")
    if isinstance(classes, dict) and any("entail" in str(name).lower() for name in classes.values()):
        raise ModelError(
            f"The model in {folder} judges whether one sentence follows from another, and is no reranker. To have it "
            "check answers, name its folder in the setting nli_model."
        )


def _page(folder: Path) -> ModelFiles:
    checkpoint = inspect(folder)
    return ModelFiles(ModelKind.PAGE, folder, checkpoint.family.architecture, checkpoint.weights)


def _whole(folder: Path, kind: ModelKind, family: str) -> ModelFiles:
    """Return a model of the transformers library if all of it is there."""
    refuse_unfinished(folder)
    if kind is ModelKind.EMBEDDING and not (folder / "tokenizer.json").is_file():
        raise ModelError(f"{folder} has no tokenizer.json. The download is not complete: fetch all files of the model.")
    if not (folder / "vocab.txt").is_file():
        refuse_wordless(folder)
    return ModelFiles(kind, folder, family, sum(file.stat().st_size for file in weight_files(folder)))


def _gguf_file(file: Path, kind: ModelKind | None) -> ModelFiles:
    if file.name.endswith((".part", ".incomplete", ".tmp")):
        raise ModelError(f"{file} is only partly downloaded. Let the download end, or repeat it.")
    if _PART.search(file.stem):
        raise ModelError(f"{file} is one part of a model in several files. Take a version of it in one file.")
    head = read_head(file, "model")
    family = str(head.values.get("general.architecture"))
    if family == _PROJECTOR:
        raise ModelError(
            f"{file} is only the projector of a vision model. Put it into one folder with its model, and choose that "
            "folder."
        )
    beside = _projectors(file.parent) if kind is ModelKind.VISION else []
    if kind is ModelKind.VISION and len(beside) != 1:
        how_many = "no projector" if not beside else f"{len(beside)} projectors"
        raise ModelError(
            f"There is {how_many} beside {file}. A vision model needs its own (its name usually begins with mmproj), "
            "alone with it in one folder."
        )
    eyes = beside[0] if beside else None
    size = head.file_bytes + (eyes.stat().st_size if eyes else 0)
    made = ModelKind.VISION if eyes else ModelKind.CHAT
    return ModelFiles(made, file.parent, family, size, file.name, eyes.name if eyes else "", head.name)


def _gguf_folder(folder: Path) -> ModelFiles:
    eyes = _projectors(folder)
    models = [file for file in sorted(folder.glob("*.gguf")) if file not in eyes]
    if len(models) != 1:
        held = "only projectors" if not models else f"{len(models)} models"
        raise ModelError(f"{folder} holds {held}. Choose the GGUF file of one model, or a folder with one.")
    return _gguf_file(models[0], ModelKind.VISION if eyes else None)


def _projectors(folder: Path) -> list[Path]:
    """Return the GGUF files of a folder that are projectors; what cannot be read is none."""
    found = []
    for file in sorted(folder.glob("*.gguf")):
        try:
            if read_head(file, "model").values.get("general.architecture") == _PROJECTOR:
                found.append(file)
        except ModelError:
            continue
    return found
