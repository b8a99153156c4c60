"""The protocol of language models that write: messages in, pieces of text out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from desktop_rag.core.job import Job


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class LanguageModel(Protocol):
    """A chat model that runs on this machine."""

    @property
    def name(self) -> str:
        """The display name."""

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together."""

    def count_tokens(self, text: str) -> int:
        """Return how many tokens ``text`` has, without any chat template around it."""

    def stream(self, messages: Sequence[Message], *, max_tokens: int, job: Job) -> Iterator[str]:
        """Yield the reply piece by piece as it is written.

        ``job`` stops it, while it reads the prompt as well as while it writes; it then raises CancelledError. Raises
        ModelError when the model cannot be loaded, or when prompt and answer do not fit into the context.
        """

    def log_likelihood(self, before: str, text: str) -> float:
        """Return the mean natural logarithm of the probabilities of the tokens of ``text`` after ``before``.

        Of what does not fit into the context the beginning of ``before`` is left out. Raises ModelError when the model
        cannot be loaded.
        """

    def close(self) -> None:
        """Free the memory; a later :meth:`stream` loads the model again."""
