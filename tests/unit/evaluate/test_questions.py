"""Question files that are as they should be, and those that are not."""

import json
from pathlib import Path

import pytest

from desktop_rag.core.errors import UserFacingError
from desktop_rag.evaluate.gold import holds_gold, normalised
from desktop_rag.evaluate.questions import Question, load_questions

GOOD = {"id": "q1", "question": "How much?", "answer": "$1,375.5 billion", "file": "a.pdf", "pages": [3],
        "evidence": "table", "kind": "lookup", "history": ["And before?", "Less"]}  # fmt: skip


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def question(answer: str, *aliases: str) -> Question:
    return Question("q", "?", answer, aliases, "a.pdf", frozenset(), "text", "lookup", ())


def test_a_question_is_read_with_its_history(tmp_path: Path) -> None:
    (one,) = load_questions(write(tmp_path / "q.jsonl", json.dumps(GOOD), ""))

    assert one.pages == {3}
    assert one.history == ("And before?", "Less")
    assert one.answerable


@pytest.mark.parametrize(
    ("line", "said"),
    [("{", "line 1"), ('{"id": "x"}', "lacks"), ('["id"]', "line 1"), (json.dumps({**GOOD, "pages": 3}), "lists")],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UserFacingError, match=said):
        load_questions(write(tmp_path / "q.jsonl", line))


def test_an_empty_or_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserFacingError, match="no questions"):
        load_questions(write(tmp_path / "q.jsonl", ""))
    with pytest.raises(UserFacingError, match="cannot be read"):
        load_questions(tmp_path / "none.jsonl")


def test_numbers_and_percent_compare_in_any_form() -> None:
    assert normalised("$1,375.5 Billion.") == normalised("1375.5 billion")
    assert normalised("17 percent") == normalised("17%")


def test_gold_stands_in_a_quote_as_whole_words() -> None:
    assert holds_gold(question("29"), ["By 2011, 29 states had them."])
    assert not holds_gold(question("29"), ["In 1929 none had."])
    assert holds_gold(question("x", "29 states"), ["All 29 states."])
