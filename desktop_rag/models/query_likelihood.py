"""Query likelihood: how likely the chat model would ask the question after it has read the passage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from desktop_rag.models.llm import LanguageModel
from desktop_rag.models.reranker import Scores

QUERY_LIKELIHOOD = "query-likelihood"
"""The reranker that needs no model but the chat model, as the settings call it."""
_MOST_CHARACTERS = 900
"""So much of a passage is read: reading it is what takes time."""


class QueryLikelihood:
    """The mean log probability of the question's tokens after the passage (Ponte and Croft, SIGIR 1998; with a
    language model as in Sachan et al., "Improving Passage Retrieval with Zero-Shot Question Generation", EMNLP 2022).

    ``model`` loads the chat model when it is first needed. Each passage is a prompt of its own, so that on a CPU few of
    them fit into the time that reranking has. The model was not trained for it: :attr:`trust` is low.
    """

    trust = 0.3

    def __init__(self, model: Callable[[], LanguageModel]) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The display name."""
        return f"query likelihood, {self._model().name}"

    def scores(self, question: str, passages: Sequence[str]) -> Scores:
        """Return mean natural logarithms, at most 0. Raises ModelError when the model cannot be loaded."""
        model = self._model()
        given = [f"Passage: {text[:_MOST_CHARACTERS]}\n\nA question that the passage answers:" for text in passages]
        return np.array([model.log_likelihood(before, f" {question}") for before in given], dtype=np.float32)
