"""An answer from a whole section or document: the model reads all of it if it can, else its best passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from desktop_rag.answer.answerer import READ_QUOTES, Answerer, Query, from_written
from desktop_rag.answer.citations import choose
from desktop_rag.answer.compose import bearing
from desktop_rag.answer.places import boxes_of, confidence_of
from desktop_rag.answer.prompt import build_prompt, evidence_line
from desktop_rag.answer.refusal import judge
from desktop_rag.answer.writer import Limits, Writer, Written
from desktop_rag.core.answers import Answer, Evidence, Verdict
from desktop_rag.core.errors import ModelError
from desktop_rag.core.events import AnswerEvent, EvidenceFound, Notice
from desktop_rag.core.job import Job
from desktop_rag.core.types import BBox, ElementKind, Hit


class WholeSection(Answerer):
    """Answers from the elements that it is made with, in reading order; nothing is searched, and nothing kept.

    The evidence are the section's elements, and each sentence is audited against those that it cites. Where no
    sentence passes, or the model cannot read so much at once, the best passages are the evidence as in any answer.
    """

    @staticmethod
    def read_by(answerer: Answerer, elements: Sequence[Hit]) -> WholeSection:
        """Return what answers as ``answerer`` does, from ``elements`` alone."""
        given = (answerer._page_label, answerer._embedder, answerer._model, answerer._settings, answerer._indexed)
        return WholeSection(lambda *_: elements, *given, entailment=answerer._entailment)

    def _from_hits(
        self, asked: Query, hits: Sequence[Hit], use_model: bool, job: Job, emit: Callable[[AnswerEvent], None]
    ) -> tuple[Answer, Written]:
        retrieved = asked.ms()
        choice = choose(asked.searched, hits, self._embedder, self._page_label, self._settings.evidence)
        whole = tuple(self._as_evidence(n, hit) for n, hit in enumerate(hits, start=1) if hit.element.text.strip())
        too_long = self._too_long(asked, whole) if use_model else ""
        read = bearing(choice.evidence)[:READ_QUOTES] if too_long else whole
        emit(EvidenceFound(read if use_model and not too_long else choice.evidence))
        shown_at = asked.ms()
        written = Written()
        if use_model:
            if too_long:
                emit(Notice(too_long))
            limits = Limits(self._settings.llm_max_tokens, self._settings.llm_seconds)
            writer = Writer(asked.ms, job, emit, self._entailment)
            written = writer.write(asked.searched, read, self._model, limits, asked.told, whole=True)
            written.notices = tuple(filter(None, (too_long, *written.notices)))
        evidence = choice.evidence if too_long else (_cited(written, whole) or choice.evidence)
        confidence = judge(asked.explained, choice, self._refusal_rules).confidence
        return from_written(asked, written, confidence, evidence, retrieved, shown_at), written

    def _too_long(self, asked: Query, whole: Sequence[Evidence]) -> str:
        """Return a sentence that says by how much ``whole`` is too long for the model, or nothing if it is not."""
        try:
            model = self._model()
            prompt = build_prompt(asked.searched, whole, model, self._settings.llm_max_tokens, asked.told(model))
            if len(prompt.evidence) == len(whole):
                return ""
        except ModelError:  # the writer will say so
            return ""
        tokens = sum(model.count_tokens(evidence_line(item)) + 1 for item in whole)
        return (
            f"This has about {tokens:,} tokens, and {model.name} can read {model.context_tokens:,} at once, with "
            "question and answer. So it reads the best passages only. 'llm_context' in the settings, another model, or "
            "a smaller section lets it read all."
        )

    def _as_evidence(self, n: int, hit: Hit) -> Evidence:
        element = hit.element
        boxes = boxes_of(element, 0, len(element.text))
        return Evidence(
            n=n,
            quote=element.text,
            file=hit.file,
            document=element.document,
            element=element.id,
            title=element.title,
            page=element.page,
            page_label=self._page_label(element.document, element.page),
            bbox=BBox.around(boxes),
            boxes=boxes,
            kind=element.kind,
            score=hit.score,
            heading=element.heading,
            context=element.text,
            confidence=confidence_of(element, 0, len(element.text)),
            figure=element.bbox if element.kind is ElementKind.FIGURE else None,
        )


def _cited(written: Written, whole: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return the elements that sentences rest on which passed the audit."""
    passed = (one.sentence for one in written.audited if one.sentence.verdict is Verdict.SUPPORTED)
    numbers = {n for sentence in passed for n in sentence.citations}
    return tuple(item for item in whole if item.n in numbers)
