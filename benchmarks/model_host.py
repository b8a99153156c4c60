"""The chat model: what a second question on the same quotes saves, and how fast it writes beside bare llama.cpp."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.documents import the_samples
from benchmarks.figures import Figure
from desktop_rag.answer.answerer import READ_QUOTES
from desktop_rag.answer.compose import bearing
from desktop_rag.answer.prompt import build_prompt
from desktop_rag.core.answers import Evidence
from desktop_rag.core.job import Job
from desktop_rag.core.ledger import Stage
from desktop_rag.core.settings import Settings
from desktop_rag.library import Library
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.llm import Message

_STORY = "Tell a long story about a harbour."
_TOKENS = 48
_ROUNDS = 5
_MOST_SECONDS = 4.0
_WRITERS = {
    "ours": "",
    "bare": "bare llama-cpp-python with its defaults",
    "bare, all cores": "bare llama-cpp-python with a thread for each core",
}


def measure_model_host(base: Path) -> list[Figure]:
    """Measure the first tokens on quotes of the samples, then the writing, in turns with bare llama-cpp-python."""
    return [*_first_tokens(base), *_writing()]


def _first_tokens(base: Path) -> list[Figure]:
    """Measure with the quotes that an answer is written from, and with a whole document that is read at once."""
    documents = the_samples()
    with Library.open(base=base) as library:
        library.add_paths([str(documents.folder)])
        library.sync(stages=(Stage.TEXT, Stage.VECTORS))
        answers = [library.ask(question, use_model=False) for question in documents.questions]
        quotes = [(one.question, bearing(one.evidence)[:READ_QUOTES]) for one in answers if one.evidence]
        longest = max(library.status().files, key=lambda row: row.elements)
        elements = library.section(longest.document)
    some = quotes[0][1][0]
    whole = tuple(replace(some, n=n, quote=element.text) for n, element in enumerate(elements, 1))
    read = [(question, whole) for question, _ in quotes]
    return [*_second_questions("quotes", quotes), *_second_questions("whole document", read)]


def _second_questions(name: str, found: Sequence[tuple[str, tuple[Evidence, ...]]]) -> list[Figure]:
    """Ask each question with the model closed, then the one before it on the same evidence."""
    loading, cold, second, lengths = [], [], [], []
    settings = Settings()
    with closing(LlamaModel(None, settings.llm_context, settings.model_threads)) as model:
        for at, (question, evidence) in enumerate(found):
            model.close()
            start = time.perf_counter()
            model.count_tokens(question)  # loads it
            loading.append(time.perf_counter() - start)
            first = build_prompt(question, evidence, model, settings.llm_max_tokens)
            again = build_prompt(found[at - 1][0], evidence, model, settings.llm_max_tokens)
            lengths.append(sum(model.count_tokens(message.content) for message in first.messages))
            cold.append(_seconds_to_first(model, first.messages))
            second.append(_seconds_to_first(model, again.messages))
    title = f"first token, second question on the same {name}"
    note = f"prompts of {median(lengths):.0f} tokens; medians of {len(found)} pairs"
    with_load = [load + read for load, read in zip(loading, cold, strict=True)]
    return [
        Figure(title, median(second), median(cold), "s", "the first one, the model loaded", False, note),
        Figure(title, median(second), median(with_load), "s", "the first one, loading the model included", False, note),
    ]


def _seconds_to_first(model: LlamaModel, messages: Sequence[Message]) -> float:
    start = time.perf_counter()
    with closing(model.stream(messages, max_tokens=16, job=Job())) as pieces:
        next(pieces)
        return time.perf_counter() - start


def _writing() -> list[Figure]:
    """Let the writers write in turns, each in a process of its own: first alone, then beside a busy program."""
    figures = []
    with _started() as writers:
        for when in ("", "one other core busy"):
            with _busy(bool(when)):
                speeds: dict[str, list[float]] = {name: [] for name in writers}
                for turn in range(_ROUNDS):
                    order = list(writers) if turn % 2 else list(reversed(writers))
                    for name in order:
                        speeds[name].append(_written_by(writers[name]))
            own = median(speeds.pop("ours"))
            title = ", ".join(part for part in ("writing", when) if part)
            for name, others in speeds.items():
                figures.append(Figure(title, own, median(others), "tokens/s", _WRITERS[name]))
    return figures


@contextmanager
def _started() -> Iterator[dict[str, subprocess.Popen[str]]]:
    writers = {name: _writer(name) for name in _WRITERS}
    try:
        for writer in writers.values():
            _written_by(writer)
        yield writers
    finally:
        for writer in writers.values():
            writer.kill()
            writer.wait()


def _writer(name: str) -> subprocess.Popen[str]:
    """Start a writer; the bare ones without what this program sets in the environment."""
    command = [sys.executable, "-m", "benchmarks.model_host", name]
    ours = {} if name == "ours" else dict.fromkeys(("GOMP_SPINCOUNT", "OMP_NUM_THREADS"), "")
    environment = {key: value for key, value in {**os.environ, **ours}.items() if value}
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@contextmanager
def _busy(wanted: bool) -> Iterator[None]:
    if not wanted:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as program:
        time.sleep(1.0)
        try:
            yield
        finally:
            program.kill()


def _written_by(writer: subprocess.Popen[str]) -> float:
    """Let a writer write once and return its tokens per second."""
    assert writer.stdin is not None
    assert writer.stdout is not None
    writer.stdin.write("go\n")
    writer.stdin.flush()
    return float(writer.stdout.readline())


def _speed(tokens: Iterator[object]) -> float:
    """Return the tokens per second, the first one left out: reading is not writing."""
    next(tokens)
    start = time.perf_counter()
    seconds, count = 0.0, 0
    for _ in islice(tokens, _TOKENS):
        count, seconds = count + 1, time.perf_counter() - start
        if seconds > _MOST_SECONDS:
            break
    return count / seconds


def _ours() -> Generator[object, None, None]:
    settings = Settings()
    model = LlamaModel(None, settings.llm_context, settings.model_threads)
    while True:
        with closing(model.stream([Message("user", _STORY)], max_tokens=_TOKENS + 8, job=Job())) as pieces:
            yield _speed(pieces)


def _bare(**options: Any) -> Generator[object, None, None]:
    """llama-cpp-python as its manual says; kept off AMX too, for with it it crashes (see ARCHITECTURE.md)."""
    from desktop_rag.models.llama_runtime import safe_llama

    model = safe_llama()(str(LlamaModel().path), n_ctx=Settings().llm_context, verbose=False, **options)
    text = f"<|im_start|>user\n{_STORY}<|im_end|>\n<|im_start|>assistant\n"
    while True:
        yield _speed(model.generate(model.tokenize(text.encode(), special=True), temp=0.0))


def _main(name: str) -> None:
    speeds = _ours() if name == "ours" else _bare(**({"n_threads": Settings().model_threads} if "all" in name else {}))
    for _ in sys.stdin:
        print(next(speeds), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1])
