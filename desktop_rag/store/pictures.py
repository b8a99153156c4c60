"""Page pictures that were drawn before, in a folder for each document; those not shown for longest go first."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from desktop_rag.core.log import get_logger
from desktop_rag.core.types import BBox, Page, PagePicture

_log = get_logger(__name__)
_SUFFIX = ".picture"
_KEPT_SHARE = 0.9
"""What is left when the room is used up, so that not every further picture has to look at all files."""


@dataclass(frozen=True, slots=True)
class PictureKey:
    """Which picture: page ``page`` of the file at ``path`` as it is now, or the part ``clip`` (points) of it.

    ``scale`` is in pixels per point; ``changed_ns`` and ``size`` (bytes) tell one version of the file from the next.
    """

    document: str
    path: Path
    changed_ns: int
    size: int
    page: int
    scale: float
    clip: BBox | None = None

    @property
    def version(self) -> str:
        """What the pictures of this version of the file have in common."""
        return _digest((str(self.path), self.changed_ns, self.size))[:8]

    @property
    def name(self) -> str:
        """The name of the picture's file."""
        return f"{self.version}-{_digest((self.page, self.scale, self.clip))[:24]}{_SUFFIX}"


class KeptPictures:
    """Pictures on the disk, at most ``most_bytes`` of them; with 0 none is kept. Safe from any thread.

    A convenience: what cannot be written or read is as if it had not been kept. With ``read_only`` nothing is changed.
    """

    def __init__(self, folder: Path, most_bytes: int, read_only: bool = False) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._read_only = read_only
        self._lock = threading.Lock()
        self._bytes: int | None = None

    def get(self, key: PictureKey) -> PagePicture | None:
        """Return a picture that was kept, or None."""
        if not self._most_bytes:
            return None
        path = self._folder / key.document / key.name
        try:
            picture = _unpacked(path.read_bytes())
            if not self._read_only:
                os.utime(path)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return picture

    def put(self, key: PictureKey, picture: PagePicture) -> None:
        """Keep a picture; those of former versions of its file go, and the oldest ones where there is no room."""
        if not self._most_bytes or self._read_only:
            return
        folder = self._folder / key.document
        try:
            with self._lock:
                folder.mkdir(parents=True, exist_ok=True)
                for path in folder.iterdir():
                    if not path.name.startswith(key.version):
                        path.unlink(missing_ok=True)
                self._write(folder / key.name, _packed(picture))
        except OSError as error:
            _log.info("a page picture could not be kept: %s", type(error).__name__)

    def documents(self) -> set[str]:
        """Return the documents of which pictures are kept."""
        return {path.name for path in self._folder.iterdir()} if self._folder.is_dir() else set()

    def keep_only(self, documents: Collection[str]) -> None:
        """Forget the pictures of all other documents."""
        with self._lock:
            for document in self.documents() - set(documents):
                shutil.rmtree(self._folder / document, ignore_errors=True)

    def _write(self, path: Path, content: bytes) -> None:
        new = path.with_suffix(".new")
        new.write_bytes(content)
        new.replace(path)
        if self._bytes is not None:
            self._bytes += len(content)
        if self._bytes is None or self._bytes > self._most_bytes:
            self._bytes = self._make_room()

    def _make_room(self) -> int:
        """Delete what was not shown for longest if there is too much; return the bytes that are left."""
        found = [(path, path.stat()) for path in self._folder.glob("*/*") if path.is_file()]
        left = sum(status.st_size for _, status in found)
        if left <= self._most_bytes:
            return left
        for path, status in sorted(found, key=lambda one: one[1].st_mtime_ns):
            if left <= self._most_bytes * _KEPT_SHARE:
                break
            path.unlink(missing_ok=True)
            left -= status.st_size
        return left


def _digest(what: object) -> str:
    return str(blake3(repr(what).encode("utf-8", "surrogateescape")).hexdigest())


def _packed(picture: PagePicture) -> bytes:
    """Return a line of JSON, then the PNG. No pickle: a workspace may come from somebody else."""
    page, clip = picture.page, picture.clip
    said = {
        "size": [picture.width_px, picture.height_px],
        "page": [page.number, page.width, page.height, page.label],
        "pages": picture.pages,
        "clip": None if clip is None else [clip.x0, clip.y0, clip.x1, clip.y1],
    }
    return json.dumps(said).encode() + b"\n" + picture.png


def _unpacked(content: bytes) -> PagePicture:
    line, _, png = content.partition(b"\n")
    said = json.loads(line)
    clip = None if said["clip"] is None else BBox(*said["clip"])
    width_px, height_px = said["size"]
    return PagePicture(png, width_px, height_px, Page(*said["page"]), said["pages"], clip)
