"""Fetches the files of a model from a hub: the only code of this program that speaks to other machines.

It runs only when a person fetches a model: ``desktop-rag models pull``, or "Fetch" in the window. Each file is resumed
where a former try broke off, and is taken only when its checksum is the hub's.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from desktop_rag.core.errors import ModelError
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.log import get_logger

_log = get_logger(__name__)
_CHUNK = 1 << 20
_TIMEOUT_SECONDS = 60.0
_MOST_REDIRECTS = 5
_TRIES = 3
_HTTP_OK, _HTTP_PARTIAL, _HTTP_RANGE = 200, 206, 416
_WANTED = re.compile(r"[\w.-]+\.(?:json|safetensors|txt|model|jinja)|\d_\w+/config\.json|LICENSE[\w.]*|README\.md")
_REVISION = re.compile(r"[0-9a-f]{40}")
_LOCAL = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a model: its name, its size in bytes, and the digest that the hub gives for it.

    ``sha256`` is of the content; small files have ``git_sha1`` instead, git's digest of a blob.
    """

    name: str
    size: int
    sha256: str
    git_sha1: str


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """The files of a model as they are at one revision."""

    repository: str
    revision: str
    files: tuple[RemoteFile, ...]

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(file.size for file in self.files)


def look_up(hub: str, repository: str, wanted: Sequence[str] = ()) -> RemoteModel:
    """Ask the hub what belongs to a model: the files ``wanted``, or configuration, vocabulary and weights.

    Raises ModelError when it cannot be reached or does not have them.
    """
    try:
        with _opened(f"{hub}/api/models/{quote(repository)}?blobs=true", {}) as response:
            if response.status != _HTTP_OK:
                raise ModelError(f"The hub {hub} does not give out {repository} (status {response.status}).")
            answer = response.read()
    except (OSError, http.client.HTTPException) as error:
        raise ModelError(
            f"The hub {hub} cannot be reached ({type(error).__name__}). Check the connection and try again."
        ) from error
    try:
        said: dict[str, Any] = json.loads(answer)
        revision = str(said["sha"])
        listed = [one for one in said["siblings"] if _is_wanted(str(one["rfilename"]), wanted)]
        files = tuple(map(_remote, listed))
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"What the hub {hub} says of {repository} is not understood. Try again later.") from error
    missing = sorted(set(wanted) - {file.name for file in files})
    if missing or not files or not _REVISION.fullmatch(revision):
        raise ModelError(f"{repository} on {hub} has no {missing[0] if missing else 'files of a model'} any more.")
    return RemoteModel(repository, revision, files)


def fetch(hub: str, model: RemoteModel, folder: Path, job: Job) -> None:
    """Fetch all files of a model into ``folder``; what is there and right is kept, what broke off goes on.

    Raises ModelError, naming the file, when the hub cannot be reached or a checksum is wrong, and CancelledError when
    ``job`` ends; what was fetched by then is used by the next try.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = 0
    for file in model.files:
        target = folder / file.name
        target.parent.mkdir(exist_ok=True)
        if not (target.is_file() and target.stat().st_size == file.size and _is_right(target, file)):
            address = f"{hub}/{quote(model.repository)}/resolve/{model.revision}/{quote(file.name)}"
            _fetch_file(address, file, target, job, done, model.bytes)
        done += file.size
        job.report(Progress(done, model.bytes, "bytes", "Fetching", file.name))


def _fetch_file(address: str, file: RemoteFile, target: Path, job: Job, before: int, total: int) -> None:
    part = target.with_name(f"{target.name}.part")
    for attempt in range(_TRIES):
        try:
            _append(address, file, part, job, before, total)
            break
        except (OSError, http.client.HTTPException) as error:
            _log.info("%s broke off (%s)", file.name, type(error).__name__)
            if attempt == _TRIES - 1:
                raise ModelError(
                    f"{file.name} could not be fetched: {type(error).__name__}. Check the connection and fetch it "
                    "again; it goes on where it was."
                ) from error
    if not _is_right(part, file):
        part.unlink(missing_ok=True)
        raise ModelError(f"{file.name} came with a wrong checksum and was thrown away. Fetch it again.")
    part.replace(target)


def _append(address: str, file: RemoteFile, part: Path, job: Job, before: int, total: int) -> None:
    have = part.stat().st_size if part.exists() else 0
    if have > file.size:
        part.unlink()
        have = 0
    if have == file.size:
        return
    with _opened(address, {"Range": f"bytes={have}-"} if have else {}) as response:
        if response.status not in (_HTTP_OK, _HTTP_PARTIAL):
            raise ModelError(f"{file.name} is not given out by the hub (status {response.status}). Try again later.")
        have = have if response.status == _HTTP_PARTIAL else 0
        with part.open("ab" if have else "wb") as out:
            while have < file.size:
                job.check()
                chunk = response.read(min(_CHUNK, file.size - have))
                if not chunk:
                    raise ConnectionError("the connection ended early")
                out.write(chunk)
                have += len(chunk)
                job.report(Progress(before + have, total, "bytes", "Fetching", file.name))


@contextmanager
def _opened(address: str, headers: dict[str, str]) -> Iterator[http.client.HTTPResponse]:
    """Ask for an address and follow where it leads; plain HTTP is for this machine only."""
    for _ in range(_MOST_REDIRECTS):
        connection = _connection(address)
        try:
            parts = urlsplit(address)
            target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
            connection.request("GET", target, headers={"User-Agent": "desktop-rag", **headers})
            response = connection.getresponse()
            location = response.getheader("Location")
            if location is None or not 300 <= response.status < 400:
                yield response
                return
            address = urljoin(address, location)
        finally:
            connection.close()
    raise ModelError("The hub leads in circles. Try again later.")


def _connection(address: str) -> http.client.HTTPConnection:
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(
            host, parts.port, timeout=_TIMEOUT_SECONDS, context=ssl.create_default_context()
        )
    if parts.scheme == "http" and host in _LOCAL:
        return http.client.HTTPConnection(host, parts.port, timeout=_TIMEOUT_SECONDS)
    raise ModelError(f"{parts.scheme}://{host} is not a secure address; models are fetched by https only.")


def _is_wanted(name: str, wanted: Sequence[str]) -> bool:
    return name in wanted if wanted else _WANTED.fullmatch(name) is not None


def _remote(said: dict[str, Any]) -> RemoteFile:
    large = said.get("lfs") or {}
    size = int(large.get("size", said["size"]))
    return RemoteFile(str(said["rfilename"]), size, str(large.get("sha256", "")), str(said.get("blobId", "")))


def _is_right(path: Path, file: RemoteFile) -> bool:
    """Return whether a file has the hub's digest; one for which the hub gives none has at least its size."""
    if path.stat().st_size != file.size:
        return False
    if file.sha256:
        with path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256
    if file.git_sha1:
        content = path.read_bytes()
        blob = b"blob %d\0" % len(content) + content
        return hashlib.sha1(blob, usedforsecurity=False).hexdigest() == file.git_sha1
    return True
