"""The calls that the engine serves, and which threads serve them. Whatever is not listed here cannot be called."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Lane(StrEnum):
    """Calls of one lane share its threads; lanes never wait for each other."""

    READ = "read"
    """Looks something up."""

    PICTURE = "picture"
    """Draws a page: many come at once when someone scrolls."""

    CHANGE = "change"
    """Changes the library: one at a time, in the order of the calls."""

    ASK = "ask"
    """Writes an answer: one at a time, because they share the language model. Streams, can be cancelled."""

    MEASURE = "measure"
    """Asks a whole set of questions, one set at a time. Can be cancelled."""

    MODELS = "models"
    """Reads or fetches the files of models, or tries one. Streams its progress, can be cancelled."""

    SYNC = "sync"
    """Waits for a sync to end. Streams, can be cancelled."""

    CONTROL = "control"
    """Steers the sync in the background; never takes long."""


LANE_WORKERS: Mapping[Lane, int] = {
    Lane.READ: 3,
    Lane.PICTURE: 2,
    Lane.CHANGE: 1,
    Lane.ASK: 1,
    Lane.MEASURE: 1,
    Lane.MODELS: 2,
    Lane.SYNC: 1,
    Lane.CONTROL: 1,
}

METHODS: Mapping[str, Lane] = {
    "folders": Lane.READ,
    "status": Lane.READ,
    "search": Lane.READ,
    "compare": Lane.READ,
    "searched_as": Lane.READ,
    "threads": Lane.READ,
    "memories": Lane.READ,
    "turns": Lane.READ,
    "locked": Lane.READ,
    "model_info": Lane.READ,
    "doctor": Lane.READ,
    "settings": Lane.READ,
    "routes": Lane.READ,
    "document_path": Lane.READ,
    "table_of": Lane.READ,
    "outline": Lane.READ,
    "section": Lane.READ,
    "own_questions": Lane.READ,
    "own_runs": Lane.READ,
    "export_own_runs": Lane.READ,
    "export_thread": Lane.READ,
    "page_picture": Lane.PICTURE,
    "heat_map": Lane.PICTURE,
    "page_estimate": Lane.READ,
    "look_at_pages": Lane.CHANGE,
    "add_paths": Lane.CHANGE,
    "remove_folder": Lane.CHANGE,
    "unlock": Lane.CHANGE,
    "remember": Lane.CHANGE,
    "change_memory": Lane.CHANGE,
    "forget_memory": Lane.CHANGE,
    "workspaces": Lane.READ,
    "disk_use": Lane.READ,
    "create_workspace": Lane.CHANGE,
    "rename_workspace": Lane.CHANGE,
    "move_workspace": Lane.CHANGE,
    "remove_workspace": Lane.CHANGE,
    "restore_workspace": Lane.CHANGE,
    "back_up_workspace": Lane.CHANGE,
    "repair": Lane.CHANGE,
    "set_rules": Lane.CHANGE,
    "read_first": Lane.CHANGE,
    "retry": Lane.CHANGE,
    "tags": Lane.READ,
    "tag": Lane.CHANGE,
    "untag": Lane.CHANGE,
    "tag_folder": Lane.CHANGE,
    "rename_thread": Lane.CHANGE,
    "delete_thread": Lane.CHANGE,
    "set_settings": Lane.CHANGE,
    "mark_right_page": Lane.CHANGE,
    "remove_own_question": Lane.CHANGE,
    "models": Lane.READ,
    "redoing": Lane.READ,
    "add_model": Lane.MODELS,
    "pull_model": Lane.MODELS,
    "verify_model": Lane.MODELS,
    "try_model": Lane.MODELS,
    "choose_model": Lane.CHANGE,
    "remove_model": Lane.CHANGE,
    "ask": Lane.ASK,
    "run_own_questions": Lane.MEASURE,
    "suggestions": Lane.MEASURE,
    "sync": Lane.SYNC,
    "start_sync": Lane.CONTROL,
    "pause_sync": Lane.CONTROL,
    "resume_sync": Lane.CONTROL,
    "stop_sync": Lane.CONTROL,
    "sync_state": Lane.CONTROL,
}
