"""The real path of llama.cpp's vision models, with a tiny one whose weights are set by hand."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from desktop_rag.core.errors import ModelError
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.vision import LlamaCaptioner, VisionFiles
from tests.fixtures.tiny_vision import write_vision_model

pytestmark = pytest.mark.slow


def picture(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (90, 60), colour).save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> VisionFiles:
    return write_vision_model(tmp_path_factory.mktemp("vision"))


def test_it_says_what_it_sees_and_prints_nothing(files: VisionFiles, capfd: pytest.CaptureFixture[str]) -> None:
    model = LlamaCaptioner(files)
    said = [model.describe(picture(colour)) for colour in ("red", "blue", "white", "red")]
    model.close()
    assert said == ["a red picture.", "a blue picture.", "a white picture.", "a red picture."]
    assert capfd.readouterr() == ("", "")


def test_a_closed_model_is_loaded_again(files: VisionFiles) -> None:
    model = LlamaCaptioner(files)
    assert model.describe(picture("lime")) == "a green picture."
    model.close()
    assert model.describe(picture("black")) == "a black picture."
    model.close()


def test_another_model_or_projector_has_another_fingerprint(files: VisionFiles, tmp_path: Path) -> None:
    again = write_vision_model(tmp_path)
    assert again.fingerprint == files.fingerprint
    projector = tmp_path / "other.gguf"
    projector.write_bytes(files.projector.read_bytes() + b"\0")
    assert replace(files, projector=projector).fingerprint != files.fingerprint


def test_a_file_that_is_not_there_is_named(files: VisionFiles, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"vision model .*gone\.gguf is not there\. Choose another GGUF file"):
        LlamaCaptioner(replace(files, model=tmp_path / "gone.gguf")).describe(picture("red"))
    with pytest.raises(ModelError, match=r"projector of the vision model .*gone\.gguf is not there"):
        LlamaCaptioner(replace(files, projector=tmp_path / "gone.gguf")).describe(picture("red"))


def test_a_file_that_is_no_gguf_is_named(files: VisionFiles, tmp_path: Path) -> None:
    page = tmp_path / "page.gguf"
    page.write_text("<!doctype html><title>Sign in</title>")
    with pytest.raises(ModelError, match=r"page\.gguf is not a GGUF file, the only kind of vision model"):
        LlamaCaptioner(replace(files, model=page)).describe(picture("red"))


def test_files_that_are_taken_for_each_other_are_told_apart(files: VisionFiles) -> None:
    with pytest.raises(ModelError, match="is a projector, not a vision model"):
        LlamaCaptioner(VisionFiles(files.projector, files.projector)).describe(picture("red"))
    with pytest.raises(ModelError, match=r"tiny-vision\.gguf is not the projector.*mmproj"):
        LlamaCaptioner(VisionFiles(files.model, files.model)).describe(picture("red"))


def test_a_projector_of_another_model_is_refused_with_both_names(files: VisionFiles) -> None:
    chat = LlamaModel().path
    with pytest.raises(ModelError, match=r"SmolLM2.*with the projector .*mmproj-tiny-vision.*do not belong together"):
        LlamaCaptioner(replace(files, model=chat)).describe(picture("red"))


def test_a_cut_projector_is_refused(files: VisionFiles, tmp_path: Path) -> None:
    cut = tmp_path / "mmproj-cut.gguf"
    cut.write_bytes(files.projector.read_bytes()[:20_000])
    with pytest.raises(ModelError, match=r"mmproj-cut\.gguf"):
        LlamaCaptioner(replace(files, projector=cut)).describe(picture("red"))


def test_a_model_too_large_for_the_memory_is_not_loaded(files: VisionFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_rag.models.memory.psutil.virtual_memory", lambda: type("Memory", (), {"available": 9}))
    with pytest.raises(ModelError, match=r"The vision model tiny-vision .* needs about .* of memory"):
        LlamaCaptioner(files).describe(picture("red"))
