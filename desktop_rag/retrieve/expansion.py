"""The chat model widens a question before the search: by a passage that would answer it, or by other wordings.

The first is HyDE (Gao and others, "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023): a
passage is more like an answer than the question is, even where it is wrong. What these texts find joins the fusion as
rankings of their own; the question's own rankings stay.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from desktop_rag.core.errors import CancelledError, ModelError
from desktop_rag.core.job import Job
from desktop_rag.core.log import get_logger
from desktop_rag.core.paths import resource
from desktop_rag.models.llm import LanguageModel, Message
from desktop_rag.retrieve.clock import step

_log = get_logger(__name__)
_KEPT = 32
_FEWEST_WORDS = 5
"""A passage that was cut off earlier than that says nothing yet."""
_MOST_WORDINGS = 2
_TOKENS = {"hyde": 96, "multi": 96}
_MARKS = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s*")


class ExpansionKind(StrEnum):
    """How a question is widened, by the values of the setting ``query_expansion``."""

    HYDE = "hyde"
    MULTI = "multi"


@dataclass(frozen=True, slots=True)
class Wordings:
    """What a question is searched by besides itself, by the names of the rankings that come of it.

    ``passages`` are like documents and are searched by meaning only, ``questions`` by every part of the search.
    """

    passages: Mapping[str, str]
    questions: Mapping[str, str]


class Expansion:
    """Asks the model, for ``budget_ms`` at most, and keeps what it said of the last few questions.

    Safe from any thread; routes that ask for the same question at once share one reply. A model that fails widens
    nothing, one that takes too long as much as it has written by then.
    """

    def __init__(self, kind: ExpansionKind, model: Callable[[], LanguageModel], budget_ms: float) -> None:
        self._kind = kind
        self._model = model
        self._budget_ms = budget_ms
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Wordings] = OrderedDict()

    def of(self, question: str) -> Wordings:
        """Return the wordings of ``question``; there may be none."""
        with self._lock, step("expand"):
            if question not in self._kept:
                self._kept[question] = self._wordings(question)
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(question)
            return self._kept[question]

    def _wordings(self, question: str) -> Wordings:
        written, whole = self._written(question)
        if self._kind is ExpansionKind.HYDE:
            passage = " ".join(written.split())
            return Wordings({"hyde": passage} if len(passage.split()) >= _FEWEST_WORDS else {}, {})
        lines = written.splitlines() if whole else written.splitlines()[:-1]
        said = (_MARKS.sub("", line).strip() for line in lines)
        others = list(dict.fromkeys(line for line in said if line and line.casefold() != question.casefold()))
        return Wordings({}, {f"wording {n}": text for n, text in enumerate(others[:_MOST_WORDINGS], start=1)})

    def _written(self, question: str) -> tuple[str, bool]:
        """Return what the model wrote in its time, and whether it came to its end."""
        instruction = resource("prompts", f"{self._kind}.v1.txt").read_text(encoding="utf-8").strip()
        messages = (Message("system", instruction), Message("user", question))
        job, written = Job(), list[str]()
        alarm = threading.Timer(self._budget_ms / 1000, job.cancel)
        alarm.daemon = True
        alarm.start()
        try:
            pieces = self._model().stream(messages, max_tokens=_TOKENS[self._kind], job=job)
            for piece in pieces:
                written.append(piece)
                if job.cancelled:
                    break
            if isinstance(pieces, Generator):
                pieces.close()
        except CancelledError:
            _log.info("the question was not widened to the end: %.0f ms are over", self._budget_ms)
        except ModelError as error:
            _log.warning("the question could not be widened: %s", type(error).__name__)
            return "", True
        finally:
            alarm.cancel()
        return "".join(written), not job.cancelled
