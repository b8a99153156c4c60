"""The head of a GGUF file, read without llama.cpp: what a model is called and how large it will be in memory.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from desktop_rag.core.errors import ModelError

_MAGIC = b"GGUF"
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_VERSIONS = (2, 3)
_MOST_KEYS = 100_000
_REMEDY = "Download or copy it again, or choose another GGUF file in the settings."

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class GgufHead:
    """What stands before the vocabulary: ``values`` by key (of an array of numbers, the largest), and the size."""

    path: Path
    file_bytes: int
    values: Mapping[str, Value]

    @property
    def name(self) -> str:
        """The display name: ``general.name``, or the file's name."""
        name = self.values.get("general.name")
        return name.strip() if isinstance(name, str) and name.strip() else self.path.stem

    @property
    def trained_context(self) -> int:
        """The longest context in tokens that the model was made for; 0 if the file does not say."""
        return self._number("context_length")

    def memory_bytes(self, context_tokens: int, working_bytes: int = 256_000_000) -> int:
        """Estimate the memory of the loaded model: weights, keys and values of the context in float16, scratch."""
        heads = self._number("attention.head_count") or 1
        width = self._number("embedding_length") // heads
        keys = self._number("attention.key_length") or width
        values = self._number("attention.value_length") or width
        kept = self._number("attention.head_count_kv") or heads
        return (
            self.file_bytes + self._number("block_count") * kept * (keys + values) * 2 * context_tokens + working_bytes
        )

    def _number(self, key: str) -> int:
        value = self.values.get(f"{self.values.get('general.architecture')}.{key}", 0)
        return int(value) if isinstance(value, int | float) else 0


def read_head(path: Path, what: str = "chat model") -> GgufHead:
    """Read the head of ``path``; ``what`` is what people call the file.

    Raises ModelError, naming the file and the remedy, when it is no whole GGUF file.
    """
    if path.is_dir():
        raise ModelError(f"{path} is a folder, not a {what}. Choose a GGUF file in the settings.")
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            _check_magic(path, file.read(4), what)
            return GgufHead(path, size, _Reader(file, size).values())
    except FileNotFoundError:
        raise ModelError(f"The {what} {path} is not there. Choose another GGUF file in the settings.") from None
    except OSError as error:
        raise ModelError(f"The {what} {path} cannot be read: {error.strerror or error}. {_REMEDY}") from error
    except (struct.error, _DamagedError) as error:
        raise ModelError(f"The {what} {path} is damaged or incomplete. {_REMEDY}") from error


def _check_magic(path: Path, magic: bytes, what: str) -> None:
    if magic == b"":
        raise ModelError(f"The {what} {path} is an empty file. {_REMEDY}")
    if magic != _MAGIC:
        raise ModelError(
            f"{path} is not a GGUF file, the only kind of {what} that can be used. Choose another file in the settings."
        )


class _DamagedError(Exception):
    """A number in the head that cannot be."""


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size

    def values(self) -> dict[str, Value]:
        version, _, count = self._unpack("IQQ")
        if version not in _VERSIONS or count > _MOST_KEYS:
            raise _DamagedError
        found: dict[str, Value] = {}
        for _ in range(count):
            key = self._string()
            if key.startswith("tokenizer.") and self._enough(found):
                break  # the vocabulary is long, and nothing of use comes after it
            value = self._value(*self._unpack("I"))
            if value is not None:
                found[key] = value
        if "general.architecture" not in found:
            raise _DamagedError
        return found

    @staticmethod
    def _enough(found: Mapping[str, Value]) -> bool:
        return f"{found.get('general.architecture')}.block_count" in found

    def _value(self, kind: int) -> Value | None:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            return self._array()
        (value,) = self._unpack(self._format(kind))
        return value

    def _array(self) -> int | None:
        kind, count = self._unpack("IQ")
        if kind == _STRING:
            for _ in range(count):
                self._skip(*self._unpack("Q"))
            return None
        shape = f"{count}{self._format(kind)}"
        if count * struct.calcsize(f"<{self._format(kind)}") > self._size:
            raise _DamagedError
        numbers = self._unpack(shape)
        return max((int(number) for number in numbers), default=None) if kind in (4, 5) else None

    def _format(self, kind: int) -> str:
        if kind not in _FORMATS:
            raise _DamagedError
        return _FORMATS[kind]

    def _string(self) -> str:
        (length,) = self._unpack("Q")
        if length > self._size:
            raise _DamagedError
        return self._file.read(length).decode("utf-8", "replace")

    def _skip(self, length: int) -> None:
        if length > self._size or self._file.seek(length, os.SEEK_CUR) > self._size:
            raise _DamagedError

    def _unpack(self, shape: str) -> tuple[int, ...]:
        return struct.unpack(f"<{shape}", self._file.read(struct.calcsize(f"<{shape}")))
