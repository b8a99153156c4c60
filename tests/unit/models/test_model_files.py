"""What a file or folder is, said by name; and what is wrong with it, in words."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import pytest

from desktop_rag.core.errors import ModelError
from desktop_rag.core.model_rows import ModelKind
from desktop_rag.models.model_files import recognise
from tests.fixtures.tiny_cross_encoder import make_cross_encoder
from tests.fixtures.tiny_text import tiny_text_model
from tests.fixtures.tiny_vision import write_vision_model


def write_gguf(path: Path, architecture: str = "llama") -> Path:
    """Write a head, without weights."""
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_name("Tiny")
    writer.add_block_count(1)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def test_a_gguf_file_is_a_chat_model_and_with_its_projector_a_vision_model(tmp_path: Path) -> None:
    files = write_vision_model(tmp_path)
    alone = recognise(files.model)
    assert (alone.kind, alone.names) == (ModelKind.CHAT, (files.model.name,))
    both = recognise(tmp_path)
    assert (both.kind, both.names) == (ModelKind.VISION, (files.model.name, files.projector.name))
    assert both.bytes == files.model.stat().st_size + files.projector.stat().st_size
    assert recognise(files.model, ModelKind.VISION) == both


def test_folders_of_text_models_and_rerankers_are_told_apart(tmp_path: Path) -> None:
    assert recognise(tiny_text_model(tmp_path / "text")).kind is ModelKind.EMBEDDING
    assert recognise(make_cross_encoder(tmp_path / "cross")).kind is ModelKind.RERANKING
    with pytest.raises(ModelError, match="is a reranker, not a text model"):
        recognise(tmp_path / "cross", ModelKind.EMBEDDING)


def _projector_alone(folder: Path) -> Path:
    return write_gguf(folder / "mmproj.gguf", "clip")


def _two_models(folder: Path) -> Path:
    write_gguf(folder / "a.gguf")
    write_gguf(folder / "b.gguf")
    return folder


def _no_projector(folder: Path) -> Path:
    return write_gguf(folder / "a.gguf")


def _other(folder: Path) -> Path:
    (folder / "config.json").write_text(json.dumps({"architectures": ["LlamaForCausalLM"]}))
    return folder


def _no_vocabulary(folder: Path) -> Path:
    (tiny_text_model(folder / "text") / "tokenizer.json").unlink()
    return folder / "text"


def _judge(folder: Path) -> Path:
    return make_cross_encoder(folder / "judge", ("contradiction", "entailment", "neutral"))


def _not_gguf(folder: Path) -> Path:
    (folder / "a.gguf").write_bytes(b"<html>")
    return folder / "a.gguf"


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (_projector_alone, None, "is only the projector of a vision model"),
        (lambda folder: _projector_alone(folder).parent, None, "holds only projectors"),
        (_two_models, None, "holds 2 models"),
        (_no_projector, ModelKind.VISION, "There is no projector beside"),
        (
            lambda folder: write_gguf(folder / "big-00001-of-00002.gguf"),
            None,
            "is one part of a model",
        ),
        (_not_gguf, None, "is not a GGUF file"),
        (_judge, None, "judges whether one sentence follows from another"),
        (_other, None, "is LlamaForCausalLM, which is of no use here"),
        (_no_vocabulary, None, "has no tokenizer.json"),
        (lambda folder: folder / "nothing", None, "is not there"),
        (lambda folder: folder, None, "is not the folder of a model: it has no config.json"),
    ],
)
def test_what_is_no_model_says_why(tmp_path: Path, make: object, kind: ModelKind | None, said: str) -> None:
    assert callable(make)
    path = make(tmp_path)
    with pytest.raises(ModelError) as refused:
        recognise(path, kind)
    assert said in str(refused.value)
