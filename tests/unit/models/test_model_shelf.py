"""Page models from a folder: what is wrong with it is said by name, and a changed model is noticed."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_rag.core.errors import CancelledError, ModelError
from desktop_rag.core.job import Job
from desktop_rag.core.model_rows import ModelKind
from desktop_rag.models import model_shelf
from desktop_rag.models.known_models import KnownModel, known_models
from desktop_rag.models.model_shelf import RESERVED, ModelShelf
from desktop_rag.models.page_checkpoints import inspect
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from tests.fixtures.hub import Hub, running
from tests.fixtures.tiny_text import DIMENSIONS, tiny_text_model


def weights(size: int = 64) -> bytes:
    header = json.dumps({"w": {"dtype": "F16", "shape": [size // 2], "data_offsets": [0, size]}}).encode()
    return struct.pack("<Q", len(header)) + header + b"\0" * size


def checkpoint(folder: Path, architecture: str = "ColQwen2") -> Path:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"architectures": [architecture], "model_type": "x"}))
    (folder / "model.safetensors").write_bytes(weights())
    (folder / "tokenizer.json").write_text("{}")
    return folder


def _no_folder(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def _other_family(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"architectures": ["LlamaForCausalLM"]}))


def _adapter(folder: Path) -> None:
    (folder / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": "someone/base"}))


def _index(folder: Path) -> None:
    names = {"a": "model-1.safetensors", "b": "model-2.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    (folder / "model.safetensors").rename(folder / "model-1.safetensors")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_no_folder, "is not there, or is no folder"),
        (lambda folder: (folder / "config.json").unlink(), "is not the folder of a model: it has no config.json"),
        (lambda folder: (folder / "config.json").write_text("[]"), "does not say what the model is"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be read"),
        (_other_family, "is LlamaForCausalLM, which cannot look at pages here"),
        (_adapter, "holds only an adapter, a small addition to someone/base"),
        (_index, "lacks 1 of 2 files with weights, e.g. model-2.safetensors"),
        (lambda folder: (folder / "model.safetensors").unlink(), "has no weights"),
        (lambda folder: (folder / "model.safetensors").write_bytes(weights()[:-9]), "ends too early"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"<html>not found</html>"), "is damaged"),
        (lambda folder: (folder / "x.safetensors.part").write_bytes(b""), "is only partly downloaded"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "has no tokenizer"),
    ],
)
def test_a_folder_that_is_no_whole_model_is_refused_with_the_reason(
    tmp_path: Path, spoil: Callable[[Path], object], said: str
) -> None:
    folder = checkpoint(tmp_path / "model")
    spoil(folder)
    with pytest.raises(ModelError) as refused:
        inspect(folder)
    assert said in str(refused.value)
    assert str(folder) in str(refused.value)


def test_a_model_is_taken_up_where_it_lies_and_forgotten_without_harm(tmp_path: Path) -> None:
    shelf, folder = ModelShelf(tmp_path / "home"), checkpoint(tmp_path / "My ColQwen2")
    made = shelf.add(folder)
    assert (made.name, made.family, made.folder) == ("my-colqwen2", "ColQwen2", str(folder))
    assert shelf.installed() == (made,)
    assert shelf.verify("my-colqwen2") == made
    shelf.remove("my-colqwen2")
    assert shelf.installed() == ()
    assert (folder / "model.safetensors").exists()
    with pytest.raises(ModelError, match=r"There is no model 'my-colqwen2'\. Installed: none"):
        shelf.get("my-colqwen2")


def test_a_model_that_changes_gets_another_fingerprint_and_does_not_verify(tmp_path: Path) -> None:
    shelf, folder = ModelShelf(tmp_path / "home"), checkpoint(tmp_path / "model")
    made = shelf.add(folder)
    before = shelf.embedder("model", 1).fingerprint
    assert before == f"model-{made.digest}"

    (folder / "model.safetensors").write_bytes(weights(128))
    assert shelf.embedder("model", 1).fingerprint != before
    with pytest.raises(ModelError, match="have changed"):
        shelf.verify("model")


def test_a_known_model_is_pulled_and_then_used_and_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = checkpoint(tmp_path / "source")
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    known = KnownModel("small", "someone/small", "MIT", "English", 1, "")
    with running(Hub(files)) as hub:
        monkeypatch.setattr(model_shelf, "known_models", lambda: (hub.address, (known,)))
        shelf = ModelShelf(tmp_path / "home")
        first = Job(lambda progress: first.cancel() if progress.detail == "model.safetensors" else None)
        with pytest.raises(CancelledError):
            shelf.pull("small", first)
        assert shelf.installed() == ()
        assert shelf.fetched("small") > 0
        made = shelf.pull("small", Job())
        assert shelf.fetched("small") == 0
        with pytest.raises(ModelError, match=r"No model 'large' is known\. These are: small"):
            shelf.pull("large", Job())
    assert made.pulled
    assert Path(made.folder).is_relative_to(tmp_path / "home")
    assert shelf.verify("small").bytes == len(weights())
    shelf.remove("small")
    assert not Path(made.folder).exists()


def test_a_text_model_is_pulled_with_the_folder_of_its_pooling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_text_model(tmp_path / "source")
    files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    known = KnownModel("small", "someone/small", "MIT", "English", 1, "", ModelKind.EMBEDDING)
    with running(Hub({**files, "pytorch_model.bin": b"not wanted", "onnx/config.json": b"{}"})) as hub:
        monkeypatch.setattr(model_shelf, "known_models", lambda: (hub.address, (known,)))
        made = ModelShelf(tmp_path / "home").pull("small", Job())
    assert made.kind == ModelKind.EMBEDDING
    assert set(made.files) == set(files)
    assert SentenceTransformerEmbedder(Path(made.folder)).embed(["heat pump"]).shape == (1, DIMENSIONS)


def test_the_models_that_come_with_the_program_are_described_whole() -> None:
    hub, models = known_models()
    assert hub.startswith("https://")
    assert {model.kind for model in models} == set(ModelKind)
    assert all(model.licence and model.languages and model.about and model.megabytes > 50 for model in models)
    assert len({model.name for model in models} - RESERVED) == len(models)
    for model in models:
        gguf = model.kind in (ModelKind.CHAT, ModelKind.VISION)
        assert len(model.files) == (2 if model.kind is ModelKind.VISION else 1 if gguf else 0)


def test_the_device_is_chosen_once_and_can_be_told(tmp_path: Path) -> None:
    from desktop_rag.models.devices import choose_device

    shelf = ModelShelf(tmp_path)
    assert shelf.device() == ""
    chosen = choose_device(tmp_path / "page_device.json")
    assert shelf.device() == f"{chosen.name} in {chosen.format}"
    assert choose_device(tmp_path / "page_device.json") == chosen
