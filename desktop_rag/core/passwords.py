"""The passwords of locked files: in the memory of this process only, and gone with it."""

from __future__ import annotations

import threading


class Passwords:
    """What people entered: a password for one document, or one to be tried on every locked file. Safe from any thread.

    Nothing of it is ever stored or logged: it has no text form, and cannot be pickled.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._own: dict[str, str] = {}
        self._for_any: dict[str, None] = {}

    def give(self, document: str, password: str) -> None:
        """Keep the password of a document."""
        with self._lock:
            self._own[document] = password

    def give_for_any(self, password: str) -> None:
        """Keep a password that is tried on every locked file."""
        with self._lock:
            self._for_any[password] = None

    def of(self, document: str) -> tuple[str, ...]:
        """Return what to try on a document: its own password first."""
        with self._lock:
            own = self._own.get(document)
            others = (password for password in self._for_any if password != own)
            return tuple(others) if own is None else (own, *others)

    def __repr__(self) -> str:
        """Say nothing of what is kept."""
        return "Passwords()"
