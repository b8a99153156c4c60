"""Conversations in a real SQLite file."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from desktop_rag.core.errors import UserFacingError
from desktop_rag.store.answer_json import dump_answer, load_answer
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.chats import Chats
from tests.unit.store.make import answer


@pytest.fixture
def chats(tmp_path: Path) -> Chats:
    return Catalogue.open(tmp_path / "c.sqlite").chats


def test_a_turn_is_kept_from_the_moment_it_is_asked(chats: Chats, tmp_path: Path) -> None:
    thread = chats.new_thread("Until when?")
    number = chats.begin_turn(thread.id, "Until when?")
    with Catalogue.open(tmp_path / "c.sqlite", read_only=True) as other:
        assert [(turn.question, turn.answer) for turn in other.chats.turns(thread.id)] == [("Until when?", None)]
        chats.finish_turn(number, answer(thread.id))
        assert other.chats.turns(thread.id)[0].answer == answer(thread.id)
    chats.begin_turn(thread.id, "And then?")
    assert [turn.question for turn in chats.turns(thread.id)] == ["Until when?", "And then?"]


def test_an_answer_comes_back_with_every_field(chats: Chats) -> None:
    whole = answer("t")
    back = load_answer(dump_answer(whole))
    assert back == whole
    assert type(back.evidence[0].kind) is type(whole.evidence[0].kind)
    refused = dataclasses.replace(whole, refused=True, refusal_reason="nothing fits", sentences=(), evidence=())
    assert load_answer(dump_answer(refused)) == refused


def test_an_answer_of_an_older_version_takes_defaults_for_what_it_lacks() -> None:
    values = json.loads(dump_answer(answer("t")))
    del values["interrupted"]
    assert load_answer(json.dumps(values)) == dataclasses.replace(answer("t"), interrupted=False)


def test_conversations_are_listed_latest_first_and_searched_everywhere(chats: Chats) -> None:
    first, second, third = (chats.new_thread(title) for title in ("Debt limit", "Ärger 100%", "Other"))
    chats.finish_turn(chats.begin_turn(first.id, "How much is Öl?"), answer(first.id, "Said in the SUMMARY."))
    assert [thread.id for thread in chats.threads()] == [first.id, third.id, second.id]
    assert chats.threads()[0].turns == 1
    assert [thread.title for thread in chats.threads("ärger")] == ["Ärger 100%"]
    assert [thread.title for thread in chats.threads("0%")] == ["Ärger 100%"]
    assert [thread.title for thread in chats.threads("öl")] == ["Debt limit"]
    assert [thread.title for thread in chats.threads("the summary")] == ["Debt limit"]
    assert chats.threads("query_id") == ()


def test_conversations_are_renamed_and_deleted_with_their_turns(chats: Chats) -> None:
    thread = chats.new_thread("old")
    number = chats.begin_turn(thread.id, "q")
    chats.rename(thread.id, "new")
    assert chats.threads()[0].title == "new"
    chats.delete(thread.id)
    assert chats.threads() == chats.turns(thread.id) == ()
    chats.finish_turn(number, answer(thread.id))  # was being answered while it was deleted
    assert chats.turns(thread.id) == ()
    with pytest.raises(UserFacingError, match="deleted"):
        chats.begin_turn(thread.id, "again")
