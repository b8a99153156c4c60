"""The passwords of locked files on the command line: given as an option, in a file, or asked for in a terminal."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_rag.cli.output import amount, printable, tell
from desktop_rag.core.errors import NeedsPasswordError, UserFacingError

if TYPE_CHECKING:
    from desktop_rag.library import Library

_MOST_TRIES = 3


def passwords_given(given: Collection[str] | None, file: Path | None) -> list[str]:
    """Return the passwords of the options: those given, and each line of ``file`` (UTF-8).

    Raises UserFacingError when the file cannot be read.
    """
    passwords = list(given or ())
    if file is not None:
        try:
            lines = file.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            what = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
            raise UserFacingError(
                f"The password file {file} cannot be read: {what}. It holds one password on each line."
            ) from error
        passwords += [line for line in lines if line]
    return [password for password in passwords if password]


def can_ask() -> bool:
    """Return whether there is a person at a terminal who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_for_passwords(library: Library) -> None:
    """Ask for the password of each locked file. Enter skips a file, and so do several wrong ones."""
    rows = library.locked()
    if rows:
        tell(f"{amount(len(rows), 'file is', 'files are')} locked with a password. Press Enter to skip one.")
    for row in rows:
        for _ in range(_MOST_TRIES):
            password = getpass.getpass(printable(f"Password of {row.file}: "), stream=sys.stderr)
            if not password:
                break
            try:
                library.unlock(row.document, password)
            except NeedsPasswordError as error:
                tell(str(error))
            else:
                break
