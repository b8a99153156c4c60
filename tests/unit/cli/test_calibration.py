"""``desktop-rag calibrate cache``: what is measured, what is saved, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop_rag.cli import main
from desktop_rag.core.settings import load_settings
from desktop_rag.evaluate.sameness import Family, measure
from tests.fixtures.models import WordEmbedder


def test_it_measures_and_saves_what_it_recommends(
    data_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "questions.jsonl"
    rows = [
        {"seed": "When does it open?", "same": ["At what time does it open?"], "other": ["When does it close?"]},
        {"seed": "Who sold the boat?", "same": ["By whom was the boat sold?"], "other": ["Who bought the boat?"]},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert main(["calibrate", "cache", str(path), "--save", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["hits"], result["paraphrases"], result["wrong_hits"]) == (2, 2, [])
    assert load_settings(data_home / "settings.toml").cache_closeness == result["recommended"]
    assert 0.5 < result["recommended"] <= result["lowest_cosine"]


def test_a_file_that_is_no_list_of_questions_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"seed": 1}', encoding="utf-8")
    assert main(["calibrate", "cache", str(path)]) == 1
    assert str(path) in capsys.readouterr().err


def test_a_question_that_would_get_the_answer_of_another_is_reported() -> None:
    family = Family("When does it open?", (), ("At what time does it open?",))
    assert measure([family], WordEmbedder(), 0.0).wrong_hits == ((family.seed, family.other[0]),)
