"""What vision models said of pictures, so that a copied, moved or restored figure is not described again."""

from __future__ import annotations

from collections.abc import Iterable

from desktop_rag.store.database import Database

_AT_ONCE = 500


class Descriptions:
    """Texts by the model's fingerprint and the picture's digest; empty for a picture that the model failed at."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, fingerprint: str, pictures: Iterable[str]) -> dict[str, str]:
        """Return what this model said of ``pictures``, of those that it has seen."""
        wanted = list(dict.fromkeys(pictures))
        found: dict[str, str] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            rows = self._database.query(
                f"SELECT picture, text FROM descriptions WHERE fingerprint = ? AND picture IN ({marks})",
                (fingerprint, *some),
            )
            found.update((str(picture), str(text)) for picture, text in rows)
        return found

    def put(self, fingerprint: str, picture: str, text: str) -> None:
        """Keep what a model said of a picture."""
        self._database.execute("INSERT OR REPLACE INTO descriptions VALUES (?, ?, ?)", (fingerprint, picture, text))
