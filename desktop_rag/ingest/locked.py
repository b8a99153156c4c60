"""Locked files: what people are told of them."""

from __future__ import annotations

from typing import Any

from desktop_rag.core.errors import NeedsPasswordError


def locked(name: str, password: str | None) -> NeedsPasswordError:
    """Return the error for the locked file called ``name``: no ``password`` was given, or a wrong one."""
    if password:
        return NeedsPasswordError(
            f"The password given does not open {name}. Capital and small letters differ: check it and enter it again."
        )
    return NeedsPasswordError(f"{name} is locked with a password. Enter its password to have it read.")


def unlock_pdf(document: Any, name: str, password: str | None) -> None:
    """Unlock an open pymupdf document if it needs that; raises NeedsPasswordError when ``password`` does not do it.

    A file that has only a password of its owner, against copying or printing, opens for everyone.
    """
    if document.needs_pass and not (password and document.authenticate(password)):
        raise locked(name, password)
