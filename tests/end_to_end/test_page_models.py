"""Pages by what they look like, from a checkpoint on the disk to a ranked page with its heat map."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from desktop_rag.cli.app import main
from desktop_rag.core.ledger import Stage, StageState
from desktop_rag.core.settings import Settings, save_settings
from desktop_rag.core.types import Route
from desktop_rag.library import Library
from desktop_rag.models.model_shelf import ModelShelf
from tests.fixtures.page_models import TINY_MODELS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
]
STAGES = (Stage.TEXT, Stage.PAGES)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Three pages: words, a chart without any, and one that is 200 inches high."""
    path = tmp_path / "documents" / "report.pdf"
    path.parent.mkdir()
    with pymupdf.open() as document:
        document.new_page(width=300, height=400).insert_text((30, 60), "Heat pumps need little care.")
        chart = document.new_page(width=300, height=400)
        for bar in range(5):
            chart.draw_rect(pymupdf.Rect(40 + 40 * bar, 300 - 40 * bar, 65 + 40 * bar, 300), fill=(0.1, 0.3, 0.8))
        document.new_page(width=200, height=14_400).insert_text((30, 60), "A very long page about oil.")
        document.save(path)
    return path


def use(home: Path, folder: Path) -> None:
    ModelShelf(home).add(folder, "tiny")
    save_settings(replace(Settings(), page_model="tiny"), home / "settings.toml")


@pytest.mark.parametrize("family", ["colqwen2", "colmodernvbert", "neomme"])
def test_a_page_model_sees_every_page_and_says_why_it_found_one(
    family: str, report: Path, data_home: Path, tmp_path: Path
) -> None:
    use(data_home, TINY_MODELS[family](tmp_path / "model"))
    with Library.open(base=data_home) as library:
        library.add_paths([str(report.parent)])
        assert library.sync(stages=STAGES).failed == ()
        row = library.status().files[0]
        assert row.stages[Stage.PAGES] is StageState.DONE

        hits = library.search("What is the revenue?", route=Route.PAGE, k=5)
        assert {hit.element.page for hit in hits} == {1, 2, 3}
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert list(hits[0].why) == ["maxsim of tiny"]
        chart = next(hit for hit in hits if hit.element.page == 2)
        assert 0 <= chart.element.bbox.x0 < chart.element.bbox.x1 <= 300
        heat = library.heat_map("What is the revenue?", row.document, 2)
        assert heat is not None
        assert [word.word for word in heat.words] == ["What", "is", "the", "revenue"]
        assert len(heat.total) == heat.rows * heat.columns
        assert library.search("revenue", route=Route.PAGE, where="page = 1")[0].element.page == 1

        report.unlink()
        library.sync(stages=STAGES)
        assert library.search("What is the revenue?", route=Route.PAGE) == ()


def test_until_a_model_has_seen_all_pages_words_and_places_serve(
    report: Path, data_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Library.open(base=data_home) as library:
        library.add_paths([str(report.parent)])
        library.sync(stages=STAGES)
        assert list(library.search("heat pumps", route=Route.PAGE)[0].why) == ["maxsim of words and places"]
    use(data_home, TINY_MODELS["colpali"](tmp_path / "model"))
    with Library.open(base=data_home) as library:
        assert library.search("heat pumps", route=Route.PAGE)[0].element.page == 1
        library.sync(stages=STAGES)
        assert list(library.search("heat pumps", route=Route.PAGE)[0].why) == ["maxsim of tiny"]

    pictures = tmp_path / "pictures"
    code = main(["search", "heat pumps", "--route", "page", "-k", "2", "--heatmap", str(pictures)])

    assert code == 0
    said = capsys.readouterr().out
    assert "maxsim of tiny" in said
    written = sorted(path.name for path in pictures.iterdir())
    assert len(written) == 6
    first = said.partition(", p. ")[2][0]
    assert written[0] == f"01-report-p{first}-00-all.png"  # the best page first
    assert written[0].endswith("-00-all.png")
    assert written[1].endswith("-01-heat.png")
    with pymupdf.open(pictures / written[0]) as drawn:
        assert drawn[0].rect.width > 0
