"""All that the tables of a workspace hold, without the ids that differ from run to run; and what is wrong with it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from desktop_rag.core.paths import WorkspacePaths, workspace_paths
from desktop_rag.store.catalogue import Catalogue
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.files import FileRecord
from desktop_rag.store.lance import connect
from desktop_rag.store.pages import PageStore
from desktop_rag.store.pictures import KeptPictures
from desktop_rag.store.schema import TABLE
from desktop_rag.sync.housekeeping import Housekeeping

_DIMENSIONS = 384
_OF_DOCUMENTS = {
    "pages": "number, width, height, label",
    "parts": "stage, first, pages, doubtful, failure",
    "tables": "content",
}
"""The tables of the catalogue whose rows belong to a document, and what they say of it."""

Row = tuple[object, ...]


def whole_index(base: Path, workspace: str) -> tuple[Counter[Row], list[str]]:
    """Tidy a workspace up; return every row of its tables, and sentences on what does not fit together."""
    paths = workspace_paths(workspace, base)
    with Catalogue.open(paths.catalogue) as catalogue:
        files = {record.document: record for record in catalogue.files.all()}
        elements, pages = ElementStore(paths.elements_uri, _DIMENSIONS), PageStore(paths.elements_uri)
        keeper = Housekeeping(catalogue, elements, pages, KeptPictures(paths.pictures, 0), paths.print_views)
        keeper.tidy()
        found = keeper.check()
        troubles = [] if found.sound and not found.stray_vectors else [str(found)]
        troubles += [f"the catalogue: {fault}"] if (fault := catalogue.check()) else []
        rows = Counter(_files(files))
        rows += Counter(_elements(files, elements))
        rows += Counter(_page_vectors(files, pages))
        elements.close()
        pages.close()
    troubles += list(_of_the_index(paths))
    rows += Counter(_of_documents(paths))
    troubles += [f"unfinished: {one.shown}" for one in files.values() if "pending" in map(str, one.stages.values())]
    troubles += list(_stray(paths, files))
    return rows, [f"{workspace}: {trouble}" for trouble in troubles]


def least_cosine(base: Path, one: str, other: str) -> float:
    """Return how much the vectors of the same text differ at most between two workspaces: 1 is not at all."""
    first, second = (_vectors(workspace_paths(workspace, base)) for workspace in (one, other))
    both = sorted(first.keys() & second.keys())
    if not both:
        return 1.0
    left, right = (np.stack([vectors[digest] for digest in both]) for vectors in (first, second))
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return float((np.einsum("ij,ij->i", left, right) / lengths).min())


def _vectors(paths: WorkspacePaths) -> dict[str, NDArray[np.float32]]:
    table = connect(paths.elements_uri).open_table(TABLE)
    rows = table.search().where("vector_model IS NOT NULL").select(["content_hash", "vector"]).to_arrow().to_pylist()
    return {row["content_hash"]: np.asarray(row["vector"], dtype=np.float32) for row in rows}


def _files(files: dict[str, FileRecord]) -> Iterator[Row]:
    for record in files.values():
        stages = tuple(sorted((str(stage), str(state)) for stage, state in record.stages.items()))
        yield "file", record.shown, str(record.state), record.reason, record.pages, record.elements, stages


def _elements(files: dict[str, FileRecord], store: ElementStore) -> Iterator[Row]:
    for document, record in files.items():
        for one in store.of_document(document):
            box = (one.bbox.x0, one.bbox.y0, one.bbox.x1, one.bbox.y1)
            yield "element", record.shown, one.page, one.kind, one.text, one.heading, one.content_hash, box


def _page_vectors(files: dict[str, FileRecord], store: PageStore) -> Iterator[Row]:
    for model in store.models():
        for page in store.states(model):
            record = files.get(page.document)
            name = record.shown if record else page.document
            yield "page vectors", name, page.page, model, page.digest, page.failure, page.count


def _of_the_index(paths: WorkspacePaths) -> Iterator[str]:
    """Say what is wrong with the elements as LanceDB holds them: one twice, without a vector, not among the words."""
    table = connect(paths.elements_uri).open_table(TABLE)
    rows = table.search().select(["id", "text", "described", "vector_model"]).to_arrow().to_pylist()
    if twice := len(rows) - len({row["id"] for row in rows}):
        yield f"{twice} elements are there twice"
    if bare := sum(not row["vector_model"] for row in rows if row["text"] or row["described"]):
        yield f"{bare} elements have no vector"
    for index in table.list_indices():
        stats = table.index_stats(index.name)
        if stats is not None and stats.num_indexed_rows + stats.num_unindexed_rows != len(rows):
            yield f"the index '{index.name}' knows {stats.num_indexed_rows:,} of {len(rows):,} elements"


def _of_documents(paths: WorkspacePaths) -> Iterator[Row]:
    with closing(sqlite3.connect(paths.catalogue)) as connection:
        for table, columns in _OF_DOCUMENTS.items():
            said = ", ".join(f"{table}.{column}" for column in columns.split(", "))
            joined = f"SELECT shown, {said} FROM {table} LEFT JOIN files USING (document)"
            for shown, *values in connection.execute(joined):
                yield (table, shown, *(_short(value) for value in values))


def _stray(paths: WorkspacePaths, files: dict[str, FileRecord]) -> Iterator[str]:
    """Say what lies in the catalogue or in the workspace's folder and belongs to no file of the ledger."""
    with closing(sqlite3.connect(paths.catalogue)) as connection:
        for table in _OF_DOCUMENTS:
            where = "document NOT IN (SELECT document FROM files)"
            (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()
            if count:
                yield f"{count} rows of '{table}' belong to no file"
    if paths.attachments.is_dir():
        yield from (f"attachments of no message: {one}" for one in paths.attachments.iterdir() if one.name not in files)
    yield from (f"left over: {one}" for one in paths.root.rglob("*") if one.suffix in {".part", ".tmp"})


def _short(value: object) -> object:
    return str(blake3(value).hexdigest()) if isinstance(value, bytes) else value
