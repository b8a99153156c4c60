"""The models of this installation: which are there, and whether they are still as they were."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from desktop_rag.core.errors import ModelError
from desktop_rag.core.job import Job
from desktop_rag.core.model_rows import ModelKind
from desktop_rag.models.known_models import known_models
from desktop_rag.models.model_files import KIND_NAMES, recognise
from desktop_rag.models.page_checkpoints import digest_of, listing
from desktop_rag.models.page_vision import VisionPageEmbedder

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_NOTE = "model.json"
RESERVED = frozenset({"none", "words", "late-interaction", "smollm2-135m", "all-minilm-l6-v2"})
"""Names of what comes along, or of nothing."""

_FILES = "files"


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that is there: ``folder`` holds its files, ``pulled`` says whether they are ours.

    ``digest`` is of all files, and ``files`` their sizes and times when it was made. Of a GGUF model, ``main`` and
    ``projector`` are the names of its files in the folder, which may hold others.
    """

    name: str
    folder: str
    family: str
    bytes: int
    digest: str
    files: dict[str, list[int]]
    pulled: bool = False
    kind: str = str(ModelKind.PAGE)
    main: str = ""
    projector: str = ""

    @property
    def path(self) -> str:
        """What is loaded: the GGUF file, or the folder."""
        return str(Path(self.folder) / self.main) if self.main else self.folder

    @property
    def names(self) -> tuple[str, ...]:
        """The files of the folder that are the model's; empty for all."""
        return tuple(name for name in (self.main, self.projector) if name)

    @property
    def is_there(self) -> bool:
        """Whether what is loaded is where it was."""
        return Path(self.path).exists()


class ModelShelf:
    """Models under one folder, ``<data folder>/models``: a note for each, and the files of those fetched."""

    def __init__(self, base: Path) -> None:
        self._folder = base / "models"
        self._cache = base / "page_device.json"

    def installed(self) -> tuple[InstalledModel, ...]:
        """Return the models that are there, by name; a note that cannot be read is left out."""
        notes = sorted(self._folder.glob(f"*/{_NOTE}"))
        found = (self._read(note) for note in notes)
        return tuple(one for one in found if one is not None)

    def get(self, name: str) -> InstalledModel:
        """Return a model by name. Raises ModelError when there is none, naming those that are there."""
        for one in self.installed():
            if one.name == name:
                return one
        there = ", ".join(one.name for one in self.installed()) or "none"
        raise ModelError(f"There is no model '{name}'. Installed: {there}. See: desktop-rag models list")

    def add(self, path: Path, name: str = "", *, kind: ModelKind | None = None, pulled: bool = False) -> InstalledModel:
        """Take up the model in a file or folder, where it stays. Raises ModelError saying what is wrong with it.

        The same model under its former name is taken up anew; another one of that name is not replaced.
        """
        path = path.expanduser().resolve()
        found = recognise(path, kind)
        name = name or _named(path)
        if not _NAME.fullmatch(name) or name in RESERVED:
            raise ModelError(f"'{name}' cannot be the name of a model. Use small letters, digits, dots and dashes.")
        made = InstalledModel(
            name, str(found.folder), found.family, found.bytes, digest_of(found.folder, found.names),
            listing(found.folder, found.names), pulled, str(found.kind), found.main, found.projector,
        )  # fmt: skip
        there = next((one for one in self.installed() if one.name == name), None)
        if there is not None and (there.path, there.kind) != (made.path, made.kind):
            raise ModelError(f"There is a model '{name}' already, in {there.path}. Give the new one another name.")
        self._write(made)
        return made

    def verify(self, name: str) -> InstalledModel:
        """Read all files of a model again. Raises ModelError when they are not those that were taken up."""
        known = self.get(name)
        recognise(Path(known.path), ModelKind(known.kind))
        if digest_of(Path(known.folder), known.names) != known.digest:
            raise ModelError(
                f"The files of the model '{name}' in {known.folder} have changed. If that was meant: "
                f"desktop-rag models add '{known.path}' --name {name}"
            )
        return known

    def remove(self, name: str) -> None:
        """Forget a model; files that were fetched, if only in part, are deleted, those in the user's folders stay."""
        if not self.fetched(name):
            self.get(name)
        shutil.rmtree(self._folder / name)

    def fetched(self, name: str) -> int:
        """Return how many bytes of a model were fetched before its fetching broke off; 0 for all others."""
        if not _NAME.fullmatch(name) or (self._folder / name / _NOTE).exists():
            return 0
        files = (self._folder / name / _FILES).rglob("*")
        return sum(file.stat().st_size for file in files if file.is_file())

    def pull(self, name: str, job: Job) -> InstalledModel:
        """Fetch a known model. Raises ModelError as ``downloads`` and CancelledError when ``job`` ends."""
        from desktop_rag.models.downloads import fetch, look_up

        hub, models = known_models()
        known = next((one for one in models if one.name == name), None)
        if known is None:
            raise ModelError(f"No model '{name}' is known. These are: {', '.join(one.name for one in models)}.")
        target = self._folder / name / _FILES
        if any(one.name == name and not one.pulled for one in self.installed()):
            raise ModelError(f"There is a model '{name}' from a folder of yours. Remove it first.")
        remote = look_up(hub, known.repository, known.files)
        self._require_room(target, remote.bytes)
        fetch(hub, remote, target, job)
        return self.add(target, name, kind=known.kind, pulled=True)

    def embedder(self, name: str, threads: int, pause: Callable[[], None] = lambda: None) -> VisionPageEmbedder:
        """Return the embedder of an installed model, not loaded yet. Raises ModelError when there is none.

        Files that changed since they were taken up give another fingerprint, so that pages are looked at again.
        """
        known = self.get(name)
        if known.kind != ModelKind.PAGE:
            raise ModelError(f"'{name}' is {KIND_NAMES[ModelKind(known.kind)]}, and cannot look at pages.")
        folder = Path(known.folder)
        same = folder.is_dir() and listing(folder) == known.files
        digest = known.digest if same else ""
        return VisionPageEmbedder(name, folder, threads, self._cache, digest, pause=pause)

    def device(self) -> str:
        """Return where page models compute on this machine, e.g. "cpu in bfloat16"; empty before one was loaded."""
        try:
            said = json.loads(self._cache.read_text(encoding="utf-8"))
            return f"{said['device']} in {said['format']}"
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def _require_room(self, target: Path, size: int) -> None:
        existing = next(folder for folder in (target, *target.parents) if folder.exists())
        free = shutil.disk_usage(existing).free
        if free < size:
            raise ModelError(
                f"The model needs {size / 1e6:,.0f} MB on the disk of {existing}, but only {free / 1e6:,.0f} MB are "
                "free. Make room there first."
            )

    def _write(self, model: InstalledModel) -> None:
        note = self._folder / model.name / _NOTE
        note.parent.mkdir(parents=True, exist_ok=True)
        new = note.with_suffix(".new")
        new.write_text(json.dumps(asdict(model), indent=1), encoding="utf-8")
        new.replace(note)

    def _read(self, note: Path) -> InstalledModel | None:
        try:
            return InstalledModel(**json.loads(note.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None


def _named(path: Path) -> str:
    plain = path.stem if path.suffix == ".gguf" else path.name
    return re.sub(r"[^a-z0-9._-]+", "-", plain.lower()).strip("-.")[:64].rstrip("-.") or "model"
