"""Several searches at once, of which the slow ones may be done without."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TypeVar

from desktop_rag.core.log import get_logger
from desktop_rag.retrieve.clock import note

_log = get_logger(__name__)
_T = TypeVar("_T")


def in_time(searches: Mapping[str, Callable[[], _T]], sure: str, budget_ms: float | None) -> dict[str, _T]:
    """Return what the ``searches`` find, by their names and in their order; all of them search at once.

    With a budget, ``sure`` is waited for however long it takes, and the others as long as the budget goes. One that
    fails in time raises its error; one that is late is left to itself, and what it finds is thrown away.
    """
    if sure not in searches:
        sure, budget_ms = next(iter(searches)), None
    end = None if budget_ms is None else time.monotonic() + budget_ms / 1000
    others = {name: _started(name, search) for name, search in searches.items() if name != sure}
    found = {sure: searches[sure]()}
    for name, future in others.items():
        try:
            found[name] = future.result(timeout=None if end is None else max(0.0, end - time.monotonic()))
        except TimeoutError:
            if future.done():  # in the very last moment, or the error is its own
                found[name] = future.result()
                continue
            _log.warning("the search by %s is done without: its time is over", name)
            note(f"The search by {name} took longer than {(budget_ms or 0) / 1000:g} s and was done without.")
    return {name: found[name] for name in searches if name in found}


def _started(name: str, search: Callable[[], _T]) -> Future[_T]:
    """Run ``search`` in a thread that ends with the program, in a copy of this context."""
    future: Future[_T] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(search))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name=f"search-{name}", daemon=True).start()
    return future
