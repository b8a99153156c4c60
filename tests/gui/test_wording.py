"""What the window says, and how."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop_rag.core.answers import Sentence, Verdict
from desktop_rag.core.events import SyncProgress
from desktop_rag.core.job import Progress
from desktop_rag.core.ledger import FileState, FolderState
from desktop_rag.ui import wording
from tests.fixtures.fake_engine import folder


def test_progress_tells_what_is_read_how_far_how_fast_and_how_long() -> None:
    state = SyncProgress(Progress(212, 380, "pages", "Reading", "scans/a.pdf"), 11.2, 15 * 60)
    assert wording.progress_sentence(state) == "Reading a.pdf · 212 of 380 pages · 11 a minute · about 15 min left"


def test_progress_that_nobody_can_know_names_only_what_is_done() -> None:
    state = SyncProgress(Progress(0, 0, "files", "Looking", "samples"), None, None)
    assert wording.progress_sentence(state) == "Looking through samples"


def test_progress_never_shows_more_than_all() -> None:
    assert "5 of 5" in wording.progress_sentence(SyncProgress(Progress(9, 5, "files", "Reading"), None, None))


@pytest.mark.parametrize(
    ("left", "said"),
    [(10, "less than a minute left"), (61, "about 1 min left"), (5400, "about 1 h 30 min left")],
)
def test_time_left_is_no_more_exact_than_anyone_can_know(left: float, said: str) -> None:
    assert wording.time_left(left) == said


@pytest.mark.parametrize(("size", "said"), [(0, "0 B"), (950, "950 B"), (1500, "1.5 KB"), (98_000_000, "98 MB")])
def test_sizes(size: int, said: str) -> None:
    assert wording.size(size) == said


def test_a_printed_page_label_is_told_with_the_page() -> None:
    assert wording.page_name(4, "iv") == "p. iv (4)"
    assert wording.page_name(4, "4") == "p. 4"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It cost 4 million [1].", "It cost 4 million."),
        ("It cost 4 million. [1] [2]", "It cost 4 million."),
        ("It cost 4 million [1, 2].", "It cost 4 million."),
        ("As in [7] of the list [1].", "As in [7] of the list."),
    ],
)
def test_markers_of_the_model_give_way_to_the_buttons(text: str, shown: str) -> None:
    assert wording.without_markers(Sentence(text, (1, 2), Verdict.SUPPORTED)) == shown


def test_folders_tell_how_much_is_ready() -> None:
    assert wording.folder_count(folder(1, "a", 1204, 1204)) == "1,204"
    assert wording.folder_count(folder(1, "a", 380, 212)) == "212 / 380"
    assert wording.folder_count(folder(1, "a", 9, 0, FolderState.OFFLINE)) == "offline"


def test_a_folder_with_files_that_cannot_be_read_is_not_said_to_be_read_for_ever() -> None:
    row = replace(folder(1, "a", 28, 23), unread=4)
    assert wording.folder_look(row).word == "being read"
    row = replace(row, ready=24)
    assert wording.folder_look(row).word == "4 files not read, the list of files says why"
    assert wording.folders_told((row, folder(2, "b", 39, 39))) == "63 of 67 files read · 4 could not be read"
    assert wording.folders_told((folder(2, "b", 39, 39),)) == "39 files, all read"


def test_states_are_told_by_words_and_shapes_not_by_colour_alone() -> None:
    looks = [wording.file_look(state) for state in FileState]
    assert len({look.word for look in looks}) == len(looks)
    ready, failed = wording.file_look(FileState.INDEXED), wording.file_look(FileState.FAILED)
    assert ready.icon != failed.icon
