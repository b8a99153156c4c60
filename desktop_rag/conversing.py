"""The part of an open library that answers, and remembers: conversations, and what a person wants kept in mind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from desktop_rag.answer.answerer import Answerer
from desktop_rag.answer.courtesies import courtesy_reply
from desktop_rag.answer.searched import as_searched
from desktop_rag.answer.statements import read_statements
from desktop_rag.answer.transcript import as_html, as_markdown
from desktop_rag.answer.whole_section import WholeSection
from desktop_rag.core.answers import Answer, Evidence, Thread, Turn
from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.events import AnswerDone, AnswerEvent, Notice
from desktop_rag.core.files import write_for_person
from desktop_rag.core.filters import Filters
from desktop_rag.core.job import Job
from desktop_rag.core.memories import Memory, MemoryKind, MemoryScope, Statement
from desktop_rag.core.outline import SectionPlace
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import BBox, Element, Hit, PagePicture, Route
from desktop_rag.retrieve.retriever import checked_question
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.memories import UserMemories, WorkspaceMemories, new_memory

USER_MEMORIES = "memories.json"
"""The file in the data folder with what holds for the person in every workspace."""

EXPORT_SCALE = 2.0
"""Pixels per point of the pictures in an exported conversation."""


class Conversing(ABC):
    """Conversations and memory of one workspace; the library is one of these."""

    settings: Settings
    _catalogue: Catalogue
    _courtesy: Courtesy
    _base: Path

    @property
    @abstractmethod
    def read_only(self) -> bool:
        """Whether nothing may be kept."""

    @property
    @abstractmethod
    def answerer(self) -> Answerer:
        """What answers, with the models of now."""

    @abstractmethod
    def search(
        self, query: str, *, route: Route | None = None, k: int = 10, where: str | Filters | None = None
    ) -> Sequence[Hit]:
        """Return ranked hits among what fits ``where``."""

    @abstractmethod
    def section(self, document: str, path: Sequence[str] = ()) -> tuple[Element, ...]:
        """Return what stands under a heading of a document, in reading order."""

    @abstractmethod
    def _shown(self, document: str) -> str | None:
        """Return the path of a document as people know it, or None when it is gone."""

    @abstractmethod
    def offline_note(self, documents: Iterable[str]) -> str:
        """Return a sentence on the folders of these documents that cannot be reached now; empty if all can."""

    @abstractmethod
    def _need_writer(self) -> None:
        """Raise UserFacingError when the workspace is open for reading only."""

    @abstractmethod
    def page_picture(self, document: str, page: int, scale: float, clip: BBox | None = None) -> PagePicture:
        """Return a picture of a page, or of its part ``clip``, at ``scale`` pixels per point."""

    def ask(
        self,
        question: str,
        *,
        thread: str | None = None,
        route: Route | None = None,
        use_model: bool = True,
        fresh: bool = False,
        where: str | Filters | None = None,
        section: SectionPlace | None = None,
        job: Job | None = None,
        emit: Callable[[AnswerEvent], None] | None = None,
    ) -> Answer:
        """Answer from the documents. With a ``thread`` the answer continues it; else a new one begins.

        What the person says to keep in mind is kept, and not answered; thanks and greetings get a line. An answer that
        is known from before is given again, unless ``fresh``. With ``where``, only what fits that filter is searched.
        With ``section`` nothing is searched: the model reads all of it if it can, else its best passages, and a Notice
        says so. The question is committed before work begins and the answer when it is done. In a workspace that is
        open only for reading nothing is kept. Raises UserFacingError for an empty or too long question, a filter that
        cannot be understood, or a section that is not there.
        """
        question = checked_question(question)
        history: tuple[Turn, ...] = self._catalogue.chats.turns(thread) if thread else ()
        statements, asked = ((), question) if self.read_only else read_statements(question)
        turn = None
        if not self.read_only:
            thread = thread or self._catalogue.chats.new_thread(question).id
            turn = self._catalogue.chats.begin_turn(thread, question)
        for statement in statements:
            self._keep(new_memory(statement, _scope(statement), thread or "", turn or 0))
        chosen = route or Route(self.settings.route)
        reply = courtesy_reply(asked) if section is None else ""
        if statements and (not asked or reply):
            answer = self.answerer.noted(question, statements, thread=thread or "", route=chosen)
        elif reply:
            answer = self.answerer.remarked(question, reply, thread=thread or "", route=chosen)
        else:
            with self._courtesy.answering():
                answerer = self._answerer_among(where) if section is None else self._reader_of(section)
                answer = answerer.answer(
                    asked,
                    thread=thread or "",
                    history=history,
                    route=chosen,
                    use_model=use_model,
                    fresh=fresh,
                    memories=self.memories(),
                    job=job or Job(),
                    emit=emit or (lambda _: None),
                )
        answer = replace(answer, question=question, noted=tuple(statement.text for statement in statements))
        if turn is not None:
            self._catalogue.chats.finish_turn(turn, answer)
        if emit is not None:
            if note := self.offline_note(item.document for item in answer.evidence):
                emit(Notice(note))
            emit(AnswerDone(answer))
        return answer

    def searched_as(self, question: str, *, thread: str) -> str:
        """Return ``question`` as it is searched when it is asked in this conversation.

        One that was asked there leans on what came before it, another one on the whole conversation.
        """
        earlier = self._catalogue.chats.turns(thread)
        asked = [turn.question for turn in earlier]
        if question in asked:
            earlier = earlier[: len(asked) - 1 - asked[::-1].index(question)]
        return as_searched(read_statements(question)[1] or question, earlier, self.memories())

    def _answerer_among(self, where: str | Filters | None) -> Answerer:
        if where is None or where == "":
            return self.answerer
        return self.answerer.among(lambda question, route, k: self.search(question, route=route, k=k, where=where))

    def _reader_of(self, place: SectionPlace) -> Answerer:
        elements, shown = self.section(place.document, place.path), self._shown(place.document)
        if not elements or shown is None:
            raise UserFacingError("This section is not in the workspace any more. Look at the outline again.")
        route = Route(self.settings.route)
        hits = [Hit(rank, 1.0, route, element, shown) for rank, element in enumerate(elements, start=1)]
        return WholeSection.read_by(self.answerer, hits)

    def threads(self, search: str = "") -> tuple[Thread, ...]:
        """Return the conversations, the latest first; with ``search`` those that contain it."""
        return self._catalogue.chats.threads(search)

    def turns(self, thread: str) -> tuple[Turn, ...]:
        """Return the turns of a conversation in their order."""
        return self._catalogue.chats.turns(thread)

    def rename_thread(self, thread: str, title: str) -> None:
        """Give a conversation another name."""
        self._need_writer()
        self._catalogue.chats.rename(thread, title)

    def delete_thread(self, thread: str) -> None:
        """Delete a conversation with its turns."""
        self._need_writer()
        self._catalogue.chats.delete(thread)

    def export_thread(self, thread: str, file: str) -> None:
        """Write a conversation to ``file``: as Markdown (.md), or with pictures of the cited places (.html).

        A page that cannot be drawn now leaves its quote alone. Raises UserFacingError for another ending, when the
        conversation is gone, or when the file cannot be written.
        """
        path = Path(file)
        ending = path.suffix.lower()
        if ending not in (".md", ".html", ".htm"):
            raise UserFacingError(f"'{path.name}' must end in .md or .html.")
        title = next((one.title for one in self.threads() if one.id == thread), None)
        if title is None:
            raise UserFacingError("This conversation is not there any more.")
        turns = self.turns(thread)
        write_for_person(path, as_markdown(title, turns) if ending == ".md" else as_html(title, turns, self._drawn))

    def _drawn(self, item: Evidence, part: BBox) -> PagePicture | None:
        try:
            return self.page_picture(item.document, item.page, EXPORT_SCALE, part)
        except UserFacingError:
            return None

    def memories(self) -> tuple[Memory, ...]:
        """Return what is kept in mind here: what holds for the person everywhere, then what holds in this workspace.

        Raises UserFacingError when the file of the first cannot be read.
        """
        return (*self._user_memories.all(), *self._catalogue.memories.all())

    def remember(self, text: str, scope: MemoryScope = MemoryScope.WORKSPACE) -> Memory:
        """Keep what a person typed into the memory pane: a meaning or a wish if it reads like one, else a fact."""
        self._need_writer()
        if not text.strip():
            raise UserFacingError("There is nothing to keep in mind: type a sentence first.")
        memory = new_memory(_as_statement(text), scope)
        self._keep(memory)
        return memory

    def change_memory(self, number: str, text: str, scope: MemoryScope) -> Memory:
        """Put other words, or another scope, to a kept statement. Raises UserFacingError when it is gone."""
        self._need_writer()
        old = next((one for one in self.memories() if one.id == number), None)
        if old is None:
            raise UserFacingError("This is not kept in mind any more.")
        new = replace(old, scope=scope, statement=_as_statement(text))
        self._keep(new)
        if scope is not old.scope:
            self._store_of(old.scope).forget(number)
        return new

    def forget_memory(self, number: str) -> None:
        """Do not keep a statement in mind any more."""
        self._need_writer()
        for scope in MemoryScope:
            self._store_of(scope).forget(number)

    @property
    def _user_memories(self) -> UserMemories:
        return UserMemories(self._base / USER_MEMORIES)

    def _store_of(self, scope: MemoryScope) -> UserMemories | WorkspaceMemories:
        return self._user_memories if scope is MemoryScope.USER else self._catalogue.memories

    def _keep(self, memory: Memory) -> None:
        self._store_of(memory.scope).put(memory)


def _scope(statement: Statement) -> MemoryScope:
    """A wish is about the person, a meaning or fact about the documents of this workspace."""
    return MemoryScope.USER if statement.kind is MemoryKind.WISH else MemoryScope.WORKSPACE


def _as_statement(text: str) -> Statement:
    statements, rest = read_statements(text.strip())
    return statements[0] if len(statements) == 1 and not rest else Statement(MemoryKind.FACT, text.strip())
