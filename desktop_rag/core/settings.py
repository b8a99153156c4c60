"""Every setting, declared once: its type, default and meaning. Stored as TOML, written whole or not at all."""

from __future__ import annotations

import dataclasses
import os
import tomllib
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import psutil
import tomli_w

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.files import write_atomically
from desktop_rag.core.types import Route


def _setting(default: Any, help_text: str) -> Any:
    return field(default=default, metadata={"help": help_text})


def _physical_cores() -> int:
    return psutil.cpu_count(logical=False) or os.cpu_count() or 1


NO_EXPANSION = "none"
"""The value of ``query_expansion`` that leaves questions as they are."""

OCR_LANGUAGES = {
    "chinese_cht": "traditional Chinese",
    "cyrillic": "Cyrillic letters",
    "devanagari": "Hindi, Marathi, Nepali",
    "el": "Greek",
    "en": "English",
    "eslav": "Russian, Ukrainian, Belarusian",
    "japan": "Japanese",
    "ka": "Kannada",
    "korean": "Korean",
    "latin": "Latin letters with their accents",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
}
"""The language packs of text recognition by the names that rapidocr gives them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one installation; frozen, so a change is a new value that is saved."""

    threads: int = _setting(0, "Threads for models; 0 means one for each physical core.")
    parse_workers: int = _setting(0, "Processes that read documents at once; 0 means one for every two cores.")
    parse_seconds: float = _setting(120.0, "Longest time that reading one file may take, for its first 100 pages.")
    parse_megabytes: int = _setting(2048, "Most memory that reading one file may take.")
    ocr_page_seconds: float = _setting(90.0, "Longest time, on a core, that recognising the text of a page may take.")
    ocr_language: str = _setting("", "A language pack for text recognition, such as korean; its file lies in ocr/.")
    largest_file_megabytes: int = _setting(512, "Files above this size are listed but not read.")
    picture_megabytes: int = _setting(200, "Most room for pictures of pages that were shown; 0 keeps none.")
    chunk_tokens: int = _setting(160, "Longest piece of text that is searched as one, in the text model's tokens.")
    text_model_path: str = _setting(
        "", "A sentence-transformers folder that finds passages by meaning; empty means the one that comes along."
    )
    page_model: str = _setting("", "What looks at pages: an installed page model by name; empty means their words.")
    page_pooling: int = _setting(1, "Similar places of a page that share a vector: 3 takes a third of the room.")
    route: str = _setting(str(Route.BEST), "How questions are searched when nothing else is chosen.")
    search_milliseconds: int = _setting(
        15000, "Longest time for searching by meaning; when it is over, what was found by words has to do."
    )
    reranker: str = _setting(
        "",
        "Looks at the first hits of `best` again: a cross-encoder's folder, late-interaction, query-likelihood.",
    )
    rerank_hits: int = _setting(20, "How many hits the reranker looks at.")
    rerank_milliseconds: int = _setting(1500, "Longest time for reranking; when it is over, hits stay as they were.")
    query_expansion: str = _setting(
        NO_EXPANSION,
        "The chat model widens questions before the search: hyde (by a passage), multi (by wordings) or none.",
    )
    expansion_milliseconds: int = _setting(8000, "Longest time for widening a question.")
    evidence: int = _setting(10, "Most quotes that an answer rests on.")
    keep_answers: bool = _setting(True, "Give an answer again when the same is asked of unchanged documents.")
    cache_closeness: float = _setting(0.8, "Least cosine of two wordings of a question; see 'calibrate cache'.")
    refusal_model: str = _setting("", "A file that says when to refuse an answer, made by 'calibrate refusal'.")
    nli_model: str = _setting("", "The folder of a cross-encoder for NLI, which strikes what contradicts its quote.")
    llm_path: str = _setting("", "A GGUF file of a chat model; empty means the small one that comes along.")
    llm_context: int = _setting(4096, "Context of the chat model, in tokens.")
    llm_max_tokens: int = _setting(320, "Longest answer of the chat model, in tokens.")
    llm_seconds: float = _setting(120.0, "Longest time for writing an answer; then what holds so far, and quotes.")
    llm_gpu_layers: int = _setting(-1, "Layers given to a GPU if the build has one; -1 means all, 0 none.")
    llm_idle_minutes: float = _setting(15.0, "Minutes without use after which the chat model leaves memory; 0 never.")
    vision_model_path: str = _setting("", "A GGUF file of a vision model that describes figures; empty means none.")
    vision_projector_path: str = _setting("", "The projector of the vision model (its mmproj GGUF file).")
    vision_seconds: float = _setting(300.0, "Longest time, on a core, that describing a figure may take.")
    battery: str = _setting(
        "less", "On battery: less (tables and text recognition wait), pause (all reading waits) or same."
    )
    theme: str = _setting("system", "Colours of the window: system, light or dark.")

    @property
    def model_threads(self) -> int:
        """The number of threads that a model gets."""
        return self.threads or _physical_cores()

    @property
    def parse_processes(self) -> int:
        """The number of worker processes that read documents."""
        return self.parse_workers or max(1, (os.cpu_count() or 2) // 2)


def _problem(name: str, value: object, path: Path) -> UserFacingError:
    return UserFacingError(f"{path}: the setting '{name}' cannot be {value!r}. Correct it or delete the line.")


def _coerce(name: str, kind: Any, value: object, path: Path) -> object:
    """Return ``value`` as ``kind``, or raise UserFacingError naming the setting and the file."""
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(part for part in get_args(kind) if part is not type(None))
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise _problem(name, value, path)
    return value


_ALLOWED = {
    "theme": ("system", "light", "dark"),
    "battery": ("less", "pause", "same"),
    "query_expansion": (NO_EXPANSION, "hyde", "multi"),
    "route": tuple(str(route) for route in Route),
    "ocr_language": ("", *OCR_LANGUAGES),
}
_AT_LEAST: dict[str, float] = {
    "threads": 0, "parse_workers": 0, "parse_seconds": 1, "ocr_page_seconds": 1, "vision_seconds": 1,
    "parse_megabytes": 128, "largest_file_megabytes": 1, "chunk_tokens": 32, "evidence": 1, "rerank_hits": 2,
    "search_milliseconds": 100, "rerank_milliseconds": 0, "expansion_milliseconds": 0, "llm_context": 512,
    "llm_max_tokens": 16, "llm_gpu_layers": -1, "llm_seconds": 1, "llm_idle_minutes": 0,
    "cache_closeness": 0, "page_pooling": 1, "picture_megabytes": 0,
}  # fmt: skip


def load_settings(path: Path) -> Settings:
    """Read settings from ``path``; a missing file gives the defaults, unknown names are kept out.

    Raises UserFacingError when the file is not TOML or a value is of the wrong type or out of range.
    """
    try:
        stored = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserFacingError(f"{path} is not valid TOML ({error}). Correct it, or delete it for defaults.") from error
    hints = get_type_hints(Settings)
    known = {item.name for item in dataclasses.fields(Settings)}
    values: dict[str, Any] = {
        name: _coerce(name, hints[name], value, path) for name, value in stored.items() if name in known
    }
    for name, value in values.items():
        if name in _ALLOWED and value not in _ALLOWED[name]:
            raise _problem(name, value, path)
        if name in _AT_LEAST and value < _AT_LEAST[name]:
            raise _problem(name, value, path)
    return Settings(**values)


def save_settings(settings: Settings, path: Path) -> None:
    """Write ``settings`` to ``path`` atomically; only what differs from the defaults is stored."""
    default = Settings()
    changed = {
        item.name: getattr(settings, item.name)
        for item in dataclasses.fields(Settings)
        if getattr(settings, item.name) != getattr(default, item.name)
    }
    write_atomically(path, tomli_w.dumps(changed).encode())
