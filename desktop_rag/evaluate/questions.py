"""Question sets with known pages: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from desktop_rag.core.errors import UserFacingError


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer and the place where the answer stands.

    ``file`` is relative to the collection's root and None for an unanswerable question; ``pages`` is empty for a
    format without fixed pages. ``history`` holds earlier question and answer texts of a follow-up, oldest first.
    """

    id: str
    question: str
    answer: str
    aliases: tuple[str, ...]
    file: str | None
    pages: frozenset[int]
    evidence: str | None
    kind: str
    history: tuple[str, ...]

    @property
    def answerable(self) -> bool:
        """Whether the documents hold an answer."""
        return self.file is not None


def load_questions(path: Path) -> tuple[Question, ...]:
    """Read a question set; raises UserFacingError naming the file and line when one is not as it should be."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserFacingError(f"The question file {path} cannot be read: {error}.") from error
    questions = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            if not isinstance(data, dict):
                raise TypeError("it is no JSON object")
            questions.append(_question(data))
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            problem = f"lacks {error}" if isinstance(error, KeyError) else f"is not as it should be ({error})"
            raise UserFacingError(
                f"{path}, line {number}: this question {problem}. Each line is a JSON object with "
                "id, question, answer, file, pages, evidence and kind."
            ) from error
    if not questions:
        raise UserFacingError(f"{path} holds no questions.")
    return tuple(questions)


def _question(data: Mapping[str, object]) -> Question:
    aliases, pages, history = data.get("answer_aliases") or [], data.get("pages") or [], data.get("history") or []
    if not (isinstance(aliases, list) and isinstance(pages, list) and isinstance(history, list)):
        raise TypeError("answer_aliases, pages and history must be lists")
    file, evidence = data["file"], data.get("evidence")
    return Question(
        id=str(data["id"]),
        question=str(data["question"]),
        answer=str(data["answer"]),
        aliases=tuple(map(str, aliases)),
        file=None if file is None else str(file),
        pages=frozenset(int(page) for page in pages),
        evidence=None if evidence is None else str(evidence),
        kind=str(data.get("kind", "lookup")),
        history=tuple(_history_text(item) for item in history),
    )


def _history_text(item: object) -> str:
    return str(item.get("content", "")) if isinstance(item, dict) else str(item)
