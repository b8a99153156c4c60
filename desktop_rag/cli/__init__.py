"""The command line: one file per command. It uses an open library directly, without an engine process."""

from desktop_rag.cli.app import main

__all__ = ["main"]
