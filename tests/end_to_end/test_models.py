"""Models of every kind, tried and chosen through a real library: tiny ones of random weights, and what comes along."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from desktop_rag.cli.app import main
from desktop_rag.core.errors import ModelError, UserFacingError
from desktop_rag.core.ledger import Stage, StageState
from desktop_rag.core.model_rows import ModelKind, ModelRow, ModelState
from desktop_rag.core.types import Route
from desktop_rag.library import Library
from tests.fixtures.page_models import TINY_MODELS
from tests.fixtures.tiny_cross_encoder import make_cross_encoder
from tests.fixtures.tiny_text import DIMENSIONS, tiny_text_model
from tests.fixtures.tiny_vision import write_vision_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
]
QUESTION = "Where is the heat pump?"
STAGES = (Stage.TEXT, Stage.VECTORS, Stage.PAGES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    with pymupdf.open() as document:
        for text in ("The heat pump is in the cellar.", "The crane lifts forty tonnes in the harbour yard."):
            page = document.new_page(width=300, height=400)
            page.draw_rect(page.rect, color=None, fill=(1, 0, 0))
            page.insert_text((30, 60), text)
        document.save(folder / "report.pdf")
    return folder


@pytest.fixture
def library(data_home: Path, folder: Path) -> Iterator[Library]:
    with Library.open(base=data_home) as opened:
        opened.add_paths([str(folder)])
        opened.sync(stages=STAGES)
        yield opened


def row(library: Library, name: str) -> ModelRow:
    return next(row for row in library.models() if row.name == name)


def test_another_text_model_makes_all_vectors_anew_and_the_former_ones_are_kept(
    library: Library, tmp_path: Path
) -> None:
    assert library.add_model(str(tiny_text_model(tmp_path / "tiny"))).kind is ModelKind.EMBEDDING
    trial = library.try_model("tiny", ModelKind.EMBEDDING, QUESTION)
    assert len(trial.places) == 2
    assert trial.places[0].startswith("report.pdf, p. ")
    assert (trial.speed, row(library, "tiny").speed) == (row(library, "tiny").speed, trial.speed)
    redoing = library.redoing("tiny", ModelKind.EMBEDDING)
    assert redoing is not None
    assert (redoing.count, redoing.unit) == (2, "passages")

    library.choose_model("tiny", ModelKind.EMBEDDING)
    assert row(library, "tiny").used
    assert library.embedder.dimensions == DIMENSIONS
    assert library.search(QUESTION, route=Route.TEXT) == ()
    assert library.search("cellar", route=Route.KEYWORD)[0].element.page == 1
    library.sync(stages=STAGES)
    assert len(library.search(QUESTION, route=Route.TEXT)) == 2
    assert library.status().files[0].stages[Stage.VECTORS] is StageState.DONE

    library.choose_model("all-minilm-l6-v2", ModelKind.EMBEDDING)
    library.sync(stages=STAGES)
    assert library.search(QUESTION, route=Route.TEXT)[0].element.page == 1


def test_a_chosen_text_model_whose_folder_is_gone_says_so_and_another_one_can_be_chosen(
    data_home: Path, tmp_path: Path
) -> None:
    folder = tiny_text_model(tmp_path / "tiny")
    with Library.open(base=data_home) as opened, Library.open("other", base=data_home) as other:
        opened.add_model(str(folder))
        opened.choose_model("tiny", ModelKind.EMBEDDING)
        other.choose_model("late-interaction", ModelKind.RERANKING)  # does not undo what the other one chose
    folder.rename(tmp_path / "elsewhere")
    with Library.open(base=data_home) as opened:
        assert (row(opened, "tiny").used, row(opened, "tiny").state) == (True, ModelState.LOST)
        assert row(opened, "late-interaction").used
        with pytest.raises(ModelError, match="is not the folder of a sentence-transformers model"):
            opened.search(QUESTION)
        opened.choose_model("all-minilm-l6-v2", ModelKind.EMBEDDING)
        assert opened.search(QUESTION) == ()


def test_a_page_model_is_tried_on_pages_and_says_what_choosing_it_will_cost(library: Library, tmp_path: Path) -> None:
    library.add_model(str(TINY_MODELS["colqwen2"](tmp_path / "looker")))
    before = library.redoing("looker", ModelKind.PAGE)
    trial = library.try_model("looker", ModelKind.PAGE, QUESTION)
    after = library.redoing("looker", ModelKind.PAGE)
    assert len(trial.places) == 2
    assert before is not None
    assert after is not None
    assert (before.count, before.unit, after.count) == (2, "pages", 2)
    assert trial.speed is not None
    assert after.seconds == pytest.approx(2 * trial.speed.value)  # measured now, no guess any more

    library.choose_model("looker", ModelKind.PAGE)
    library.sync(stages=STAGES)
    assert list(library.search("revenue", route=Route.PAGE)[0].why) == ["maxsim of looker"]
    assert library.redoing("looker", ModelKind.PAGE) is None


def test_rerankers_and_vision_models_are_tried(library: Library, tmp_path: Path) -> None:
    library.add_model(str(make_cross_encoder(tmp_path / "judge")))
    assert len(library.try_model("judge", ModelKind.RERANKING, QUESTION).places) == 2
    assert len(library.try_model("late-interaction", ModelKind.RERANKING, QUESTION).places) == 2
    (tmp_path / "seer").mkdir()
    write_vision_model(tmp_path / "seer")
    library.add_model(str(tmp_path / "seer"))
    assert library.try_model("seer", ModelKind.VISION, QUESTION).text == "a red picture."
    library.choose_model("judge", ModelKind.RERANKING)
    assert "judge" in library._setup
    with pytest.raises(UserFacingError, match="nothing to try"):
        library.try_model("words", ModelKind.PAGE, QUESTION)


def test_a_chat_model_answers_before_it_is_chosen_and_nothing_is_kept(library: Library) -> None:
    trial = library.try_model("smollm2-135m", ModelKind.CHAT, QUESTION)
    assert "cellar" in trial.text
    assert trial.places[0] == "[1] report.pdf, p. 1: The heat pump is in the cellar."
    assert library.threads() == ()


def test_the_command_line_adds_lists_tries_uses_and_removes(
    library: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library.close()
    folder = make_cross_encoder(tmp_path / "judge")
    assert main(["models", "add", str(folder)]) == 0
    assert main(["models", "try", "judge", QUESTION]) == 0
    assert main(["models", "use", "judge"]) == 0
    assert main(["models", "list", "--kind", "reranking"]) == 0
    said = capsys.readouterr()
    assert "report.pdf, p. 1" in said.out
    assert "passages a second" in said.err
    assert [line.split()[:3] for line in said.out.splitlines() if line.lstrip().startswith("*")] == [
        ["*", "reranking", "judge"]
    ]
    assert main(["models", "remove", "judge"]) == 1
    assert "'judge' is in use" in capsys.readouterr().err
    assert main(["models", "use", "none"]) == 1
    assert main(["models", "use", "none", "--kind", "reranking"]) == 0
    assert main(["models", "remove", "judge"]) == 0
    assert main(["models", "try", "judge"]) == 1
