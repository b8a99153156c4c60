"""Two families of trouble: faults of the world that a person can mend, and bugs. Only the first is shown."""

from __future__ import annotations


class DesktopRagError(Exception):
    """The root of every exception that this program raises on purpose."""


class UserFacingError(DesktopRagError):
    """Something a person can act on: the message says what happened, to which file or part, and what to do."""


class CancelledError(DesktopRagError):
    """The user (or a closing window) stopped a job."""


class WorkspaceBusyError(UserFacingError):
    """Another process writes to this workspace."""


class NewerDataError(UserFacingError):
    """The data was written by a newer version of this program, which this one must not touch."""


class DamagedDataError(UserFacingError):
    """A file of ours is damaged; ``desktop-rag doctor --repair`` keeps it aside and makes it anew."""


class ModelError(UserFacingError):
    """A model file is missing, damaged, of the wrong kind, or too large for this machine's free memory."""


class ReadError(UserFacingError):
    """A document cannot be read; a reader raises this, and the ledger records it as ``failed`` with the reason."""


class NeedsPasswordError(ReadError):
    """A document is locked and no password, or a wrong one, was given."""


class UnsupportedError(ReadError):
    """No reader takes this kind of file."""
