"""A run over a question set: pages are counted once, files are matched by place, what was never given is left out."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from desktop_rag.core.answers import Answer, Evidence, Timings
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import FileRow, FileState, Ledger
from desktop_rag.core.types import BBox, Element, ElementKind, Hit, Route
from desktop_rag.evaluate.runner import EvaluationReport, evaluate, ranked_pages

BOX = BBox(0, 0, 1, 1)


def hit(file: str, page: int, rank: int = 1) -> Hit:
    element = Element(f"{file}{page}{rank}", file, page, BOX, ElementKind.TEXT, "text", (), "", (), "h")
    return Hit(rank, 1.0 / rank, Route.TEXT, element, file)


class Shelf:
    """A library of two files that finds what it was told to find."""

    def __init__(self, folder: Path, found: Mapping[str, Sequence[Hit]], refused: frozenset[str] = frozenset()) -> None:
        self._files = [str(folder / name) for name in ("a.pdf", "b.md")]
        self._found = found
        self._refused = refused
        self.asked: list[str] = []

    def status(self) -> Ledger:
        rows = tuple(FileRow(name, name, FileState.INDEXED, "", 1, 1, {}, 1, "h") for name in self._files)
        return Ledger("w", (), rows)

    def search(self, query: str, *, route: Route | None = None, k: int = 10) -> tuple[Hit, ...]:
        self.asked.append(query)
        return tuple(self._found.get(query, ()))

    def ask(self, question: str, *, use_model: bool = True, job: Job | None = None) -> Answer:
        refused = question in self._refused
        quotes = (
            ()
            if refused
            else (Evidence(1, "It was 4.1 million.", "", "", "", "", 1, "", BOX, (), ElementKind.TEXT, 1.0),)
        )
        timings = Timings(1, 1, None, 1)
        return Answer(question, "", refused, "", 0, (), (), quotes, "", False, "", "", timings, Route.TEXT)


def questions(path: Path, *items: Mapping[str, object]) -> Path:
    base = {"answer": "4.1 million", "pages": [], "evidence": "text", "kind": "lookup"}
    path.write_text("\n".join(json.dumps({**base, **item}) for item in items), encoding="utf-8")
    return path


def run(tmp_path: Path, shelf: Shelf, *items: Mapping[str, object], answers: bool = False) -> EvaluationReport:
    return evaluate(shelf, questions(tmp_path / "q.jsonl", *items), tmp_path, [Route.TEXT], answers=answers)


def test_several_elements_of_a_page_are_one_place(tmp_path: Path) -> None:
    a = str(tmp_path / "a.pdf")
    shelf = Shelf(tmp_path, {"Q": [hit(a, 1), hit(a, 1, 2), hit(a, 3, 3)]})

    report = run(tmp_path, shelf, {"id": "1", "question": "Q", "file": "a.pdf", "pages": [3]})

    assert report.results[0].judged.rank == 2
    assert [page.page for page in ranked_pages(shelf.search("Q"))] == [1, 3]


def test_the_same_page_number_of_another_file_is_wrong(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, {"Q": [hit(str(tmp_path / "b.md"), 3)]})

    report = run(tmp_path, shelf, {"id": "1", "question": "Q", "file": "a.pdf", "pages": [3]})

    assert report.results[0].judged.rank is None


def test_any_page_counts_once_where_the_question_names_none(tmp_path: Path) -> None:
    b = str(tmp_path / "b.md")
    shelf = Shelf(tmp_path, {"Q": [hit(b, 1), hit(b, 2, 2)]})

    report = run(tmp_path, shelf, {"id": "1", "question": "Q", "file": "b.md"})

    assert report.results[0].judged.gains == (True, False)
    assert report.results[0].judged.ndcg() == pytest.approx(1.0)


def test_a_question_about_a_file_that_was_never_given_is_left_out_and_told(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        Shelf(tmp_path, {}),
        {"id": "1", "question": "Q", "file": "a.pdf", "pages": [1]},
        {"id": "2", "question": "R", "file": "elsewhere.pdf", "pages": [1]},
    )

    assert [one.question.id for one in report.results] == ["1"]
    assert report.as_json()["not_indexed"] == ["2"]


def test_a_follow_up_is_searched_with_the_question_before_it(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, {})

    run(
        tmp_path,
        shelf,
        {"id": "1", "question": "And in 2021?", "file": "a.pdf", "history": ["What was spent in 2020?", "3.6"]},
    )

    assert shelf.asked[0] == "What was spent in 2021? And in 2021?"


def test_the_report_has_the_form_of_the_contract(tmp_path: Path) -> None:
    a = str(tmp_path / "a.pdf")
    shelf = Shelf(tmp_path, {"Q": [hit(a, 1)]}, refused=frozenset({"U"}))

    report = run(
        tmp_path,
        shelf,
        {"id": "1", "question": "Q", "file": "a.pdf", "pages": [1]},
        {"id": "2", "question": "U", "file": None, "evidence": None, "kind": "unanswerable"},
        answers=True,
    ).as_json()

    text = report["routes"]["text"]
    assert text["all"]["hit@1"] == 1.0
    assert text["by_evidence"]["text"]["n"] == 1
    assert text["by_kind"]["lookup"]["mrr@10"] == 1.0
    assert report["questions"][0]["hits"] == [{"file": a, "page": 1, "score": 1.0}]
    assert report["answers"] == {
        "n": 2,
        "gold_in_first_3_quotes": 1.0,
        "gold_in_evidence": 1.0,
        "refused_answerable": 0.0,
        "refused_unanswerable": 1.0,
        "unsupported_shown": 0,
    }


def test_what_is_attached_to_a_message_counts_as_the_message_where_no_page_is_named(tmp_path: Path) -> None:
    inside = f"{tmp_path / 'b.md'} › plan.pdf"
    shelf = Shelf(tmp_path, {"any": [hit(inside, 3)], "page": [hit(inside, 3)]})
    report = run(
        tmp_path,
        shelf,
        {"id": "1", "question": "any", "file": "b.md"},
        {"id": "2", "question": "page", "file": "b.md", "pages": [3]},
    )
    assert [result.judged.rank for result in report.results] == [1, None]
