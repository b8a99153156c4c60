"""Office files before a library opens them: locked ones are unlocked, and no archive is unpacked that is a bomb."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from desktop_rag.core.errors import ReadError
from desktop_rag.ingest.locked import locked as locked_error
from desktop_rag.ingest.readers.containers import OLE

if TYPE_CHECKING:
    from lxml.etree import _Element

FILE_NAME = re.compile(r"\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|wmf)$", re.IGNORECASE)
"""Programs put the name of the file where the description of a picture belongs."""

_MOST_UNPACKED_BYTES = 400_000_000
_MOST_PARTS = 20_000
_KEY_OF_UNLOCKED_BOOKS = "VelvetSweatshop"
"""Excel locks workbooks that anyone may open, but not everyone may change, with this password of its own."""

_LOCKED = "EncryptedPackage".encode("utf-16-le")
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


def open_office(path: Path, password: str | None, what: str) -> io.BytesIO:
    """Return the bytes of an Office file, unlocked with ``password`` if need be; ``what`` names its kind ("a …").

    Raises NeedsPasswordError when it is locked and the password is missing or wrong, ReadError when it cannot be read
    or would unpack to more than any real document does.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReadError(f"{path.name} cannot be read: {error.strerror or error}. Check that it may be read.") from error
    if data.startswith(OLE):
        data = unlocked(path, data, password, what)
    if data.startswith(OLE):
        raise ReadError(
            f"{path.name} is named as {what}, but is a file of an old Office format, or damaged. "
            "Save it anew in the program that made it, or as PDF."
        )
    check_archive(path, io.BytesIO(data), what)
    return io.BytesIO(data)


def unlocked(path: Path, data: bytes, password: str | None, what: str) -> bytes:
    """Return an OLE file without its lock: itself if it has none. Raises as :func:`open_office` does."""
    import msoffcrypto
    from msoffcrypto.exceptions import DecryptionError, InvalidKeyError

    try:
        office = msoffcrypto.OfficeFile(io.BytesIO(data))
        locked = office.is_encrypted()
    except Exception as error:  # whatever a damaged file makes the library raise is the file's fault
        if _LOCKED not in data:
            return data
        raise damaged(path, what) from error
    if not locked:
        return data
    for key in filter(None, (_KEY_OF_UNLOCKED_BOOKS, password)):
        target = io.BytesIO()
        try:
            office.load_key(password=key)
            office.decrypt(target)
        except (InvalidKeyError, DecryptionError, ValueError, AssertionError):
            continue
        return target.getvalue()
    raise locked_error(path.name, password)


def check_archive(path: Path, file: IO[bytes], what: str) -> None:
    """Raise ReadError when the archive is damaged, or unpacks to more than any real document does."""
    try:
        with zipfile.ZipFile(file) as package:
            parts = package.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise damaged(path, what) from error
    size = sum(part.file_size for part in parts)
    if size > _MOST_UNPACKED_BYTES or len(parts) > _MOST_PARTS:
        raise ReadError(
            f"{path.name} would unpack to {size / 1e6:,.0f} MB in {len(parts):,} parts, which no document needs, "
            "so it was not opened. If you trust it, save its text as a new document."
        )


def damaged(path: Path, what: str) -> ReadError:
    """Return the error for a file out of which no ``what`` can be read."""
    return ReadError(
        f"{path.name} is damaged: no {what.split(maxsplit=1)[-1]} could be read from it. "
        "Get a fresh copy, or try to save it again in the program that made it."
    )


def parse_xml(data: bytes) -> _Element:
    """Parse a part of a package; entities are not expanded and nothing is fetched."""
    from lxml import etree

    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False))


def related(package: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """Return the parts that ``part`` refers to, by the id of the relation: (kind, path in the package)."""
    place = PurePosixPath(part)
    name = str(place.parent / "_rels" / f"{place.name}.rels")
    if name not in package.namelist():
        return {}
    relations = parse_xml(package.read(name)).iter(_RELATION)
    return {
        relation.get("Id", ""): (
            relation.get("Type", "").rsplit("/", 1)[-1],
            target_of(part, relation.get("Target", "")),
        )
        for relation in relations
        if relation.get("TargetMode") != "External"
    }


def target_of(part: str, target: str) -> str:
    """Return the path in the package of what ``part`` calls ``target``: relative ones begin at its folder."""
    steps: list[str] = [] if target.startswith("/") else list(PurePosixPath(part).parent.parts)
    for step in target.strip("/").split("/"):
        if step == ".." and steps:
            steps.pop()
        elif step not in ("", ".", ".."):
            steps.append(step)
    return "/".join(steps)
