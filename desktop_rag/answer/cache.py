"""The cache of answers: the same question, asked of the same documents in the same way, is not answered twice.

An answer is kept under everything that it depends on: route, settings, models, prompt, and the state of the index. Any
change of a document retires it. Another wording hits only where rules say that it asks the same
(:mod:`desktop_rag.answer.sameness`) *and* the text model finds it close: see ``desktop-rag calibrate cache``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from desktop_rag.answer.sameness import plain_question, same_question
from desktop_rag.core.answers import Answer
from desktop_rag.core.errors import ModelError
from desktop_rag.models.embedder import Embedder
from desktop_rag.store.answers import Answers


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is searched, with its vector, and the scope in which its answer holds."""

    question: str
    vector: NDArray[np.float32]
    scope: str
    index: str


class AnswerCache:
    """Finds and keeps answers.

    ``index_state`` gives a digest of what is indexed now, ``closeness`` is the least cosine of two wordings.
    """

    def __init__(
        self,
        answers: Answers,
        embedder: Embedder,
        index_state: Callable[[], str],
        closeness: float,
        read_only: bool = False,
    ) -> None:
        self._closeness = closeness
        self._answers = answers
        self._embedder = embedder
        self._index_state = index_state
        self._read_only = read_only

    def asked(self, question: str, *dependencies: object) -> Asked:
        """Return ``question`` with all that its answer depends on: ``dependencies`` besides index and text model."""
        index = self._index_state()
        parts = (index, self._embedder.fingerprint, *(repr(one) for one in dependencies))
        scope = hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()
        try:
            vector = self._embedder.embed([question])[0]
        except ModelError:
            vector = np.zeros(0, dtype=np.float32)
        return Asked(question, vector, scope, index)

    def find(self, asked: Asked) -> Answer | None:
        """Return the kept answer to the same question; None when there is none."""
        for kept in self._answers.questions(asked.scope):
            if self._same(asked, kept.question, kept.vector):
                return self._answers.get(kept.id)
        return None

    def keep(self, asked: Asked, answer: Answer) -> None:
        """Keep an answer, unless the index changed while it was written."""
        if not self._read_only and self._index_state() == asked.index:
            self._answers.keep(asked.scope, asked.index, asked.question, asked.vector, answer)

    def _same(self, asked: Asked, question: str, vector: NDArray[np.float32]) -> bool:
        if plain_question(question) == plain_question(asked.question):
            return True
        if not asked.vector.size or vector.shape != asked.vector.shape:
            return False
        return float(vector @ asked.vector) >= self._closeness and same_question(question, asked.question)
