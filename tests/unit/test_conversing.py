"""A conversation remembers what was said, as long as it was, and nothing of another workspace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from desktop_rag.answer.answerer import Answerer
from desktop_rag.conversing import USER_MEMORIES, Conversing
from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.filters import Filters
from desktop_rag.core.memories import MemoryKind, MemoryScope
from desktop_rag.core.outline import SectionPlace
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import BBox, Element, Hit, PagePicture, Route
from desktop_rag.store.catalogue import Catalogue
from tests.fixtures.models import ScriptedModel, WordEmbedder
from tests.fixtures.passages import element, hit

REPLY = "The revenue of the third fiscal quarter was 83 million euros."


class Workspace(Conversing):
    """Conversations over a real catalogue, answered by doubles."""

    def __init__(self, base: Path, catalogue: Catalogue, context_tokens: int = 4096) -> None:
        self._base = base
        self._catalogue = catalogue
        self._courtesy = Courtesy()
        self.settings = Settings(llm_max_tokens=40)
        self.model = ScriptedModel(REPLY, context_tokens=context_tokens)
        self.searched: list[str] = []

    @property
    def read_only(self) -> bool:
        return False

    def _need_writer(self) -> None:
        return

    def search(
        self, query: str, *, route: Route | None = None, k: int = 10, where: str | Filters | None = None
    ) -> Sequence[Hit]:
        return [hit(element(f"{where} says: {REPLY} {query}", name="revenue"), 1, "report.md")]

    def page_picture(self, document: str, page: int, scale: float, clip: BBox | None = None) -> PagePicture:
        raise UserFacingError("There are no pages here.")

    def section(self, document: str, path: Sequence[str] = ()) -> tuple[Element, ...]:
        return (element(f"{REPLY} It is in {' and '.join(path)}.", name="section"),) if document == "doc" else ()

    def _shown(self, document: str) -> str | None:
        return "report.md"

    def offline_note(self, documents: Iterable[str]) -> str:
        return ""

    def _find(self, question: str, route: Route, k: int) -> Sequence[Hit]:
        self.searched.append(question)
        return [hit(element(f"{REPLY} {question}", name="revenue"), 1, "report.md")]

    @property
    def answerer(self) -> Answerer:
        return Answerer(self._find, lambda *_: "", WordEmbedder(), lambda: self.model, self.settings)

    @property
    def prompt(self) -> str:
        return "\n".join(message.content for message in self.model.asked[-1])


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def workspace(opened: ExitStack, tmp_path: Path, name: str = "one", context_tokens: int = 4096) -> Workspace:
    catalogue = opened.enter_context(Catalogue.open(tmp_path / name / "catalogue.sqlite"))
    return Workspace(tmp_path, catalogue, context_tokens)


def test_a_meaning_said_in_turn_two_is_used_in_turn_sixty_and_in_a_new_thread(
    opened: ExitStack, tmp_path: Path
) -> None:
    one = workspace(opened, tmp_path)
    thread = one.ask("What was the revenue in the fiscal year?").thread
    noted = one.ask("Q means fiscal quarter.", thread=thread)
    assert (noted.text, noted.sentences, noted.evidence) == ("Kept in mind: “Q means fiscal quarter.”", (), ())
    assert one.searched == ["What was the revenue in the fiscal year?"]
    for number in range(57):
        one.ask(f"What was the revenue of depot number {number}?", thread=thread)
    last = one.ask("What was the revenue in Q3?", thread=thread)
    assert one.searched[-1] == "What was the revenue in Q3? (fiscal quarter)"
    assert last.given == ("The reader said: Q means fiscal quarter.",)
    assert "The reader said: Q means fiscal quarter." in one.prompt
    assert len(one.turns(thread)) == 60
    one.ask("How large was the revenue in Q3?")
    assert one.searched[-1] == "How large was the revenue in Q3? (fiscal quarter)"


def test_thanks_are_answered_with_a_line_and_not_searched(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)
    thread = one.ask("What was the revenue in 2023?").thread
    prompts = len(one.model.asked)
    reply = one.ask("Thanks a lot!", thread=thread)
    assert (reply.remark, reply.refused, reply.evidence) == ("Ask a question about your documents.", False, ())
    assert one.searched == ["What was the revenue in 2023?"]
    assert len(one.model.asked) == prompts
    one.ask("And in 2024?", thread=thread)
    assert one.searched[-1].startswith("What was the revenue in 2024?")
    assert "Thanks" not in one.prompt
    noted = one.ask("Thanks. Remember that Q means fiscal quarter.", thread=thread)
    assert noted.remark.startswith("Kept in mind: ")
    assert [turn.question for turn in one.turns(thread)][1] == "Thanks a lot!"


def test_another_workspace_does_not_know_it_but_knows_the_wishes_of_the_person(
    opened: ExitStack, tmp_path: Path
) -> None:
    one, two = workspace(opened, tmp_path), workspace(opened, tmp_path, "two")
    one.ask("Q means fiscal quarter. Please answer in German.")
    two.ask("What was the revenue in Q3?")
    assert two.searched == ["What was the revenue in Q3?"]
    assert "fiscal quarter." not in two.prompt.replace(REPLY, "")
    assert "The reader said: Please answer in German." in two.prompt
    assert [memory.scope for memory in two.memories()] == [MemoryScope.USER]


def test_a_conversation_of_sixty_turns_stays_inside_the_context(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path, context_tokens=1600)
    thread = one.ask("What was the revenue in the third fiscal quarter of the northern depot of the town?").thread
    for number in range(60):
        one.ask(f"And what about depot number {number} of the seventy depots that the town has?", thread=thread)
        used = sum(one.model.count_tokens(message.content) for message in one.model.asked[-1])
        assert used + one.settings.llm_max_tokens <= 1600
    assert "Earlier question: And what about depot number 58" in one.prompt
    assert "Asked before:" in one.prompt
    assert "depot number 1 of" not in one.prompt


def test_a_question_that_stands_alone_is_not_burdened_with_the_conversation(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)
    thread = one.ask("What was the revenue in the third fiscal quarter?").thread
    one.ask("Which depot did the inspector close last winter?", thread=thread)
    assert "Earlier" not in one.prompt


def test_what_is_kept_in_mind_is_no_evidence(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)
    one.ask("Remember that the revenue of the north depot was 12 million euros.")
    one.model.reply = "The revenue of the north depot was 12 million euros."
    answer = one.ask("What was the revenue of the north depot?")
    assert answer.given == ("The reader said: the revenue of the north depot was 12 million euros.",)
    assert "12 million" not in answer.text
    assert answer.struck


def test_each_memory_has_its_source_and_can_be_changed_and_forgotten(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)
    thread = one.ask("Q means fiscal quarter.").thread
    (memory,) = one.memories()
    assert (memory.thread, memory.turn, memory.scope) == (thread, one.turns(thread)[0].id, MemoryScope.WORKSPACE)
    one.change_memory(memory.id, "Q means query", MemoryScope.USER)
    (changed,) = one.memories()
    assert (changed.scope, changed.statement.meaning, changed.thread) == (MemoryScope.USER, "query", thread)
    one.forget_memory(memory.id)
    assert one.memories() == ()
    with pytest.raises(UserFacingError, match="not kept in mind any more"):
        one.change_memory(memory.id, "x", MemoryScope.USER)


def test_what_is_typed_into_the_pane_is_kept_as_what_it_is(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)
    one.remember("The north depot closed in 2022")
    one.remember("Answer in French", MemoryScope.USER)
    assert [memory.statement.kind for memory in one.memories()] == [MemoryKind.WISH, MemoryKind.FACT]
    with pytest.raises(UserFacingError, match="nothing to keep"):
        one.remember("  ")


def test_a_damaged_file_of_memories_is_named_and_left_alone(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)
    path = tmp_path / USER_MEMORIES
    path.write_text("[{", encoding="utf-8")
    with pytest.raises(UserFacingError, match=USER_MEMORIES):
        one.remember("Answer in French", MemoryScope.USER)
    assert path.read_text(encoding="utf-8") == "[{"


def test_a_filtered_question_is_answered_from_what_fits_and_not_remembered(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)

    answer = one.ask("What was the revenue in the fiscal year?", where="type:pdf")

    assert one.searched == []
    assert "type:pdf says" in answer.evidence[0].context


def test_a_conversation_becomes_a_file(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)
    answer = one.ask("What was the revenue of the <third> quarter?")
    for name in ("talk.md", "talk.html"):
        one.export_thread(answer.thread, str(tmp_path / name))
    markdown = (tmp_path / "talk.md").read_text(encoding="utf-8")
    assert "## What was the revenue of the \\<third\\> quarter?" in markdown
    assert "83 million euros. [1]" in markdown or "83 million euros.” [1]" in markdown
    assert "— report.md, p. 1" in markdown
    page = (tmp_path / "talk.html").read_text(encoding="utf-8")
    assert "&lt;third&gt;" in page
    assert "<img" not in page  # the pages cannot be drawn here; the quotes stand alone
    with pytest.raises(UserFacingError, match=r"must end in \.md or \.html"):
        one.export_thread(answer.thread, str(tmp_path / "talk.pdf"))
    with pytest.raises(UserFacingError, match="not there any more"):
        one.export_thread("gone", str(tmp_path / "talk.md"))
    with pytest.raises(UserFacingError, match="cannot be written"):
        one.export_thread(answer.thread, str(tmp_path / "none" / "talk.md"))


def test_a_question_is_searched_as_where_it_stands_in_the_conversation(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)
    first = "What was the revenue in the third fiscal quarter?"
    thread = one.ask(first).thread
    one.ask("And in the second?", thread=thread)
    one.ask("Which depot did the inspector close last winter?", thread=thread)

    assert one.searched_as(first, thread=thread) == first
    assert one.searched_as("And in the second?", thread=thread) == f"{first} And in the second?"
    assert one.searched_as("Why?", thread=thread).endswith("last winter? Why?")
    one.remember("depot means bus garage")
    assert "bus garage" in one.searched_as("Which depot is it?", thread=thread)


def test_a_section_is_answered_from_without_a_search(opened: ExitStack, tmp_path: Path) -> None:
    one = workspace(opened, tmp_path)
    answer = one.ask("What was the revenue in the third fiscal quarter?", section=SectionPlace("doc", ("Money",)))

    assert one.searched == []
    assert "It is in Money." in one.prompt
    assert answer.sentences[0].text.startswith(REPLY.rstrip("."))
    with pytest.raises(UserFacingError, match="not in the workspace any more"):
        one.ask("What was the revenue?", section=SectionPlace("gone"))
