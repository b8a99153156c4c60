"""What page embedders saw of each page, in LanceDB: written by one process, read by any number of threads."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from desktop_rag.core.errors import NewerDataError
from desktop_rag.core.log import get_logger
from desktop_rag.store.faults import explained
from desktop_rag.store.filters import both, equals, one_of
from desktop_rag.store.lance import connect, import_whole
from desktop_rag.store.page_schema import (
    FORMAT,
    FORMAT_KEY,
    SMALL_COLUMNS,
    TABLE,
    Halves,
    PageExtent,
    PageState,
    StoredPage,
    page_id,
    table_schema,
    to_page,
    to_rows,
)
from desktop_rag.store.table import KEEP, retried

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES_FOLDER = f"{TABLE}.lance"
"""What LanceDB calls the table's folder, below the store's address."""

_log = get_logger(__name__)
_AT_ONCE = 500
_MOST_LOOSE_WRITES = 64
_HEAD_COLUMNS = ["document", "page", "dimensions", "first"]
_ROW = "_rowid"


@dataclass(frozen=True, slots=True)
class FirstStage:
    """The small vectors of all pages of a model: those of page i are ``vectors[starts[i]:starts[i + 1]]``.

    ``version`` is the table's; another one means that pages may have come or gone.
    """

    version: int
    documents: NDArray[np.object_]
    pages: NDArray[np.int32]
    starts: NDArray[np.int64]
    vectors: Halves
    rows: NDArray[np.uint64]
    """Where LanceDB has the whole of each page, as long as the version is the same."""

    def __len__(self) -> int:
        return len(self.pages)


class PageStore:
    """Pages by document, number and model. All calls are safe from any thread; writes happen one after the other.

    Calls raise UserFacingError when the disk is full or the index cannot be read. Before the first write, and in a
    reader that comes before the writer, the store is simply empty.
    """

    def __init__(self, uri: str, read_only: bool = False) -> None:
        self._uri = uri
        self._read_only = read_only
        self._opening = threading.Lock()
        self._writing = threading.RLock()
        self._database: Any = None
        self._table: Any = None
        self._loose_writes = 0

    def put(self, pages: Sequence[StoredPage]) -> None:
        """Store pages in one atomic commit; each takes the place of what the same model saw before.

        Raises ValueError, before anything is written, for vectors that are zero or not finite.
        """
        if not pages:
            return
        for page in pages:
            _refuse_bad(page)
        with self._write() as table:
            merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            rows = to_rows(pages)
            retried(lambda: merge.execute(rows))
            self._loose_writes += 1
            if self._loose_writes >= _MOST_LOOSE_WRITES:
                self._tidy(table)

    def remove(self, documents: Iterable[str]) -> None:
        """Delete all pages of these documents; unknown ones do no harm."""
        names = list(documents)
        for start in range(0, len(names), _AT_ONCE):
            self._delete(one_of("document", names[start : start + _AT_ONCE]))

    def keep_pages(self, document: str, most: int) -> None:
        """Delete the pages of a document after page ``most``."""
        self._delete(f"{equals('document', document)} AND page > {int(most)}")

    def keep_model(self, model: str) -> None:
        """Delete what other models saw."""
        self._delete(f"NOT ({equals('model', model)})")

    def states(self, model: str, document: str | None = None) -> list[PageState]:
        """Return what is known of each page that ``model`` saw, or only of those of one document."""
        mine = None if document is None else equals("document", document)
        rows = self._select(both(equals("model", model), mine), [*SMALL_COLUMNS])
        names = ("document", "page", "digest", "failure", "count")
        return [PageState(**{name: row[name] for name in names}) for row in rows]

    def documents(self) -> set[str]:
        """Return the documents that have pages here."""
        return {row["document"] for row in self._select(None, ["document"])}

    def extents(self) -> dict[str, PageExtent]:
        """Return, for each document that has pages here, how many the model that knows it best has, and the last."""
        numbers: dict[str, dict[str, set[int]]] = {}
        for row in self._select(None, ["document", "model", "page"]):
            numbers.setdefault(row["document"], {}).setdefault(row["model"], set()).add(row["page"])
        return {
            document: PageExtent(max(map(len, models.values())), max(map(max, models.values())))
            for document, models in numbers.items()
        }

    def models(self) -> dict[str, int]:
        """Return how many pages with something to see each model has seen."""
        counts: dict[str, int] = {}
        for row in self._select("count > 0", ["model"]):
            counts[row["model"]] = counts.get(row["model"], 0) + 1
        return counts

    def get(self, document: str, page: int, model: str) -> StoredPage | None:
        """Return a page as ``model`` saw it."""
        rows = self._select(equals("id", page_id(document, page, model)), None)
        return to_page(rows[0]) if rows else None

    def fetch(self, first: FirstStage, chosen: Sequence[int], model: str) -> list[StoredPage]:
        """Return the whole pages that have the indices ``chosen`` in ``first``, in any order.

        They are taken by their rows, many times faster than by a condition; when another process moved rows meanwhile,
        by their names.
        """
        wanted = {(str(first.documents[index]), int(first.pages[index])) for index in chosen}
        table = self._existing()
        if table is None or not wanted:
            return []
        try:
            rows = table.take_row_ids([int(first.rows[index]) for index in chosen]).to_arrow().to_pylist()
        except (RuntimeError, ValueError, OSError):
            rows = []
        pages = [to_page(row) for row in rows if row["model"] == model]
        if {(page.document, page.page) for page in pages} == wanted:
            return pages
        return self._by_name(sorted(wanted), model)

    def _by_name(self, places: Sequence[tuple[str, int]], model: str) -> list[StoredPage]:
        found: list[StoredPage] = []
        for start in range(0, len(places), _AT_ONCE):
            ids = [page_id(document, page, model) for document, page in places[start : start + _AT_ONCE]]
            found += [to_page(row) for row in self._select(one_of("id", ids), None)]
        return found

    def first_stage(self, model: str, known: FirstStage | None = None) -> FirstStage | None:
        """Return the small vectors of all pages that ``model`` saw; ``known`` itself while nothing changed."""
        table = self._existing()
        if table is None:
            return None
        with explained(self._uri):
            version = int(table.version)
            if known is not None and known.version == version:
                return known
            condition = both(equals("model", model), "count > 0")
            rows = table.search().where(condition).select(_HEAD_COLUMNS).with_row_id(True).to_arrow()
        return _first_stage(rows, version)

    def read_through(self) -> None:
        """Read everything once; raises UserFacingError when anything cannot be read."""
        table = self._existing()
        if table is not None:
            with explained(self._uri):
                for _ in table.search().to_batches():
                    pass

    def optimize(self, keep: timedelta = KEEP) -> None:
        """Join small fragments and delete versions older than ``keep``; call it when a sync is done."""
        if self._loose_writes and self._existing() is not None:
            with self._write() as table:
                self._tidy(table, keep)

    def close(self) -> None:
        """Let go of the table; the next use opens it again."""
        with self._opening:
            self._table = self._database = None

    def _tidy(self, table: Any, keep: timedelta = KEEP) -> None:
        try:
            retried(lambda: table.optimize(cleanup_older_than=keep, delete_unverified=True))
        except (RuntimeError, OSError) as error:  # the pages themselves are committed
            _log.warning("the pages' table could not be tidied: %s", (str(error).splitlines() or [""])[0])
        self._loose_writes = 0

    def _delete(self, condition: str) -> None:
        if self._existing() is None:
            return
        with self._write() as table:
            if table.count_rows(condition):
                retried(partial(table.delete, condition))
                self._loose_writes += 1

    def _select(self, condition: str | None, columns: Collection[str] | None) -> list[dict[str, Any]]:
        table = self._existing()
        if table is None:
            return []
        with explained(self._uri):
            search = table.search()
            if condition is not None:
                search = search.where(condition)
            if columns is not None:
                search = search.select(list(columns))
            rows: list[dict[str, Any]] = search.to_arrow().to_pylist()
        return rows

    def _existing(self) -> Any:
        with explained(self._uri), self._opening:
            if self._table is None:
                self._table = self._open()
            return self._table

    @contextmanager
    def _write(self) -> Iterator[Any]:
        if self._read_only:
            raise RuntimeError("this store was opened for reading")
        with self._writing, explained(self._uri), self._opening:
            if self._table is None:
                self._table = self._open() or self._create()
            table = self._table
        with self._writing, explained(self._uri):
            yield table

    def _connected(self) -> Any:
        """Return the connection: while there is no table yet, every sync asks for it more than once."""
        if self._database is None:
            self._database = connect(self._uri)
        return self._database

    def _open(self) -> Any:
        if "://" not in self._uri and not Path(self._uri).is_dir():
            return None
        database = self._connected()
        if TABLE not in database.list_tables().tables:
            return None
        table = database.open_table(TABLE)
        if int((table.schema.metadata or {}).get(FORMAT_KEY, b"0")) > FORMAT:
            raise NewerDataError(
                f"The page index in {self._uri} was written by a newer version of Desktop RAG. "
                "Install that version, or use another workspace."
            )
        return table

    def _create(self) -> Any:
        import_whole()
        from lancedb.index import BTree

        table = self._connected().create_table(TABLE, schema=table_schema(), exist_ok=True)
        for column in ("id", "document"):
            table.create_index(column, config=BTree())
        return table


def _refuse_bad(page: StoredPage) -> None:
    for array in (page.vectors, page.first):
        lengths = np.linalg.norm(array.astype(np.float32), axis=1) if array.size else np.ones(1)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise ValueError(f"page {page.page} of document {page.document} has vectors that are zero or not finite")


def _first_stage(rows: Any, version: int) -> FirstStage:
    blobs = rows["first"].to_pylist()
    dimensions = rows["dimensions"].to_pylist()
    width = dimensions[0] if dimensions else 1
    counts = np.array([len(blob) // (2 * width) for blob in blobs], dtype=np.int64)
    return FirstStage(
        version,
        np.array(rows["document"].to_pylist(), dtype=object),
        np.array(rows["page"].to_pylist(), dtype=np.int32),
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)]),
        np.frombuffer(b"".join(blobs), "<f2").reshape(-1, width),
        rows[_ROW].to_numpy().astype(np.uint64),
    )
