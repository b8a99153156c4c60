"""What is read of the elements of all documents: found by meaning and by words, by document and by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.types import Element
from desktop_rag.store.faults import explained
from desktop_rag.store.filters import both, equals, one_of
from desktop_rag.store.keywords import wanted
from desktop_rag.store.lance import import_whole
from desktop_rag.store.schema import AFTER_TEXT, ELEMENT_COLUMNS, FILTER_COLUMNS, checked, to_elements
from desktop_rag.store.table import ElementTable
from desktop_rag.store.vector_index import Holdings, nearest

_AT_ONCE = 500
"""Most values that one filter lists."""

_READING_ORDER = [(column, "ascending") for column in ("page", "position", "kind", "id")]
"""Later stages count their positions each by itself: of what a table and a figure share, the kind decides."""

_ALIKE = 0.5
_WHOLE = 0.25
"""What a word counts beside its stem."""
_SURE_LETTERS = 1
"""Letters at the beginning in which a misspelt word and the right one agree."""


@dataclass(frozen=True, slots=True)
class Found:
    """An element, the score by which it was found (higher is better), and its place in its page's reading order."""

    element: Element
    score: float
    position: int = -1


class ElementReader:
    """The elements as they are now. All calls are safe from any thread.

    Calls raise UserFacingError when the index cannot be read. Before the first write the store is simply empty.
    """

    def __init__(self, uri: str, dimensions: int, read_only: bool = True) -> None:
        """``uri`` is a directory or an object-store address; ``dimensions`` the length of the model's vectors."""
        self._uri = uri
        self._dimensions = dimensions
        self._table = ElementTable(uri, dimensions, read_only)
        self._holdings = Holdings()

    def without_vectors(
        self, fingerprint: str, documents: Sequence[str] | None = None, limit: int = 1000
    ) -> list[Element]:
        """Return at most ``limit`` elements that have no vector of this model, of these documents only if given.

        A figure about which nothing is known has nothing to be found by, and gets none.
        """
        mine = None if documents is None else one_of("document", documents)
        return self._select(both(_without_vector(fingerprint), mine), limit)

    def documents_without_vectors(self, fingerprint: str) -> frozenset[str]:
        """Return the documents with an element that has no vector of this model."""
        table = self._existing()
        if table is None:
            return frozenset()
        with explained(self._uri):
            found = table.search().where(_without_vector(fingerprint)).select(["document"]).to_arrow()
        return frozenset(found["document"].unique().to_pylist())

    def undescribed(self, fingerprint: str, documents: Sequence[str] | None = None) -> list[Element]:
        """Return the figures with a picture that this vision model has not seen, of these documents only if given."""
        unseen = f"described_by IS NULL OR NOT ({equals('described_by', fingerprint)})"
        mine = None if documents is None else one_of("document", documents)
        return self._select(both("kind = 'figure' AND picture <> ''", unseen, mine), ordered=True)

    def search_vector(
        self, vector: NDArray[np.float32], limit: int, where: str | None = None, fingerprint: str | None = None
    ) -> list[Found]:
        """Return the ``limit`` elements nearest to ``vector``; the score is the cosine.

        ``where`` is an SQL condition on the columns, tested before the search. With ``fingerprint``, only vectors of
        that model count. Raises UserFacingError when ``where`` cannot be understood.
        """
        query = checked(vector, "the query", self._dimensions)
        table = self._existing()
        if table is None or limit < 1:
            return []
        self._same_length(table)
        with explained(self._uri):
            held = self._holdings.of(table, fingerprint)
        condition = both(where, held.condition)
        rows = self._run(nearest(table, query, held, bool(condition)), condition, where, limit, "_distance")
        return _found(rows, "_distance", lambda distance: 1.0 - distance)

    def search_keyword(
        self, query: str, limit: int, where: str | None = None, misspelt: Sequence[str] = ()
    ) -> list[Found]:
        """Return the ``limit`` best elements that hold at least one word of ``query``; the score is BM25.

        ``where`` is as in :meth:`search_vector`. A query without words finds nothing. Words that differ in one letter
        from one of ``misspelt`` count half.
        """
        import_whole()
        from lancedb.query import BooleanQuery, MatchQuery, Occur

        sought = wanted(query)
        table = self._existing()
        if table is None or not sought.words or limit < 1:
            return []
        parts = [MatchQuery(sought.words, "words")]
        if sought.whole:
            parts.append(MatchQuery(sought.whole, "words", boost=_WHOLE))
        if misspelt:
            alike = MatchQuery(" ".join(misspelt), "words", fuzziness=1, prefix_length=_SURE_LETTERS, boost=_ALIKE)
            parts.append(alike)
        asked: Any = BooleanQuery([(Occur.SHOULD, part) for part in parts]) if len(parts) > 1 else parts[0]
        rows = self._run(table.search(asked), both(where), where, limit, "_score")
        return _found(rows, "_score", float)

    def cosines(self, vector: NDArray[np.float32], ids: Iterable[str], fingerprint: str) -> dict[str, float]:
        """Return the cosine of ``vector`` with the vector of each of these elements that has one of this model."""
        table = self._existing()
        names = list(ids)
        if table is None or not names:
            return {}
        query = checked(vector, "the query", self._dimensions)
        self._same_length(table)
        found: dict[str, float] = {}
        for some in portions(names):
            condition = both(one_of("id", some), equals("vector_model", fingerprint))
            with explained(self._uri):
                rows = table.search().where(condition).select(["id", "vector"]).limit(len(some)).to_arrow()
            matrix = np.asarray(rows["vector"].combine_chunks().flatten(), dtype=np.float32)
            matrix = matrix.reshape(rows.num_rows, self._dimensions)
            lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query)
            found.update(zip(rows["id"].to_pylist(), (matrix @ query / lengths).tolist(), strict=True))
        return found

    def get(self, ids: Iterable[str]) -> dict[str, Element]:
        """Return the elements with these ids; unknown ids are left out."""
        found: dict[str, Element] = {}
        for some in portions(list(ids)):
            found.update((element.id, element) for element in self._select(one_of("id", some)))
        return found

    def places(self, where: str) -> set[tuple[str, int]]:
        """Return document and page of every element that ``where`` holds for; raises UserFacingError for a bad one."""
        table = self._existing()
        if table is None:
            return set()
        with explained(self._uri):
            try:
                rows = table.search().where(both(where)).select(["document", "page"]).to_arrow()
            except (ValueError, RuntimeError) as error:
                raise UserFacingError(_bad_filter(where, error)) from error
        return set(zip(rows["document"].to_pylist(), rows["page"].to_pylist(), strict=True))

    def on_pages(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], list[Element]]:
        """Return the elements of each of ``places`` (document, page), by one search; empty pages are left out."""
        pages: dict[str, set[int]] = {}
        for document, page in places:
            pages.setdefault(document, set()).add(int(page))
        found: dict[tuple[str, int], list[Element]] = {}
        if pages:
            some = (
                f"({equals('document', document)} AND page IN ({', '.join(map(str, sorted(numbers)))}))"
                for document, numbers in pages.items()
            )
            for element in self._select(" OR ".join(some), ordered=True):
                found.setdefault((element.document, element.page), []).append(element)
        return found

    def of_document(self, document: str, page: int | None = None) -> list[Element]:
        """Return the elements of a document, or of one page of it, in reading order."""
        condition = both(equals("document", document), None if page is None else f"page = {int(page)}")
        return self._select(condition, ordered=True)

    def of_pages(self, document: str, first: int, last: int) -> list[Element]:
        """Return the elements of the pages ``first`` to ``last`` of a document, in reading order."""
        pages = f"page BETWEEN {int(first)} AND {int(last)}"
        return self._select(both(equals("document", document), pages), ordered=True)

    def beginning(self, document: str, pages: int, most: int) -> list[Element]:
        """Return the first ``most`` elements of a document's text on its first ``pages`` pages, in reading order.

        With them come the first that each piece of a later stage found there.
        """
        first = f"position < {int(most)} OR position BETWEEN {AFTER_TEXT} AND {AFTER_TEXT + int(most) - 1}"
        return self._select(both(equals("document", document), f"page <= {int(pages)}", first), ordered=True)

    def documents(self) -> dict[str, int]:
        """Return the number of elements of each document."""
        table = self._existing()
        if table is None:
            return {}
        with explained(self._uri):
            counts = table.search().select(["document"]).to_arrow()["document"].value_counts()
        return {row["values"]: row["counts"] for row in counts.to_pylist()}

    def content_hashes(self) -> frozenset[str]:
        """Return the content hashes of all elements."""
        table = self._existing()
        if table is None:
            return frozenset()
        with explained(self._uri):
            hashes = table.search().select(["content_hash"]).to_arrow()["content_hash"].unique()
        return frozenset(hashes.to_pylist())

    def read_through(self) -> None:
        """Read everything once; raises UserFacingError when anything cannot be read."""
        table = self._existing()
        if table is not None:
            with explained(self._uri):
                for _ in table.search().to_batches():
                    pass

    def count(self) -> int:
        """Return the number of elements."""
        table = self._existing()
        if table is None:
            return 0
        with explained(self._uri):
            return int(table.count_rows())

    def close(self) -> None:
        """Let go of the files."""
        self._table.close()

    def _existing(self) -> Any:
        with explained(self._uri):
            return self._table.existing()

    def _same_length(self, table: Any) -> None:
        length = table.schema.field("vector").type.list_size
        if length != self._dimensions:
            raise UserFacingError(
                f"The search index in {self._uri} was made with another embedding model ({length} numbers a vector, "
                f"not {self._dimensions}). Let the program index once more, or choose the former model."
            )

    def _run(self, search: Any, condition: str | None, where: str | None, limit: int, score: str) -> Any:
        """Run a search; what LanceDB says against the user's ``where`` becomes a message about it."""
        if condition:
            search = search.where(condition)
        with explained(self._uri):
            try:
                return search.select([*self._columns(), "position", score]).limit(limit).to_arrow()
            except (ValueError, RuntimeError) as error:
                if where is None:
                    raise
                raise UserFacingError(_bad_filter(where, error)) from error

    def _columns(self) -> list[str]:
        """What is read of a row: an index of an older version, open for reading only, lacks some columns."""
        there = self._existing().schema.names
        return [name for name in ELEMENT_COLUMNS if name in there]

    def _select(self, condition: str | None, limit: int | None = None, ordered: bool = False) -> list[Element]:
        table = self._existing()
        if table is None:
            return []
        columns = [*self._columns(), "position"] if ordered else self._columns()
        with explained(self._uri):
            search = table.search().where(condition).select(columns)
            rows = (search if limit is None else search.limit(limit)).to_arrow()
        return to_elements(rows.sort_by(_READING_ORDER) if ordered else rows)


def _without_vector(fingerprint: str) -> str:
    missing = f"vector_model IS NULL OR NOT ({equals('vector_model', fingerprint)})"
    return f"({missing}) AND (text <> '' OR described <> '')"


def _found(rows: Any, column: str, to_score: Callable[[float], float]) -> list[Found]:
    """Pair elements with scores; a row without a vector comes with no distance and is no find."""
    found = zip(to_elements(rows), rows[column].to_pylist(), rows["position"].to_pylist(), strict=True)
    return [
        Found(element, to_score(value), position)
        for element, value, position in found
        if value is not None and value == value
    ]


def portions(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield ``values`` in portions that one filter can list."""
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]


def _bad_filter(where: str, error: Exception) -> str:
    reason = (str(error).splitlines() or [""])[0][:200]
    columns = ", ".join(FILTER_COLUMNS)
    return (
        f"The filter `{where}` cannot be used ({reason}). Write it like `kind = 'table' AND page < 10`; "
        f"the columns are {columns}."
    )
