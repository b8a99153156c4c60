"""A job carries progress one way and cancel and pause the other."""

from __future__ import annotations

import threading

import pytest

from desktop_rag.core.errors import CancelledError
from desktop_rag.core.job import Job, Progress


def test_work_goes_on_while_nobody_objects() -> None:
    job = Job()
    job.check()
    assert not job.cancelled
    assert not job.paused


def test_cancelled_work_ends_at_its_next_check() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(CancelledError):
        job.check()


def test_owner_hears_how_far_the_work_is() -> None:
    heard: list[Progress] = []
    progress = Progress(3, 10, "files", "Reading", "notes.md")
    Job(heard.append).report(progress)
    assert heard == [progress]


def test_report_without_a_listener_does_no_harm() -> None:
    Job().report(Progress(1, 2, "files", "Reading"))


def _check_in_thread(job: Job) -> tuple[threading.Thread, list[str]]:
    ended: list[str] = []

    def work() -> None:
        try:
            job.check()
            ended.append("went on")
        except CancelledError:
            ended.append("stopped")

    thread = threading.Thread(target=work)
    thread.start()
    return thread, ended


def test_paused_work_waits_until_it_may_go_on() -> None:
    job = Job()
    job.pause()
    thread, ended = _check_in_thread(job)
    thread.join(0.05)
    assert thread.is_alive()
    assert job.paused
    job.resume()
    thread.join(5)
    assert ended == ["went on"]


def test_paused_work_can_be_stopped() -> None:
    job = Job()
    job.pause()
    thread, ended = _check_in_thread(job)
    job.cancel()
    thread.join(5)
    assert ended == ["stopped"]
    assert not job.paused
