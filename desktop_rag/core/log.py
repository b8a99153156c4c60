"""One logger for the program. Lines carry document ids, counts and times, never the text of a document or question."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

LOGGER = logging.getLogger("desktop_rag")
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


def get_logger(name: str) -> logging.Logger:
    """Return the logger of a module: ``get_logger(__name__)``."""
    return logging.getLogger(name)


def log_to(path: Path) -> None:
    """Send the program's log to ``path`` (1 MB, three old files kept); doing so twice does no harm."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for handler in LOGGER.handlers:
        if isinstance(handler, RotatingFileHandler) and Path(handler.baseFilename) == path.resolve():
            return
    handler = RotatingFileHandler(path, maxBytes=1_000_000, backupCount=3, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter(_FORMAT))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False


def stop_logging_to(path: Path) -> None:
    """Close the log at ``path``, so that its file can be moved or deleted."""
    for handler in list(LOGGER.handlers):
        if isinstance(handler, RotatingFileHandler) and Path(handler.baseFilename) == path.resolve():
            LOGGER.removeHandler(handler)
            handler.close()
