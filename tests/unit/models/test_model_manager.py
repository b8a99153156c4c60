"""All models in one list: what comes along, what was added, what can be fetched, and which one is in use."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop_rag.core.errors import ModelError
from desktop_rag.core.model_rows import Fit, ModelKind, ModelRow, ModelState, Speed
from desktop_rag.core.settings import Settings
from desktop_rag.models import model_manager
from desktop_rag.models.known_models import known_models
from desktop_rag.models.model_manager import ModelManager
from tests.fixtures.tiny_cross_encoder import make_cross_encoder
from tests.fixtures.tiny_text import tiny_text_model
from tests.fixtures.tiny_vision import write_vision_model

DEFAULT = Settings()


@pytest.fixture
def manager(tmp_path: Path) -> ModelManager:
    return ModelManager(tmp_path / "home")


def used(manager: ModelManager, settings: Settings) -> dict[str, str]:
    return {str(row.kind): row.name for row in manager.rows(settings) if row.used}


def named(manager: ModelManager, name: str) -> ModelRow:
    return manager.row(name, DEFAULT)


def test_what_comes_along_is_in_use_and_all_known_models_are_listed(manager: ModelManager) -> None:
    rows = manager.rows(DEFAULT)
    assert used(manager, DEFAULT) == {
        "chat": "smollm2-135m", "vision": "none", "embedding": "all-minilm-l6-v2", "page": "words", "reranking": "none",
    }  # fmt: skip
    assert [row.kind for row in rows] == sorted((row.kind for row in rows), key=list(ModelKind).index)
    waiting = {row.name for row in rows if row.state is ModelState.KNOWN}
    assert waiting == {one.name for one in known_models()[1]}
    chat = named(manager, "smollm2-135m")
    assert chat.memory > chat.bytes > 50_000_000


def test_an_added_model_is_chosen_by_its_name_and_cannot_go_while_it_is_in_use(
    manager: ModelManager, tmp_path: Path
) -> None:
    text = manager.add(tiny_text_model(tmp_path / "text"))
    cross = manager.add(make_cross_encoder(tmp_path / "cross"), "judge")
    vision = write_vision_model(tmp_path)
    manager.add(tmp_path / vision.model.name, "writer")
    manager.add(tmp_path / vision.model.name, "seer", ModelKind.VISION)
    assert (text.kind, text.name, cross.kind) == (ModelKind.EMBEDDING, "text", ModelKind.RERANKING)

    settings = DEFAULT
    for name in ("text", "judge", "writer", "seer"):
        settings = manager.chosen(settings, name)
    assert settings.text_model_path == str(tmp_path / "text")
    assert settings.reranker == str(tmp_path / "cross")
    assert settings.llm_path == settings.vision_model_path == str(vision.model)
    assert settings.vision_projector_path == str(vision.projector)
    assert used(manager, settings) == {
        "chat": "writer", "vision": "seer", "embedding": "text", "page": "words", "reranking": "judge",
    }  # fmt: skip

    with pytest.raises(ModelError, match="'text' is in use"):
        manager.remove("text", settings)
    settings = manager.chosen(settings, "all-minilm-l6-v2")
    manager.remove("text", settings)
    assert (tmp_path / "text" / "config.json").exists()
    assert manager.chosen(manager.chosen(settings, "smollm2-135m"), "none", ModelKind.VISION).vision_model_path == ""
    with pytest.raises(ModelError, match="'none' can be of several kinds: vision, reranking"):
        manager.chosen(settings, "none")


def test_a_model_that_is_not_there_is_not_chosen(manager: ModelManager, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="'colpali' is not installed"):
        manager.chosen(DEFAULT, "colpali")
    folder = make_cross_encoder(tmp_path / "cross")
    manager.add(folder)
    folder.rename(tmp_path / "elsewhere")
    assert named(manager, "cross").state is ModelState.LOST
    with pytest.raises(ModelError, match=r"are not in .*cross any more"):
        manager.chosen(DEFAULT, "cross")
    with pytest.raises(ModelError, match="There is no model 'nothing'"):
        manager.chosen(DEFAULT, "nothing")


def test_another_model_does_not_take_a_name_that_is_taken(manager: ModelManager, tmp_path: Path) -> None:
    manager.add(make_cross_encoder(tmp_path / "cross"), "judge")
    assert manager.add(tmp_path / "cross", "judge").name == "judge"
    with pytest.raises(ModelError, match="There is a model 'judge' already"):
        manager.add(tiny_text_model(tmp_path / "text"), "judge")
    with pytest.raises(ModelError, match="'words' cannot be the name"):
        manager.add(tmp_path / "cross", "words")


def test_what_only_the_settings_name_is_listed_too(manager: ModelManager, tmp_path: Path) -> None:
    settings = replace(DEFAULT, llm_path=str(tmp_path / "gone.gguf"), page_model="gone-too")
    assert used(manager, settings) == {
        "chat": "gone", "vision": "none", "embedding": "all-minilm-l6-v2", "page": "gone-too", "reranking": "none",
    }  # fmt: skip
    assert {row.name for row in manager.rows(settings) if row.state is ModelState.LOST} == {"gone", "gone-too"}


def test_the_speed_is_remembered_and_the_memory_weighed(
    manager: ModelManager, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    manager.speeds.put(ModelKind.CHAT, "smollm2-135m", Speed(18.4, "tokens a second"))
    row = ModelManager(tmp_path / "home").row("smollm2-135m", DEFAULT)
    assert row.speed is not None
    assert row.speed.sentence() == "18 tokens a second"
    monkeypatch.setattr(model_manager, "total_bytes", lambda: 4_000_000_000)
    monkeypatch.setattr(model_manager, "available_bytes", lambda: 1_000_000_000)
    fits = {row.name: row.fit for row in manager.rows(DEFAULT)}
    assert (fits["colpali"], fits["colmodernvbert"], fits["minilm-reranker"]) == (Fit.NEVER, Fit.LATER, Fit.NOW)
