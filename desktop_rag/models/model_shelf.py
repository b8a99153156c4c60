"""The page models of this installation: which are known, which are there, and whether they are still as they were."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from desktop_rag.core.errors import ModelError
from desktop_rag.core.job import Job
from desktop_rag.core.paths import resource
from desktop_rag.models.page_checkpoints import digest_of, inspect, listing
from desktop_rag.models.page_vision import VisionPageEmbedder

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_NOTE = "model.json"
_FILES = "files"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be fetched by name: where it is, under what terms, for which languages, and its size."""

    name: str
    repository: str
    licence: str
    languages: str
    megabytes: int
    about: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that is there: ``folder`` holds its files, ``pulled`` says whether they are ours.

    ``digest`` is of all files, and ``files`` their sizes and times when it was made.
    """

    name: str
    folder: str
    family: str
    bytes: int
    digest: str
    files: dict[str, list[int]]
    pulled: bool = False


class ModelShelf:
    """Page models under one folder, ``<data folder>/models``: a note for each, and the files of those fetched."""

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
        raise ModelError(f"There is no page model '{name}'. Installed: {there}. See: desktop-rag models list")

    def add(self, folder: Path, name: str = "", *, pulled: bool = False) -> InstalledModel:
        """Take up the model in ``folder``, where it stays. Raises ModelError saying what is wrong with it."""
        folder = folder.expanduser().resolve()
        checkpoint = inspect(folder)
        name = name or _named(folder)
        if not _NAME.fullmatch(name):
            raise ModelError(f"'{name}' cannot be the name of a model. Use small letters, digits, dots and dashes.")
        made = InstalledModel(
            name, str(folder), checkpoint.family.architecture, checkpoint.weights, digest_of(folder),
            listing(folder), pulled,
        )  # fmt: skip
        self._write(made)
        return made

    def verify(self, name: str) -> InstalledModel:
        """Read all files of a model again. Raises ModelError when they are not those that were taken up."""
        known = self.get(name)
        inspect(Path(known.folder))
        if digest_of(Path(known.folder)) != known.digest:
            raise ModelError(
                f"The files of the page model '{name}' in {known.folder} have changed. If that was meant: "
                f"desktop-rag models add '{known.folder}' --name {name}"
            )
        return known

    def remove(self, name: str) -> None:
        """Forget a model; files that were fetched are deleted, those in a folder of the user's stay."""
        self.get(name)
        shutil.rmtree(self._folder / name)

    def pull(self, name: str, job: Job) -> InstalledModel:
        """Fetch a known model. Raises ModelError as ``downloads`` and CancelledError when ``job`` ends."""
        from desktop_rag.models.downloads import fetch, look_up

        hub, models = known_models()
        known = next((one for one in models if one.name == name), None)
        if known is None:
            raise ModelError(f"No model '{name}' is known. These are: {', '.join(one.name for one in models)}.")
        target = self._folder / name / _FILES
        remote = look_up(hub, known.repository)
        self._require_room(target, remote.bytes)
        fetch(hub, remote, target, job)
        return self.add(target, name, pulled=True)

    def embedder(self, name: str, threads: int) -> VisionPageEmbedder:
        """Return the embedder of an installed model, not loaded yet. Raises ModelError when there is none.

        Files that changed since they were taken up give another fingerprint, so that pages are looked at again.
        """
        known = self.get(name)
        folder = Path(known.folder)
        same = folder.is_dir() and listing(folder) == known.files
        return VisionPageEmbedder(name, folder, threads, self._cache, known.digest if same else "")

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


def known_models() -> tuple[str, tuple[KnownModel, ...]]:
    """Return the address of the hub, and the models that are known to work."""
    said = tomllib.loads(resource("models", "page_models.toml").read_text(encoding="utf-8"))
    return str(said["hub"]), tuple(KnownModel(**one) for one in said["models"])


def _named(folder: Path) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", folder.name.lower()).strip("-.") or "page-model"
