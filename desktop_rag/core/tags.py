"""Tags: words of a person's own for files and folders, by which questions can be narrowed."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_rag.core.errors import UserFacingError

LONGEST_TAG = 60
"""Characters of a tag."""


@dataclass(frozen=True, slots=True)
class TagRow:
    """A tag with the number of files that have it, and the folders all of whose files have it."""

    name: str
    files: int
    folders: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the row in the form of the JSON contract."""
        return {"tag": self.name, "files": self.files, "folders": list(self.folders)}


def checked_tag(name: str) -> str:
    """Return ``name`` as it is kept: in lower case, single blanks; raises UserFacingError for what cannot be a tag."""
    kept = " ".join(name.lower().split())
    if not kept or len(kept) > LONGEST_TAG or '"' in kept or not kept.isprintable():
        raise UserFacingError(
            f"'{name}' cannot be a tag. A tag has 1 to {LONGEST_TAG} characters on one line, and no double quotes."
        )
    return kept
