"""What page embedders saw of each page, in LanceDB: written by one process, read by any number of threads."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from desktop_rag.core.errors import NewerDataError
from desktop_rag.core.log import get_logger
from desktop_rag.store.faults import explained
from desktop_rag.store.filters import both, equals, one_of
from desktop_rag.store.lance import connect, import_whole
from desktop_rag.store.page_codes import CodedPages, followed, joined, sign_codes
from desktop_rag.store.page_schema import (
    CODES,
    FORMAT,
    FORMAT_KEY,
    OLD_COLUMNS,
    SMALL_COLUMNS,
    TABLE,
    PageExtent,
    PageState,
    StoredPage,
    code_rows,
    page_id,
    table_schema,
    to_page,
    to_rows,
    to_vectors,
)
from desktop_rag.store.table import KEEP, retried

PAGES_FOLDER = f"{TABLE}.lance"
"""What LanceDB calls the table's folder, below the store's address."""

_log = get_logger(__name__)
_AT_ONCE = 500
_MOST_LOOSE_WRITES = 64
_HEAD_COLUMNS = ("document", "page", "count")
_ROW = "_rowid"


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
        self._last_write = float("-inf")
        self._last_tidy = float("-inf")
        self._tidied = False

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
            self._wrote()
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
        return Counter(row["model"] for row in self._select("count > 0", ["model"]))

    def get(self, document: str, page: int, model: str) -> StoredPage | None:
        """Return a page as ``model`` saw it."""
        rows = self._select(equals("id", page_id(document, page, model)), None)
        return to_page(rows[0]) if rows else None

    def fetch(self, coded: CodedPages, chosen: Sequence[int], model: str) -> list[StoredPage]:
        """Return the whole pages that have the indices ``chosen`` in ``coded``, in any order.

        They are taken by their rows, many times faster than by a condition; when another process moved rows meanwhile,
        by their names.
        """
        wanted = {(str(coded.documents[index]), int(coded.pages[index])) for index in chosen}
        table = self._existing()
        if table is None or not wanted:
            return []
        try:
            rows = table.take_row_ids([int(coded.rows[index]) for index in chosen]).to_arrow().to_pylist()
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

    def codes(self, model: str, known: CodedPages | None = None) -> CodedPages | None:
        """Return the codes of all pages that ``model`` saw; ``known`` itself while nothing changed."""
        table = self._existing()
        if table is None:
            return None
        with explained(self._uri):
            version = int(table.version)
            if known is not None and known.version == version:
                return known
            condition = f"{equals('model', model)} AND count > 0"
            found = None if known is None else _followed(table, condition, version, known)
            return _codes(table, condition, version) if found is None else found

    def read_through(self) -> None:
        """Read everything once; raises UserFacingError when anything cannot be read."""
        table = self._existing()
        if table is not None:
            with explained(self._uri):
                for _ in table.search().to_batches():
                    pass

    def optimize(self, keep: timedelta = KEEP) -> None:
        """Join small fragments and delete versions older than ``keep``; call it when a sync is done.

        Codes that an index of an older version lacks are made first.
        """
        if self._existing() is not None and self._is_untidy(keep):
            with self._write() as table:
                self._complete(table)
                self._tidy(table, keep)

    def close(self) -> None:
        """Let go of the table; the next use opens it again."""
        with self._opening:
            self._table = self._database = None

    def _is_untidy(self, keep: timedelta) -> bool:
        """Return whether writes came since this process tidied, or versions have grown older than ``keep``."""
        if not self._tidied or self._loose_writes:
            return True
        return self._last_tidy <= self._last_write + keep.total_seconds() < time.monotonic()

    def _tidy(self, table: Any, keep: timedelta = KEEP) -> None:
        try:
            retried(lambda: table.optimize(cleanup_older_than=keep, delete_unverified=True))
            self._tidied = True
        except (RuntimeError, OSError) as error:  # the pages themselves are committed
            _log.warning("the pages' table could not be tidied: %s", (str(error).splitlines() or [""])[0])
        self._loose_writes = 0
        self._last_tidy = time.monotonic()

    def _complete(self, table: Any) -> None:
        """Make the codes that are missing, some pages at a time: whatever ends this, the next time goes on."""
        while codes := {name: blob for _, name, blob in islice(_uncoded(table, "count > 0"), _AT_ONCE)}:
            merge = table.merge_insert("id").when_matched_update_all()
            retried(partial(merge.execute, code_rows(codes)))
            _log.info("codes of %d pages were made", len(codes))

    def _delete(self, condition: str) -> None:
        if self._existing() is None:
            return
        with self._write() as table:
            if table.count_rows(condition):
                retried(partial(table.delete, condition))
                self._wrote()

    def _wrote(self) -> None:
        self._loose_writes += 1
        self._last_write = time.monotonic()

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
        if not self._read_only:
            _renew(table)
        return table

    def _create(self) -> Any:
        import_whole()
        from lancedb.index import BTree

        table = self._connected().create_table(TABLE, schema=table_schema(), exist_ok=True)
        for column in ("id", "document"):
            table.create_index(column, config=BTree())
        return table


def _renew(table: Any) -> None:
    """Give the table of an older version the columns of this one."""
    old = [name for name in OLD_COLUMNS if name in table.schema.names]
    if CODES not in table.schema.names:
        retried(lambda: table.add_columns([table_schema().field(CODES)]))
    if old:
        retried(lambda: table.drop_columns(old))


def _refuse_bad(page: StoredPage) -> None:
    lengths = np.linalg.norm(page.vectors.astype(np.float32), axis=1) if page.vectors.size else np.ones(1)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise ValueError(f"page {page.page} of document {page.document} has vectors that are zero or not finite")


def _codes(table: Any, condition: str, version: int) -> CodedPages:
    there = [CODES] if CODES in table.schema.names else []
    rows = table.search().where(condition).select([*_HEAD_COLUMNS, *there]).with_row_id(True).to_arrow()
    numbers = rows[_ROW].to_pylist()
    blobs = dict(zip(numbers, rows[CODES].to_pylist() if there else [None] * len(numbers), strict=True))
    if None in blobs.values():
        blobs |= {number: blob for number, _, blob in _uncoded(table, condition)}
        rows = rows.filter([blobs[number] is not None for number in numbers])  # others were deleted meanwhile
    return _coded(rows, [blobs[number] for number in rows[_ROW].to_pylist()], version)


def _followed(table: Any, condition: str, version: int, known: CodedPages) -> CodedPages | None:
    """Return the codes by reading those of new rows only; None where it is as well to read all."""
    rows = table.search().where(condition).select([_HEAD_COLUMNS[0]]).with_row_id(True).to_arrow()[_ROW].to_numpy()
    fresh = np.setdiff1d(rows, known.rows)
    if not len(known) or len(fresh) > _AT_ONCE:
        return None
    try:
        taken = table.take_row_ids(fresh.tolist()).select([*_HEAD_COLUMNS, CODES]).with_row_id().to_arrow()
    except (RuntimeError, ValueError, OSError):  # rows moved meanwhile, or an older version has no codes
        return None
    blobs = taken[CODES].to_pylist()
    return None if None in blobs else followed(known, rows, _coded(taken, blobs, version))


def _coded(rows: Any, blobs: Sequence[bytes], version: int) -> CodedPages:
    starts, codes = joined(blobs, rows["count"].to_pylist())
    documents = np.array(rows["document"].to_pylist(), dtype=object)
    pages = np.array(rows["page"].to_pylist(), dtype=np.int32)
    return CodedPages(version, documents, pages, starts, codes, rows[_ROW].to_numpy().astype(np.uint64))


def _uncoded(table: Any, condition: str) -> Iterator[tuple[int, str, bytes]]:
    """Yield row, id and codes of the pages that an older version stored without their codes."""
    missing = f"{condition} AND {CODES} IS NULL" if CODES in table.schema.names else condition
    search = table.search().where(missing).select(["id", "dimensions", "vectors"]).with_row_id(True)
    for batch in search.to_batches(batch_size=_AT_ONCE):
        for row in batch.to_pylist():
            yield row[_ROW], row["id"], sign_codes(to_vectors(row)).tobytes()
