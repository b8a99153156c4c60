"""A workspace's index, open for reading, with the parts of which routes are made."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop_rag.core.paths import workspace_paths
from desktop_rag.core.settings import Settings
from desktop_rag.evaluate.questions import Question
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder
from desktop_rag.retrieve.query_vectors import QueryVectors
from desktop_rag.retrieve.routes import KeywordRoute, TextRoute
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """The stores of a workspace and the two routes that all others rest on."""

    catalogue: Catalogue
    elements: ElementStore
    embedder: SentenceTransformerEmbedder
    vectors: QueryVectors
    text: TextRoute
    keyword: KeywordRoute
    uri: str
    """Where the elements lie."""

    def shown(self, document: str) -> str | None:
        """Return the file of a document."""
        record = self.catalogue.files.get(document)
        return None if record is None else record.shown

    def answerable(self, questions: Sequence[Question], root: Path) -> list[tuple[Question, str]]:
        """Return the questions about files of this workspace, with the files as the ledger shows them."""
        files = {record.path.resolve(): record.shown for record in self.catalogue.files.all()}
        places = ((question, (root / question.file).resolve()) for question in questions if question.file)
        return [(question, files[path]) for question, path in places if path in files]


@contextmanager
def open_index(workspace: str) -> Iterator[OpenIndex]:
    """Open a workspace of the data folder for reading."""
    paths = workspace_paths(workspace)
    embedder = SentenceTransformerEmbedder(None, Settings().model_threads)
    elements = ElementStore(paths.elements_uri, embedder.dimensions, read_only=True)
    vectors = QueryVectors(embedder)
    with Catalogue.open(paths.catalogue, read_only=True) as catalogue:
        text, keyword = TextRoute(elements, vectors), KeywordRoute(elements)
        yield OpenIndex(catalogue, elements, embedder, vectors, text, keyword, paths.elements_uri)
    elements.close()


def arguments(program: str, description: str | None) -> argparse.Namespace:
    """Read what ``python -m benchmarks.PROGRAM QUESTIONS.jsonl ROOT WORKSPACE`` was given."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{program}", description=description)
    parser.add_argument("questions", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("workspace")
    return parser.parse_args()
