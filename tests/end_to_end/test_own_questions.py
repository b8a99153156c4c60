"""One's own questions on a workspace of the samples: mark pages, run the set, see the change, take it elsewhere."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_rag.cli.app import main
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.ledger import Stage
from desktop_rag.core.types import Route
from desktop_rag.evaluate.export import as_csv, as_html, plot
from desktop_rag.library import Library

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).resolve().parents[2] / "assets" / "samples"


@pytest.fixture
def library() -> Iterator[Library]:
    with Library.open("samples") as opened:
        opened.add_paths([str(SAMPLES / name) for name in ("notes-heat-pump.md", "members.csv")])
        opened.sync(stages={Stage.TEXT, Stage.VECTORS})
        yield opened


def test_marking_running_and_comparing(library: Library) -> None:
    question = "What did the heat pump cost?"
    hit = library.search(question, route=Route.HYBRID, k=1)[0]

    mark = library.mark_right_page(question, hit.element.document, hit.element.page)
    again = library.mark_right_page(question, hit.element.document, hit.element.page)
    first = library.run_own_questions([Route.HYBRID, Route.BEST])
    second = library.run_own_questions([Route.BEST])

    assert mark.id == again.id
    assert library.own_questions() == (again,)
    assert [score.route for score in first.scores] == [Route.HYBRID, Route.BEST]
    assert first.scores[0].measures["hit@1"].value == 1.0
    assert [one.rank for one in first.results] == [1, 1]
    assert [run.id for run in library.own_runs()] == [second.id, first.id]
    assert library.own_runs()[1].scores[0].measures["mrr@10"].low == 1.0

    library.remove_own_question(mark.id)
    with pytest.raises(UserFacingError, match="no question of your own"):
        library.run_own_questions([Route.BEST])
    with pytest.raises(UserFacingError, match="no question number"):
        library.remove_own_question(mark.id)
    with pytest.raises(UserFacingError, match="Page 99"):
        library.mark_right_page(question, hit.element.document, 99)


def test_a_run_is_exported_for_spreadsheets_and_for_readers(library: Library) -> None:
    for question in ("=cmd()<b>heat</b> pump?", "Who are the members?"):
        hit = library.search(question, route=Route.HYBRID, k=1)[0]
        library.mark_right_page(question, hit.element.document, hit.element.page)
    run = library.run_own_questions([Route.TEXT, Route.HYBRID])

    rows = list(csv.DictReader(as_csv(run).splitlines()))
    page = as_html([run])
    drawing = ET.fromstring(plot(run.scores))

    assert [row["route"] for row in rows] == ["text", "hybrid"] * 2
    assert rows[0]["question"].startswith("'=")
    assert "<b>heat" not in page
    assert "&lt;b&gt;heat" in page
    assert len(drawing.findall("{*}rect")) == 10  # five measures, two routes
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_the_same_from_the_command_line(library: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library.close()
    name = ("-w", "samples")
    notes = str(SAMPLES / "notes-heat-pump.md")

    assert main(["questions", "add", "What did the heat pump cost?", notes, "1", *name]) == 0
    assert main(["questions", "add", "Whose?", str(tmp_path / "unknown.pdf"), *name]) == 1
    assert "does not have the file" in capsys.readouterr().err
    assert main(["questions", "list", "--json", *name]) == 0
    (mark,) = json.loads(capsys.readouterr().out)
    assert (mark["question"], mark["page"]) == ("What did the heat pump cost?", 1)
    assert main(["questions", "export", str(tmp_path / "early.csv"), *name]) == 1
    assert main(["questions", "run", "--routes", "keyword,best", *name]) == 0
    assert main(["questions", "run", "--routes", "best", *name]) == 0
    assert "(+0.00)" in capsys.readouterr().out
    assert main(["questions", "export", str(tmp_path / "run.csv"), *name]) == 0
    assert main(["questions", "export", str(tmp_path / "run.html"), *name]) == 0
    assert main(["questions", "export", str(tmp_path / "run.png"), *name]) == 2
    assert "best" in (tmp_path / "run.csv").read_text(encoding="utf-8")
    assert "<svg" in (tmp_path / "run.html").read_text(encoding="utf-8")
    assert main(["questions", "remove", str(mark["id"]), *name]) == 0
    assert main(["questions", "list", *name]) == 0
    assert "no questions yet" in capsys.readouterr().out


def test_a_conversation_is_listed_and_exported_with_pictures(
    library: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thread = library.ask("What did the heat pump cost?", use_model=False).thread
    library.close()
    name = ("-w", "samples")

    assert main(["threads", "list", "--json", *name]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["id"], told["title"], told["turns"]) == (thread, "What did the heat pump cost?", 1)
    assert main(["threads", "list", "heat", *name]) == 0
    assert "heat pump" in capsys.readouterr().out
    assert main(["threads", "export", thread, str(tmp_path / "talk.html"), *name]) == 0
    assert "data:image/png;base64," in (tmp_path / "talk.html").read_text(encoding="utf-8")
    assert main(["threads", "export", thread, str(tmp_path / "talk.md"), *name]) == 0
    assert "notes-heat-pump.md, p. 1" in (tmp_path / "talk.md").read_text(encoding="utf-8")
    assert main(["threads", "export", thread, str(tmp_path / "talk.doc"), *name]) == 2
    assert main(["threads", "export", "none", str(tmp_path / "talk.md"), *name]) == 1


def test_eval_tells_what_was_won_and_fails_on_a_regression(
    library: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library.close()
    question = {"id": "1", "question": "What did the heat pump cost?", "answer": "", "file": "notes-heat-pump.md"}
    (tmp_path / "q.jsonl").write_text(json.dumps(question), encoding="utf-8")
    new = tmp_path / "new.json"
    common = ["eval", str(tmp_path / "q.jsonl"), "--root", str(SAMPLES), "-w", "samples", "--routes", "best"]

    assert main([*common, "--json", str(new)]) == 0
    report = json.loads(new.read_text(encoding="utf-8"))
    assert report["routes"]["best"]["all"]["ci95"]["hit@1"] == [1.0, 1.0]
    worse = report | {"questions": [{**report["questions"][0], "rank": None}]}
    (tmp_path / "old.json").write_text(json.dumps(worse), encoding="utf-8")

    assert main([*common, "--against", str(tmp_path / "old.json"), "--fail-on-regression"]) == 0
    assert "won: 1 (– → 1)" in capsys.readouterr().out
    new.write_text(json.dumps(report | {"questions": [{**report["questions"][0], "rank": 1}]}), encoding="utf-8")
    missing = ["eval", str(tmp_path / "q2.jsonl"), *common[2:]]
    lost = {**question, "question": "zebra quartz?", "file": "members.csv", "pages": [99]}
    (tmp_path / "q2.jsonl").write_text(json.dumps(lost), encoding="utf-8")
    assert main([*missing, "--against", str(new), "--fail-on-regression"]) == 1
    assert "Worse than in" in capsys.readouterr().err
    assert main([*common, "--fail-on-regression"]) == 2
