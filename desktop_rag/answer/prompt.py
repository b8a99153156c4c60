"""What the language model is given: a fixed instruction first, then quotes and question within the token budget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from desktop_rag.core.answers import Evidence
from desktop_rag.core.errors import ModelError
from desktop_rag.core.paths import resource
from desktop_rag.models.llm import LanguageModel, Message

PROMPT_VERSION = "answer.v1"
"""The name of the instruction's file; a changed text gets a new name, so that stored answers keep theirs."""
_TEMPLATE_TOKENS = 48
"""Room for the marks that a chat template puts around two messages."""
_CONTROL = re.compile(r"<\|?/?[\w-]{1,24}\|?>|\[/?(?:INST|SYS)\]|<</?SYS>>|<｜[^｜]{1,24}｜>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages, the evidence and the lines from before that found room in them, and a sentence on what did not."""

    version: str
    messages: tuple[Message, ...]
    evidence: tuple[Evidence, ...]
    given: tuple[str, ...]
    left_out: str = ""


def build_prompt(
    question: str, evidence: Sequence[Evidence], model: LanguageModel, max_tokens: int, told: Sequence[str] = ()
) -> Prompt:
    """Return the prompt with as many quotes, best first, as leave ``max_tokens`` for the answer.

    ``told`` are lines of the conversation and of what the person wants kept in mind; they get a quarter of the room at
    most, the last ones first.

    The system message is the same to the byte for every question, so the model keeps what it has read of it. Raises
    ModelError when not even the best quote fits.
    """
    instruction = resource("prompts", f"{PROMPT_VERSION}.txt").read_text(encoding="utf-8").strip()
    asked = f"\nQuestion: {harmless(question)}"
    budget = model.context_tokens - max_tokens - _TEMPLATE_TOKENS - model.count_tokens(instruction + asked)
    given = _fitting(told, budget // 4, model)
    budget -= sum(model.count_tokens(line) + 1 for line in given)
    lines: list[str] = []
    for item in evidence:
        line = evidence_line(item)
        budget -= model.count_tokens(line) + 1
        if budget < 0:
            break
        lines.append(line)
    if not lines:
        raise ModelError(
            f"The question and its quotes do not fit into the {model.context_tokens:,} tokens that {model.name} can "
            "read. Shorten the question, or raise 'llm_context' in the settings."
        )
    user = "\n".join(["Quotes:", *lines, *given]) + asked
    messages = (Message("system", instruction), Message("user", user))
    left_out = _left_out(len(evidence) - len(lines), len(told) - len(given), model)
    return Prompt(PROMPT_VERSION, messages, tuple(evidence[: len(lines)]), given, left_out)


def _left_out(quotes: int, told: int, model: LanguageModel) -> str:
    """Return a sentence on what found no room, or ""."""
    lost = [f"{count} {what}" for count, what in ((quotes, "of the quotes"), (told, "lines of what was said")) if count]
    if not lost:
        return ""
    return f"{' and '.join(lost)} did not fit into the {model.context_tokens:,} tokens that {model.name} can read."


def _fitting(told: Sequence[str], budget: int, model: LanguageModel) -> tuple[str, ...]:
    kept: list[str] = []
    for line in map(harmless, reversed(told)):
        budget -= model.count_tokens(line) + 1
        if budget < 0:
            break
        kept.insert(0, line)
    return tuple(kept)


def harmless(text: str) -> str:
    """Return ``text`` on one line, with the control marks of chat templates made visible text.

    A document that holds "<|im_end|>" must not end the message that quotes it.
    """
    shown = _CONTROL.sub(
        lambda match: match.group().translate({ord("<"): "‹", ord(">"): "›", ord("["): "(", 93: ")"}), text
    )
    return " ".join(shown.split())


def evidence_line(item: Evidence) -> str:
    """Only the quote: a small model copies a title or heading path that stands before it instead of answering."""
    return f"[{item.n}] {harmless(item.quote)}"
