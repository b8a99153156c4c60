"""All models of this installation in one list; how they come, are chosen and go, for command line and window alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from desktop_rag.core.errors import ModelError
from desktop_rag.core.job import Job
from desktop_rag.core.model_rows import Fit, ModelKind, ModelRow, ModelState, Speed
from desktop_rag.core.settings import Settings
from desktop_rag.models.gguf import read_head
from desktop_rag.models.known_models import KnownModel, known_models
from desktop_rag.models.late_interaction import LATE_INTERACTION
from desktop_rag.models.llama import LlamaModel
from desktop_rag.models.memory import available_bytes, total_bytes
from desktop_rag.models.model_shelf import InstalledModel, ModelShelf
from desktop_rag.models.page_pace import PagePace
from desktop_rag.models.page_vision import memory_for
from desktop_rag.models.query_likelihood import QUERY_LIKELIHOOD
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.models.speeds import Speeds

NONE, WORDS = "none", "words"
CHAT_MODEL, TEXT_MODEL = "smollm2-135m", "all-minilm-l6-v2"
"""What comes along, by the names under which it is chosen."""

_WORKING_BYTES = {ModelKind.CHAT: 450_000_000, ModelKind.VISION: 700_000_000}
_OTHER_WORKING_BYTES = 300_000_000
_ADDED = "added from this computer"
_IN_SETTINGS = "named in the settings only"


class ModelManager:
    """The models under ``base``, the data folder. Loads none of them."""

    def __init__(self, base: Path) -> None:
        self.shelf = ModelShelf(base)
        self.speeds = Speeds(base / "model_speeds.json")
        self._pace = PagePace(base / "page_pace.json")

    def rows(self, settings: Settings) -> tuple[ModelRow, ...]:
        """Return all models by kind: what comes along, what is installed, then what can be fetched."""
        hub, known = known_models()
        hub_models = {one.name: one for one in known}
        installed = self.shelf.installed()
        here = [self._installed(one, hub_models.get(one.name), settings) for one in installed]
        others = [self._known(one, hub) for one in hub_models.values() if one.name not in {row.name for row in here}]
        named = [*self._coming_along(settings), *here]
        rows = [*named, *self._in_settings(settings, named), *others]
        return tuple(row for kind in ModelKind for row in rows if row.kind is kind)

    def row(self, name: str, settings: Settings, kind: ModelKind | None = None) -> ModelRow:
        """Return a model by its name, and its kind where the name is of several. Raises ModelError without one."""
        found = [row for row in self.rows(settings) if row.name == name and kind in (None, row.kind)]
        if not found:
            raise ModelError(f"There is no model '{name}'. See: desktop-rag models list")
        if len(found) > 1:
            kinds = ", ".join(row.kind for row in found)
            raise ModelError(f"'{name}' can be of several kinds: {kinds}. Say which with --kind.")
        return found[0]

    def add(self, path: Path, name: str = "", kind: ModelKind | None = None) -> ModelRow:
        """Take up a file or folder, which stays where it is. Raises ModelError saying what is wrong with it."""
        made = self.shelf.add(path, name, kind=kind)
        return self._installed(made, None, Settings())

    def pull(self, name: str, job: Job) -> ModelRow:
        """Fetch a known model from the hub; see ModelShelf.pull."""
        made = self.shelf.pull(name, job)
        known = next((one for one in known_models()[1] if one.name == name), None)
        return self._installed(made, known, Settings())

    def chosen(self, settings: Settings, name: str, kind: ModelKind | None = None) -> Settings:
        """Return ``settings`` with the model in use. Raises ModelError when it is not there, or is damaged."""
        row = self.row(name, settings, kind)
        if row.used:
            return settings
        if row.state is ModelState.COMES_ALONG:
            path, projector = ("" if name in (NONE, WORDS, CHAT_MODEL, TEXT_MODEL) else name), ""
        elif row.state is ModelState.INSTALLED:
            one = self.shelf.get(name)
            path, projector = one.path, str(Path(one.folder) / one.projector) if one.projector else ""
        elif row.state is ModelState.LOST:
            raise ModelError(f"The files of '{name}' are not in {row.folder} any more. Add the model again.")
        else:
            raise ModelError(f"'{name}' is not installed. Fetch it first: desktop-rag models pull {name}")
        if row.kind is ModelKind.CHAT:
            return replace(settings, llm_path=path)
        if row.kind is ModelKind.VISION:
            return replace(settings, vision_model_path=path, vision_projector_path=projector)
        if row.kind is ModelKind.EMBEDDING:
            return replace(settings, text_model_path=path)
        if row.kind is ModelKind.PAGE:
            return replace(settings, page_model=name if path else "")
        return replace(settings, reranker=path)

    def remove(self, name: str, settings: Settings) -> None:
        """Forget a model that is not in use, and delete what was fetched of it."""
        for row in self.rows(settings):
            if row.name == name and row.used:
                raise ModelError(f"'{name}' is in use. Choose another one first, then remove it.")
        self.shelf.remove(name)

    def note_pages(self, model: str, pages: int, seconds: float, size: int) -> None:
        """Remember what pages took a page model, by its fingerprint: estimates go by it."""
        self._pace.add(model, pages, seconds, size)

    def _coming_along(self, settings: Settings) -> list[ModelRow]:
        chat, text = LlamaModel(None, settings.llm_context), SentenceTransformerEmbedder()
        try:
            chat_memory = read_head(chat.path).memory_bytes(settings.llm_context)
            weights = sum(file.stat().st_size for file in text.path.glob("*.safetensors"))
        except ModelError:
            chat_memory = weights = 0

        def row(kind: ModelKind, name: str, used: bool, about: str, size: int = 0, memory: int = 0) -> ModelRow:
            terms = {CHAT_MODEL: ("Apache-2.0", "English"), TEXT_MODEL: ("Apache-2.0", "English")}
            licence, languages = terms.get(name, ("", ""))
            return ModelRow(
                kind, name, ModelState.COMES_ALONG, used, size, memory, _fit(memory, used), licence, languages, about,
                speed=self.speeds.of(kind, name),
            )  # fmt: skip

        text_memory = weights + _OTHER_WORKING_BYTES
        return [
            row(
                ModelKind.CHAT, CHAT_MODEL, not settings.llm_path, "comes along: writes short English answers",
                chat.file_bytes, chat_memory,
            ),
            row(
                ModelKind.VISION, NONE, not settings.vision_model_path,
                "figures are found by their captions, the words in them and the text around them",
            ),
            row(
                ModelKind.EMBEDDING, TEXT_MODEL, not settings.text_model_path, "comes along: small and quick", weights,
                text_memory,
            ),
            row(ModelKind.PAGE, WORDS, not settings.page_model, "comes along: what a page says, and where"),
            row(ModelKind.RERANKING, NONE, not settings.reranker, "hits stay in the order of the search"),
            row(
                ModelKind.RERANKING, LATE_INTERACTION, settings.reranker == LATE_INTERACTION,
                "comes along: the text model compares word by word",
            ),
            row(
                ModelKind.RERANKING, QUERY_LIKELIHOOD, settings.reranker == QUERY_LIKELIHOOD,
                "comes along: how likely the chat model would ask this of a passage; slow",
            ),
        ]  # fmt: skip

    def _installed(self, one: InstalledModel, known: KnownModel | None, settings: Settings) -> ModelRow:
        kind = ModelKind(one.kind)
        used = _used(settings)[kind] == (one.name if kind is ModelKind.PAGE else one.path)
        memory = self._memory(one, settings)
        return ModelRow(
            kind,
            one.name,
            ModelState.INSTALLED if one.is_there else ModelState.LOST,
            used,
            one.bytes,
            memory,
            _fit(memory, used),
            known.licence if known else "",
            known.languages if known else "",
            known.about if known else f"{one.family}, {_ADDED}",
            one.path,
            self._speed(one),
            pulled=one.pulled,
        )

    def _known(self, one: KnownModel, hub: str) -> ModelRow:
        size = one.megabytes * 1_000_000
        fetched = self.shelf.fetched(one.name)
        state = ModelState.PARTLY if fetched else ModelState.KNOWN
        speed = Speed(one.seconds, "seconds a page") if one.seconds else None
        memory = _memory_of(one.kind, size)
        return ModelRow(
            one.kind, one.name, state, False, size, memory, _fit(memory), one.licence, one.languages, one.about,
            speed=speed, fetched=fetched, source=f"{hub}/{one.repository}", pulled=True,
        )  # fmt: skip

    def _in_settings(self, settings: Settings, rows: Iterable[ModelRow]) -> list[ModelRow]:
        """Return the models that the settings name and nobody added, as older versions of the program did."""
        used = {row.kind for row in rows if row.used}
        made = []
        for kind, path in _used(settings).items():
            if kind in used or not path:
                continue
            there = Path(path).exists() and kind is not ModelKind.PAGE
            state = ModelState.INSTALLED if there else ModelState.LOST
            made.append(ModelRow(kind, Path(path).stem, state, True, about=_IN_SETTINGS, folder=path))
        return made

    def _speed(self, one: InstalledModel) -> Speed | None:
        if one.kind != ModelKind.PAGE or not one.is_there:
            return self.speeds.of(ModelKind(one.kind), one.name)
        seconds = self._pace.measured(self.shelf.embedder(one.name, 1).fingerprint)
        tried = self.speeds.of(ModelKind.PAGE, one.name)
        return tried if seconds is None else Speed(seconds, "seconds a page")

    def _memory(self, one: InstalledModel, settings: Settings) -> int:
        if not one.main:
            return _memory_of(ModelKind(one.kind), one.bytes)
        try:
            head = read_head(Path(one.path))
        except ModelError:
            return _memory_of(ModelKind(one.kind), one.bytes)
        return head.memory_bytes(settings.llm_context) + one.bytes - head.file_bytes


def _used(settings: Settings) -> dict[ModelKind, str]:
    """Return what the settings name for each kind: a path, or the name of a page model; "" for what comes along."""
    paths = {
        ModelKind.CHAT: settings.llm_path,
        ModelKind.VISION: settings.vision_model_path,
        ModelKind.EMBEDDING: settings.text_model_path,
        ModelKind.RERANKING: settings.reranker,
    }
    expanded = {kind: str(Path(path).expanduser()) if path else "" for kind, path in paths.items()}
    return {**expanded, ModelKind.PAGE: settings.page_model}


def _memory_of(kind: ModelKind, weights: int) -> int:
    if kind is ModelKind.PAGE:
        return memory_for(weights)
    return weights + _WORKING_BYTES.get(kind, _OTHER_WORKING_BYTES)


def _fit(memory: int, used: bool = False) -> Fit:
    """Return whether so much memory can be had; what a model in use has already taken is not free."""
    if memory > total_bytes():
        return Fit.NEVER
    return Fit.NOW if used or memory <= available_bytes() else Fit.LATER
