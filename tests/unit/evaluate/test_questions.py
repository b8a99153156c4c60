"""Question files that are as they should be, and those that are not."""

import json
from dataclasses import replace
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


def test_gold_of_several_parts_is_held_by_a_quote_that_says_each_of_them() -> None:
    gold = question("2022; $1,375.5 billion")
    assert holds_gold(gold, ["In fiscal year 2022 the shortfall fell to $1,375.5 billion."])
    assert not holds_gold(gold, ["In 2022 it fell.", "It was $1,375.5 billion."])
    assert not holds_gold(gold, ["In fiscal year 2023 the shortfall was $1,375.5 billion."])
    assert holds_gold(question("Eleven percent"), ["He set a ceiling of 11 % on interest."])
    assert holds_gold(question("5"), ["Five cartridges are left."])
    assert not holds_gold(question("No"), ["They are nowhere."])


def test_parts_of_a_gold_from_several_pages_may_stand_in_different_quotes() -> None:
    gold = replace(question("$760 million a year; $25 million for 2004"), kind="multi-page")
    quotes = ["$760 million a year is authorised.", "For 2004, $25 million is authorised."]
    assert holds_gold(gold, quotes)
    assert not holds_gold(gold, quotes[:1])
