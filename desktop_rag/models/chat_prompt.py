"""From messages to the text of a prompt, so that nothing a document says can act as a mark of the chat itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from desktop_rag.models.llm import Message

# Private-use characters stand in for the contents while the model's own template is filled.
_OPEN, _CLOSE = "\ue0f0", "\ue0f1"
_PLACE = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_OPENED = re.compile(r"<think(?:ing)?>\s*\Z")

Render = Callable[[list[dict[str, str]]], str]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a prompt. Only where ``control`` is true may a token such as ``<|im_end|>`` be read as a mark."""

    text: str
    control: bool


class TemplateError(Exception):
    """The model's chat template does not take these messages."""


def prompt_segments(render: Render, messages: Sequence[Message]) -> tuple[Segment, ...]:
    """Fill the chat template ``render`` with ``messages`` and return the prompt in segments.

    Some templates refuse or drop a system message: it then goes in front of the first message of the user. Raises
    TemplateError when a message would be lost all the same.
    """
    for variant in (messages, _without_system(messages)):
        try:
            text = render([{"role": m.role, "content": f"{_OPEN}{i}{_CLOSE}"} for i, m in enumerate(variant)])
        except Exception as error:  # templates raise what they like
            problem: Exception | None = error
            continue
        problem = None
        segments = _split(text, variant)
        if {int(number) for number in _PLACE.findall(text)} == set(range(len(variant))):
            return segments
    raise TemplateError("the template does not take these messages") from problem


def opened_block(segments: Sequence[Segment]) -> tuple[str, ...]:
    """Return the mark of a thinking block that the template itself opens at the end of the prompt, if it does.

    The reply then begins inside the block, and whoever reads the reply cannot know it.
    """
    opened = _OPENED.search(segments[-1].text) if segments and segments[-1].control else None
    return (opened.group().strip(),) if opened else ()


def _split(text: str, messages: Sequence[Message]) -> tuple[Segment, ...]:
    parts = _PLACE.split(text)
    segments = [
        Segment(messages[int(part)].content, control=False) if index % 2 else Segment(part, control=True)
        for index, part in enumerate(parts)
    ]
    return tuple(segment for segment in segments if segment.text)


def _without_system(messages: Sequence[Message]) -> list[Message]:
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    rest = [message for message in messages if message.role != "system"]
    first = next((index for index, message in enumerate(rest) if message.role == "user"), None)
    if first is not None and system:
        rest[first] = Message("user", f"{system}\n\n{rest[first].content}")
    return rest
