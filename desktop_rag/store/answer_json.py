"""Answers as JSON and back, with every field; built on the dataclasses themselves, so that nothing is listed twice."""

from __future__ import annotations

import dataclasses
import json
import types
from enum import StrEnum
from typing import Any, Union, get_args, get_origin, get_type_hints

from desktop_rag.core.answers import Answer


def dump_answer(answer: Answer) -> str:
    """Return the answer as JSON."""
    return json.dumps(dataclasses.asdict(answer), ensure_ascii=False)


def load_answer(text: str) -> Answer:
    """Return the answer that :func:`dump_answer` wrote; fields that came later take their defaults."""
    answer = _load(Answer, json.loads(text))
    assert isinstance(answer, Answer)
    return answer


def _load(kind: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        names = [field.name for field in dataclasses.fields(kind) if field.name in value]
        return _build(kind, {name: _load(hints[name], value[name]) for name in names})
    if get_origin(kind) is tuple:
        return tuple(_load(get_args(kind)[0], item) for item in value)
    if get_origin(kind) in (Union, types.UnionType):
        inner = next((part for part in get_args(kind) if dataclasses.is_dataclass(part)), None)
        return value if value is None or inner is None else _load(inner, value)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(value)
    return kind(value) if kind is float else value


def _build(kind: Any, values: dict[str, Any]) -> Any:
    return kind(**values)
