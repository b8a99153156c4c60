"""How an answer came about, as far as the answer itself does not say it: kept with it, for whoever wants to look."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A message as the language model was given it; ``role`` is system or user."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the search and the milliseconds that it took."""

    name: str
    ms: float


@dataclass(frozen=True, slots=True)
class AnswerTrace:
    """What was searched for, how long each step took, what the model was given, and what had to be done without.

    ``prompt`` is empty where no model was asked. ``shortened`` are sentences for a person: what ran out of time, or
    failed, and what was done instead.
    """

    searched: str = ""
    steps: tuple[Step, ...] = ()
    prompt: tuple[PromptPart, ...] = ()
    shortened: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the trace in the form of the JSON contract."""
        return {
            "searched": self.searched,
            "steps_ms": {step.name: round(step.ms, 1) for step in self.steps},
            "prompt": [{"role": part.role, "text": part.text} for part in self.prompt],
            "shortened": list(self.shortened),
        }
