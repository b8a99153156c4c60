"""The hard guarantee, with the real models: nothing is shown as an answer that its evidence does not carry."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_rag.answer.audit import audit
from desktop_rag.core.answers import Answer, Verdict
from desktop_rag.core.ledger import Stage
from desktop_rag.library import Library

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def sample_library(home: Path) -> Iterator[Library]:
    samples = Path(__file__).resolve().parents[2] / "assets" / "samples"
    with Library.open("samples", base=home) as library:
        library.add_paths([str(samples)])
        library.sync(stages=[stage for stage in Stage if stage is not Stage.PAGES])
        yield library


@pytest.fixture(scope="module")
def corpus_library(home: Path, corpus: Path) -> Iterator[Library]:
    """The documents of which questions ask, with what is quick to read of them."""
    with Library.open("corpus", base=home) as library:
        library.add_paths([str(corpus / "documents" / name) for name in _files_of(_corpus_questions(corpus))])
        library.sync(stages={Stage.TEXT, Stage.VECTORS, Stage.TABLES})
        yield library


def _corpus_questions(corpus: Path) -> list[dict[str, object]]:
    """Thirty questions of every kind about documents of moderate length, and about nothing at all."""
    lines = (corpus / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    small = [
        question
        for question in questions
        if question["file"] is None
        or (question["file"].startswith("documents/") and (corpus / question["file"]).stat().st_size < 500_000)
    ]
    return small[:: max(1, len(small) // 30)][:30]


def _files_of(questions: list[dict[str, object]]) -> list[str]:
    return sorted({Path(str(question["file"])).name for question in questions if question["file"]})


def check(answer: Answer) -> None:
    """Every shown sentence is a quote to the letter, or passes the audit once more on the evidence that it cites."""
    by_number = {item.n: item for item in answer.evidence}
    for sentence in answer.sentences:
        assert sentence.citations, sentence.text
        cited = [by_number[number] for number in sentence.citations]
        if sentence.verdict is Verdict.QUOTE:
            assert sentence.text == f"{cited[0].quote} [{cited[0].n}]"
        else:
            assert sentence.verdict is Verdict.SUPPORTED
            again = audit(sentence.text, cited, answer.question)
            assert again.sentence.verdict is Verdict.SUPPORTED, (sentence.text, again.sentence.reason)
    for item in answer.evidence:
        assert item.quote in item.context
        assert item.bbox.x0 < item.bbox.x1
        assert item.bbox.y0 < item.bbox.y1
    if not answer.refused:
        assert answer.text.replace("\n", " ") == " ".join(one.text.replace("\n", " ") for one in answer.sentences)


def test_no_shown_sentence_about_the_samples_is_unsupported(sample_library: Library) -> None:
    questions = Path(__file__).resolve().parents[2] / "assets" / "samples-questions.jsonl"
    lines = questions.read_text(encoding="utf-8").splitlines()
    answers = [sample_library.ask(json.loads(line)["question"]) for line in lines]

    assert len(answers) >= 10
    assert sum(bool(answer.sentences) for answer in answers) >= 8
    for answer in answers:
        check(answer)


def test_the_demo_question_is_answered_from_its_page(sample_library: Library) -> None:
    answer = sample_library.ask("Who became head of the children's department?")

    assert "Jonas Petrov" in answer.text
    assert answer.sentences[0].citations == (1,)
    assert answer.evidence[0].file.endswith("annual-report-2024.pdf")


def test_something_absent_is_refused_or_answered_with_quotes_only(sample_library: Library) -> None:
    answer = sample_library.ask("What is the boiling point of tungsten in the Zanzibar observatory?")

    assert answer.refused or all(sentence.verdict is Verdict.QUOTE for sentence in answer.sentences)


@pytest.mark.corpus
@pytest.mark.timeout(1200)
def test_no_shown_sentence_about_the_corpus_is_unsupported(corpus_library: Library, corpus: Path) -> None:
    answers = [corpus_library.ask(str(question["question"])) for question in _corpus_questions(corpus)]

    assert len(answers) == 30
    for answer in answers:
        check(answer)
