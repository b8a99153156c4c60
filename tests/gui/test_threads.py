"""Nothing of the window ends, or is touched, in another thread than the window's."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_rag.core.types import PagePicture
from desktop_rag.ui import pictures
from desktop_rag.ui.bridge import Bridge
from desktop_rag.ui.garbage import WindowGarbage
from desktop_rag.ui.main_window import MainWindow
from tests.fixtures.fake_documents import QUESTION
from tests.fixtures.fake_engine import FakeCall
from tests.gui.conftest import answered


class _Ring:
    """Garbage that reference counting cannot find."""

    def __init__(self) -> None:
        self.self = self


def test_garbage_ends_in_the_thread_of_the_window(qapp: QApplication, qtbot: QtBot) -> None:
    ended_in: list[int] = []

    def make_garbage() -> None:
        for _ in range(200):
            for _ in range(100):
                ring = _Ring()
                weakref.finalize(ring, lambda: ended_in.append(threading.get_ident()))

    qapp.findChild(WindowGarbage).collect()
    thread = threading.Thread(target=make_garbage)
    thread.start()
    thread.join()
    assert not ended_in
    assert not gc.isenabled()
    qtbot.waitUntil(lambda: len(ended_in) > 10_000)
    assert set(ended_in) == {threading.main_thread().ident}


def test_pictures_meet_qt_in_the_thread_of_the_window_only(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded_in: list[int] = []
    made_in: list[int] = []

    def decode(picture: PagePicture) -> Any:
        decoded_in.append(threading.get_ident())
        return plain_decode(picture)

    class Image(QImage):
        def __init__(self, *args: Any) -> None:
            made_in.append(threading.get_ident())
            super().__init__(*args)

    plain_decode = pictures._decode
    monkeypatch.setattr(pictures, "_decode", decode)
    monkeypatch.setattr(pictures, "QImage", Image)
    answered(qtbot, window, QUESTION)
    qtbot.waitUntil(lambda: window.results.page.sharp)
    assert set(made_in) == {threading.main_thread().ident}
    assert decoded_in
    assert threading.main_thread().ident not in decoded_in


@dataclass
class _SilentClient:
    """A client whose calls end when the test says so."""

    calls: list[FakeCall] = field(default_factory=list)
    on_items: list[Any] = field(default_factory=list)

    def start(self) -> None:
        """Begin."""

    def close(self) -> None:
        """End."""

    def restart(self) -> None:
        """Come back."""

    def call(self, _method: str, *_args: Any, on_item: Any = None, **_kwargs: Any) -> FakeCall:
        """Take a call."""
        self.calls.append(FakeCall())
        self.on_items.append(on_item)
        return self.calls[-1]


class _Listener(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Any] = []

    def take(self, value: Any) -> None:
        self.heard.append(value)


def _in_a_thread(future: Future[Any], value: Any) -> None:
    thread = threading.Thread(target=lambda: future.set_result(value))
    thread.start()
    thread.join()


def test_the_threads_of_the_client_hold_nothing_of_who_waits(qtbot: QtBot) -> None:
    client = _SilentClient()
    bridge = Bridge(lambda _workspace, _on_event, _relocation: client, "default")
    bridge.open("default")
    gone, waiting = _Listener(), _Listener()
    for listener in (gone, waiting):
        bridge.call("status", done=listener.take, item=listener.take, failed=listener.take)
    reference = weakref.ref(gone)
    bridge.call("status", done=waiting.take)
    _in_a_thread(client.calls[0].future, 1)
    client.on_items[1](2)
    _in_a_thread(client.calls[1].future, 3)
    _in_a_thread(client.calls[2].future, 4)
    qtbot.waitUntil(lambda: waiting.heard == [2, 3, 4])
    assert gone.heard == [1]
    del gone, listener
    assert reference() is None, "a call that has ended still holds who waited for it"


def test_a_call_to_an_engine_that_was_left_reaches_nobody_and_holds_nobody(qtbot: QtBot) -> None:
    client = _SilentClient()
    bridge = Bridge(lambda _workspace, _on_event, _relocation: client, "default")
    bridge.open("one")
    listener = _Listener()
    bridge.call("status", done=listener.take, failed=listener.take)
    bridge.open("two")
    other = _Listener()
    bridge.call("status", done=other.take)
    _in_a_thread(client.calls[0].future, 1)
    _in_a_thread(client.calls[1].future, 2)
    qtbot.waitUntil(lambda: other.heard == [2])
    assert listener.heard == []
    reference = weakref.ref(listener)
    del listener
    assert reference() is None
    bridge.close()
