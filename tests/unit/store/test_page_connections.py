"""How often the pages' table connects to LanceDB: each connection brings caches of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desktop_rag.store import pages
from desktop_rag.store.pages import PageStore


def test_while_there_is_no_table_one_connection_serves_all_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    really = pages.connect

    def connect(uri: str) -> Any:
        made.append(uri)
        return really(uri)

    monkeypatch.setattr(pages, "connect", connect)
    store = PageStore(str(tmp_path))
    for _ in range(3):
        assert store.documents() == set()
    assert made == [str(tmp_path)]
    store.close()
    assert store.documents() == set()
    assert len(made) == 2
