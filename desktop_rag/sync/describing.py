"""The second half of the figure stage: a vision model, where one is installed, says what each figure shows.

It goes figure by figure, each committed by itself, so that a closed lid costs at most one. What a model said of a
picture is kept by the picture's digest and the model's fingerprint; with another model the figures are described anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from pathlib import Path

from desktop_rag.core.courtesy import Courtesy
from desktop_rag.core.errors import ModelError
from desktop_rag.core.job import Job, Progress
from desktop_rag.core.ledger import Stage, StageState
from desktop_rag.core.log import get_logger
from desktop_rag.core.passwords import Passwords
from desktop_rag.core.settings import Settings
from desktop_rag.core.types import Element
from desktop_rag.ingest.describe_stage import ENTRY
from desktop_rag.ingest.figures.output import with_hash
from desktop_rag.ingest.later import Part, PartRead
from desktop_rag.ingest.workers import ParseFailure, ParsePool
from desktop_rag.models.vision import VisionFiles
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.sync.later import LaterStage
from desktop_rag.sync.reading import in_order

_log = get_logger(__name__)

_MOST_FAILURES = 3
"""After so many pictures in a row at which the model fails, it is the model: the others wait for a better one."""


def vision_files(settings: Settings) -> VisionFiles | None:
    """Return the vision model of the settings; None when none is named."""
    if not settings.vision_model_path and not settings.vision_projector_path:
        return None
    return VisionFiles(Path(settings.vision_model_path).expanduser(), Path(settings.vision_projector_path).expanduser())


@dataclass(slots=True)
class _Failures:
    """Whose fault a failure is: of a model that has described others the picture's, else the model's own."""

    in_a_row: int = 0
    successes: int = 0

    def judged(self, outcome: PartRead | ParseFailure) -> str | None:
        """Return the description; "" for a picture not to be tried again, None for one that waits."""
        if isinstance(outcome, PartRead):
            self.in_a_row = 0
            self.successes += 1
            return outcome.description
        self.in_a_row += 1
        return "" if self.successes else None


class DescriptionStage:
    """Describes the figures of files whose figures are found. ``found`` is the stage that finds them."""

    stage = Stage.FIGURES

    def __init__(
        self,
        vision: VisionFiles | None,
        settings: Settings,
        catalogue: Catalogue,
        elements: ElementStore,
        found: LaterStage,
        passwords: Passwords | None = None,
        courtesy: Courtesy | None = None,
    ) -> None:
        self._courtesy = courtesy
        self._passwords = passwords or Passwords()
        self._vision = vision
        self._settings = settings
        self._catalogue = catalogue
        self._elements = elements
        self._found = found

    def reopen(self) -> None:
        """Have the figures described of files that were done before this model was there."""
        fingerprint = self._fingerprint()
        if not fingerprint:
            return
        for document in {element.document for element in self._elements.undescribed(fingerprint)}:
            record = self._catalogue.files.get(document)
            if record is not None and record.stages.get(Stage.FIGURES) is StageState.DONE:
                self._settle(record, StageState.PENDING)

    def run(
        self,
        records: Sequence[FileRecord],
        job: Job,
        report: Callable[[Progress], None],
        finished: Callable[[str], None],
    ) -> None:
        """Describe the figures of ``records``; files whose figures are not all found yet are left for the next time.

        A model that cannot be loaded leaves everything as it is: pending. Raises CancelledError when the job ends.
        """
        ready = [record for record in in_order(records) if self._found.is_complete(record)]
        fingerprint = self._fingerprint()
        if not ready or not fingerprint or self._vision is None:
            return
        waiting = {record.document: self._elements.undescribed(fingerprint, [record.document]) for record in ready}
        total, done = sum(map(len, waiting.values())), 0
        failures = _Failures()
        pool = self._pool()
        try:
            for record in ready:
                for element in waiting[record.document]:
                    job.check()
                    if job.giving_way or failures.in_a_row >= _MOST_FAILURES:
                        return
                    self._describe(element, record, fingerprint, pool, job, failures)
                    done += 1
                    report(Progress(done, total, "figures", "Describing figures", record.path.name))
                if not self._elements.undescribed(fingerprint, [record.document]):
                    self._settle(record, StageState.DONE)
                    finished(record.document)
        finally:
            pool.close()

    def _describe(
        self,
        element: Element,
        record: FileRecord,
        fingerprint: str,
        pool: ParsePool,
        job: Job,
        failures: _Failures,
    ) -> None:
        """Store what is to be seen in a figure, from the cache or from the model."""
        text = self._catalogue.descriptions.get(fingerprint, [element.picture]).get(element.picture)
        if text is None:
            outcome = self._outcome(element, record, pool, job)
            text = failures.judged(outcome)
            if text is None:
                _log.warning("document %s, page %d: a figure was not described", record.document, element.page)
                return
            self._catalogue.descriptions.put(fingerprint, element.picture, text)
        self._elements.put_descriptions([with_hash(replace(element, described=text))], fingerprint)
        current = self._catalogue.files.get(record.document)
        if current is not None:
            stages = {**current.stages, Stage.VECTORS: StageState.PENDING}
            self._catalogue.files.update(record.document, stages=stages)

    def _outcome(self, element: Element, record: FileRecord, pool: ParsePool, job: Job) -> PartRead | ParseFailure:
        page, threads = element.page, self._settings.model_threads
        part = Part(record.title, page, page, threads, place=element.bbox, vision=self._vision)
        source, password = self._found.source_of(record), self._passwords.of(record.document)
        future: Future[PartRead | ParseFailure] = pool.submit_part(record.document, source, part, password)
        while not future.done():
            job.check()
            wait([future], timeout=0.2)
        return future.result()

    def _pool(self) -> ParsePool:
        settings = self._settings
        room = settings.parse_megabytes
        if self._vision is not None:
            room += self._vision.memory_bytes() // 1_000_000
        return ParsePool(
            1,
            settings.vision_seconds,
            room,
            settings.chunk_tokens,
            ENTRY,
            background=True,
            courtesy=self._courtesy,
            setting="vision_seconds",
        )

    def _fingerprint(self) -> str:
        """Return the model's fingerprint, or "" when there is none that can be used; ``doctor`` says what is wrong."""
        if self._vision is None:
            return ""
        try:
            self._vision.check()
            return self._vision.fingerprint
        except ModelError:
            _log.warning("the vision model cannot be used; figures stay without descriptions")
            return ""

    def _settle(self, record: FileRecord, state: StageState) -> None:
        current = self._catalogue.files.get(record.document)
        if current is not None:
            self._catalogue.files.update(record.document, stages={**current.stages, Stage.FIGURES: state})
