"""The element store on a real LanceDB directory."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import lancedb
import numpy as np
import pytest

from desktop_rag.core.errors import NewerDataError, UserFacingError
from desktop_rag.core.filters import Filters, Terms
from desktop_rag.core.types import Element, ElementKind
from desktop_rag.retrieve.filtering import condition
from desktop_rag.store import table as table_module
from desktop_rag.store.element_reader import Found
from desktop_rag.store.elements import ElementStore
from desktop_rag.store.schema import ADDED_COLUMNS, TABLE
from tests.unit.store.make import DIMENSIONS, element, vector


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return str(tmp_path / "lancedb")


@pytest.fixture
def store(uri: str) -> Iterator[ElementStore]:
    store = ElementStore(uri, DIMENSIONS)
    yield store
    store.close()


def ids(found: list[Found]) -> list[str]:
    return [one.element.id for one in found]


def fill(store: ElementStore, document: str, texts: list[str]) -> list[Element]:
    """Index ``texts`` as a document, each with a vector of its own."""
    elements = [element(document, number, text) for number, text in enumerate(texts)]
    vectors = {one.content_hash: vector(number) for number, one in enumerate(elements)}
    store.replace({document: elements}, vectors, "model")
    return elements


def test_an_empty_store_answers_everything_with_nothing(store: ElementStore, uri: str) -> None:
    reader = ElementStore(uri, DIMENSIONS, read_only=True)
    for empty in (reader, store):
        assert empty.count() == 0
        assert empty.documents() == {}
        assert empty.get(["x"]) == {}
        assert empty.of_document("d") == []
        assert empty.search_keyword("word", 5) == []
        assert empty.search_vector(vector(1), 5) == []
        assert empty.without_vectors("model") == []
        empty.remove(["d"])
    assert not any(Path(uri).glob("*.lance"))


def test_a_reader_makes_no_files_and_refuses_to_write(uri: str) -> None:
    reader = ElementStore(uri, DIMENSIONS, read_only=True)
    assert reader.count() == 0
    assert not Path(uri).exists()
    with pytest.raises(UserFacingError):
        reader.replace({"d": [element("d", 0)]}, {}, "model")


def test_an_element_comes_back_exactly_as_it_went_in(store: ElementStore) -> None:
    odd = element(
        "it's \"d\"", 0, "Ünïcode 表 'quoted' \n two lines",
        kind=ElementKind.TABLE, markdown="| a |\n|---|", heading=(), spans=(), title="",
    )  # fmt: skip
    plain = element('it\'s "d"', 1)
    store.replace({odd.document: [odd, plain]}, {}, "model")
    assert store.get([odd.id, plain.id, "unknown"]) == {odd.id: odd, plain.id: plain}
    assert store.of_document(odd.document) == [odd, plain]


def test_the_certainty_of_lines_and_the_table_of_a_row_are_kept(store: ElementStore) -> None:
    plain = element("d", 1)
    sure, unsure = plain.spans
    scanned = replace(plain, spans=(sure, replace(unsure, confidence=0.61)), table="4.0")
    store.replace({"d": [scanned]}, {}, "m")
    assert store.of_document("d") == [scanned]


def test_an_index_of_an_older_version_is_read_and_gets_its_new_columns(store: ElementStore, uri: str) -> None:
    store.replace({"d": [element("d", 1)]}, {}, "m")
    store.close()
    lancedb.connect(uri).open_table(TABLE).drop_columns(list(ADDED_COLUMNS))
    reader = ElementStore(uri, DIMENSIONS, read_only=True)
    assert reader.of_document("d") == [element("d", 1)]
    assert reader.search_keyword("sentence", 5)[0].element == element("d", 1)
    reader.close()
    writer = ElementStore(uri, DIMENSIONS)
    later = element("d", 2, table="1")
    writer.add("d", [later], {}, "m")
    assert writer.of_document("d") == [element("d", 1), later]
    writer.close()


def test_elements_of_a_document_come_in_reading_order(store: ElementStore) -> None:
    elements = [element("d", number, page=1 + number // 4, id=f"{9 - number}") for number in range(8)]
    store.replace({"d": elements}, {}, "model")
    assert store.of_document("d") == elements
    assert store.of_document("d", page=2) == elements[4:]
    assert store.documents() == {"d": 8}


def test_the_reading_order_does_not_depend_on_what_was_written_first(store: ElementStore) -> None:
    found = {
        kind: [element("d", n, page=1, id=f"{kind}{n}", kind=kind) for n in (1, 2)] for kind in ("table", "figure")
    }
    orders = []
    for stages in (("table", "figure"), ("figure", "table")):
        store.replace({"d": [element("d", 0)]}, {}, "model")
        for kind in stages:
            store.add("d", found[kind], {}, "model")
        orders.append([one.id for one in store.of_document("d", page=1)])
    assert orders[0] == orders[1] == ["d-0", "figure1", "table1", "figure2", "table2"]


def test_the_beginning_of_a_document_has_its_first_pages_and_what_was_found_on_them(store: ElementStore) -> None:
    elements = [element("d", number) for number in range(9)]
    store.replace({"d": elements}, {}, "m")
    table = element("d", 90, page=1, kind=ElementKind.TABLE)
    store.add("d", [table, element("d", 91, page=3, kind=ElementKind.TABLE)], {}, "m")
    assert store.beginning("d", pages=2, most=4) == [*elements[:3], table, elements[3]]
    assert store.beginning("d", pages=1, most=2) == [*elements[:2], table]


def test_replacing_a_document_leaves_no_old_element_and_no_other_document_touched(store: ElementStore) -> None:
    fill(store, "a", ["apple one", "apple two", "apple three"])
    fill(store, "b", ["banana"])
    new = [element("a", 1, "apple two, changed"), element("a", 7, "cherry")]
    store.replace({"a": new}, {new[1].content_hash: vector(11)}, "model")
    assert store.of_document("a") == new
    assert ids(store.search_vector(vector(11), 9))[0] == "a-7"
    assert [one.id for one in store.without_vectors("model")] == ["a-1"]
    assert store.documents() == {"a": 2, "b": 1}
    assert store.search_keyword("three", 5) == []
    assert ids(store.search_keyword("cherry", 5)) == ["a-7"]


def test_several_documents_are_replaced_in_one_call(store: ElementStore) -> None:
    for document in ("a", "b", "c"):
        fill(store, document, ["old one", "old two"])
    store.replace({"a": [element("a", 0, "new")], "b": [], "d": [element("d", 0, "new")]}, {}, "model")
    assert store.documents() == {"a": 1, "c": 2, "d": 1}
    store.replace({"a": [], "d": []}, {}, "model")
    assert store.documents() == {"c": 2}


def test_removed_documents_are_found_no_more(store: ElementStore) -> None:
    fill(store, "o'brien", ["apple"])
    fill(store, "b", ["apple"])
    store.remove(["o'brien", "never there"])
    assert ids(store.search_keyword("apple", 5)) == ["b-0"]
    assert ids(store.search_vector(vector(0), 5)) == ["b-0"]


def test_vector_search_ranks_by_cosine_and_skips_elements_without_vectors(store: ElementStore) -> None:
    fill(store, "d", [f"text {number}" for number in range(6)])
    store.replace({"late": [element("late", 0, "not embedded yet")]}, {}, "model")
    found = store.search_vector(vector(3) * 5, 50)
    assert len(found) == 6
    assert found[0].element.id == "d-3"
    assert found[0].score == pytest.approx(1.0, abs=1e-5)
    expected = sorted((float(vector(3) @ vector(number)) for number in range(6)), reverse=True)
    assert [one.score for one in found] == pytest.approx(expected, abs=1e-5)


def test_vectors_can_come_later_and_waiting_elements_are_known(store: ElementStore) -> None:
    elements = [element("d", number) for number in range(5)]
    store.replace({"d": elements}, {elements[0].content_hash: vector(0)}, "model")
    waiting = store.without_vectors("model")
    assert {one.id for one in waiting} == {"d-1", "d-2", "d-3", "d-4"}
    assert len(store.without_vectors("model", limit=2)) == 2
    assert store.without_vectors("model", documents=["other"]) == []
    store.put_vectors({"d-1": vector(1), "d-2": vector(2), "gone": vector(3)}, "model")
    assert {one.id for one in store.without_vectors("model", documents=["d"])} == {"d-3", "d-4"}
    assert store.count() == 5
    assert ids(store.search_vector(vector(2), 1)) == ["d-2"]
    assert store.of_document("d") == elements
    assert len(store.search_keyword("sentence", 10)) == 5


def test_vectors_of_another_model_wait_for_the_new_one(store: ElementStore) -> None:
    fill(store, "d", ["one", "two"])
    assert {one.id for one in store.without_vectors("new model")} == {"d-0", "d-1"}
    store.put_vectors({"d-0": vector(7)}, "new model")
    assert ids(store.search_vector(vector(7), 5, fingerprint="new model")) == ["d-0"]
    assert ids(store.search_vector(vector(7), 5, fingerprint="model")) == ["d-1"]


def test_a_model_of_another_length_starts_its_vectors_anew(store: ElementStore, uri: str) -> None:
    elements = fill(store, "d", ["one", "two"])
    reader = ElementStore(uri, DIMENSIONS * 2, read_only=True)
    with pytest.raises(UserFacingError, match="another embedding model"):
        reader.search_vector(np.ones(DIMENSIONS * 2, dtype=np.float32), 5)
    wider = ElementStore(uri, DIMENSIONS * 2)
    assert {one.id for one in wider.without_vectors("model")} == {"d-0", "d-1"}
    wider.put_vectors({"d-1": np.ones(DIMENSIONS * 2, dtype=np.float32)}, "wide")
    assert ids(wider.search_vector(np.ones(DIMENSIONS * 2, dtype=np.float32), 5)) == ["d-1"]
    assert wider.of_document("d") == elements
    assert ids(wider.search_keyword("two", 5)) == ["d-1"]


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_vectors_that_could_never_be_found_are_refused_by_name(store: ElementStore, bad: float) -> None:
    broken = np.full(DIMENSIONS, bad, dtype=np.float32)
    one = element("d", 4)
    with pytest.raises(ValueError, match="d-4"):
        store.replace({"d": [one]}, {one.content_hash: broken}, "model")
    with pytest.raises(ValueError, match="d-4"):
        store.put_vectors({"d-3": vector(1), "d-4": broken}, "model")
    with pytest.raises(ValueError, match="query"):
        store.search_vector(broken, 3)
    assert store.count() == 0


def test_wrong_shapes_double_ids_and_strange_documents_are_refused(store: ElementStore) -> None:
    one = element("d", 0)
    with pytest.raises(ValueError, match="shape"):
        store.put_vectors({"d-0": np.ones(DIMENSIONS + 1, dtype=np.float32)}, "model")
    with pytest.raises(ValueError, match="same id"):
        store.replace({"d": [one, one]}, {}, "model")
    with pytest.raises(ValueError, match="belongs to d"):
        store.replace({"other": [one]}, {}, "model")


def test_filters_are_sql_over_the_columns(store: ElementStore) -> None:
    elements = [
        element("d", number, f"apple {number}", kind=ElementKind.TABLE if number % 2 else ElementKind.TEXT)
        for number in range(9)
    ]
    store.replace({"d": elements}, {one.content_hash: vector(0) for one in elements}, "model")
    where = "kind = 'table' AND page >= 2"
    assert set(ids(store.search_keyword("apple", 9, where))) == {"d-3", "d-5", "d-7"}
    assert set(ids(store.search_vector(vector(0), 9, where))) == {"d-3", "d-5", "d-7"}
    assert store.search_keyword("apple", 9, "document = 'other' OR false") == []


@pytest.mark.parametrize("where", ["bogus = 1", "kind = 'te", "page", "kind = 'text' page < 3", ";"])
def test_a_filter_that_cannot_be_understood_is_explained(store: ElementStore, where: str) -> None:
    fill(store, "d", ["apple"])
    for search in (lambda: store.search_keyword("apple", 5, where), lambda: store.search_vector(vector(0), 5, where)):
        with pytest.raises(UserFacingError, match="columns are document, page, kind"):
            search()


def test_keyword_search_covers_title_headings_and_text_and_stems(store: ElementStore) -> None:
    store.replace(
        {
            "a": [element("a", 0, "The committee was debating.", title="Annual review", heading=("Fisheries",))],
            "b": [element("b", 0, "Nothing of that.", title="Other", heading=())],
        },
        {},
        "model",
    )
    for query in ("reviews", "fishery", "debate", "Which committees debated?"):
        assert ids(store.search_keyword(query, 5)) == ["a-0"], query
    assert store.search_keyword("", 5) == store.search_keyword("… ?!", 5) == store.search_keyword("the of", 5) == []


def test_identifiers_and_other_scripts_are_found_by_themselves(store: ElementStore) -> None:
    texts = {
        "P.L. 118-5": "Congress passed P.L. 118–5 in June.",
        "DH-06-12": "Drawing DH-06-12 shows the valve.",
        "1634-04-4": "Cas number 1634-04-4, a solvent.",
        "P12.1.2": "See clause P12.1.2 for details.",
        "知能": "これは人工知能の歴史です。",
        "수도": "서울은 대한민국의 수도입니다.",
        "भाषा": "हिन्दी एक भाषा है।",
        "cafe": "They met in a café.",
    }
    decoys = ["P.L. 117-5 and 118 others", "DH-06-13", "1634-04-5", "P12.1.3", "人間", "서울", "हिन्दी", "coffee"]
    elements = fill(store, "d", [*texts.values(), *decoys])
    wanted = {query: one.id for query, one in zip(texts, elements, strict=False)}
    for tidy in (False, True):
        if tidy:
            store.optimize()
        found = {query: ids(store.search_keyword(query, 1))[0] for query in texts}
        assert found == wanted
        assert store.search_keyword("118-7", 5) == [] or ids(store.search_keyword("118-5", 5))[0] == "d-0"


def test_a_question_of_ten_thousand_characters_is_searched(store: ElementStore) -> None:
    fill(store, "d", ["apple"])
    assert ids(store.search_keyword("apple " + "word-5/7.x " * 900, 5)) == ["d-0"]


def test_rows_written_after_the_last_optimize_are_found(store: ElementStore) -> None:
    fill(store, "a", ["apple one"])
    store.optimize(timedelta(seconds=1))
    fill(store, "b", ["apple two"])
    store.put_vectors({"a-0": vector(5)}, "model")
    assert set(ids(store.search_keyword("apple", 5))) == {"a-0", "b-0"}
    assert ids(store.search_vector(vector(5), 1)) == ["a-0"]
    store.optimize(timedelta(seconds=1))
    assert set(ids(store.search_keyword("apple", 5))) == {"a-0", "b-0"}


def test_many_small_writes_tidy_up_by_themselves(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "_MOST_LOOSE_WRITES", 5)
    store = ElementStore(uri, DIMENSIONS)
    for number in range(12):
        store.replace({f"d{number}": [element(f"d{number}", 0)]}, {}, "model")
    assert len(list(Path(uri).glob("*.lance/data/*.lance"))) >= 1
    assert store.count() == 12
    import lancedb

    fragments = lancedb.connect(uri).open_table("elements").stats()["fragment_stats"]["num_fragments"]
    assert fragments <= 4


def test_optimize_tries_again_when_it_meets_another_commit() -> None:
    answers = iter([RuntimeError("lance error: Retryable commit conflict for version 7"), None])

    def act() -> str:
        error = next(answers)
        if error is not None:
            raise error
        return "done"

    assert table_module.retried(act) == "done"
    with pytest.raises(RuntimeError, match="other"):
        table_module.retried(lambda: (_ for _ in ()).throw(RuntimeError("other")))


def test_threads_may_read_and_write_at_once(store: ElementStore) -> None:
    fill(store, "base", ["apple"] * 1)
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(3):
                document = f"t{number}-{step}"
                store.replace({document: [element(document, 0, f"apple {number}")]}, {}, "model")
                assert store.search_keyword("apple", 50)
                store.search_vector(vector(number), 5)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    store.optimize()
    for thread in threads:
        thread.join()
    assert not problems
    assert store.count() == 13


def test_a_newer_format_is_refused(store: ElementStore, uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_rag.store.schema.FORMAT", 2)
    fill(store, "d", ["apple"])
    with pytest.raises(NewerDataError, match="newer version"):
        ElementStore(uri, DIMENSIONS).count()


def test_a_full_disk_is_told_with_the_folder(store: ElementStore, uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store, "d", ["apple"])

    class Full:
        def count_rows(self, condition: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store._table, "writable", Full)
    with pytest.raises(UserFacingError, match="disk is full") as caught:
        store.replace({"d": []}, {}, "model")
    assert uri in str(caught.value)


def test_a_damaged_index_is_told_with_its_folder(store: ElementStore, uri: str) -> None:
    fill(store, "d", ["apple"])
    store.close()
    for manifest in Path(uri).glob("*.lance/_versions/*"):
        manifest.write_bytes(b"rubbish")
    with pytest.raises(UserFacingError, match="search index") as caught:
        ElementStore(uri, DIMENSIONS, read_only=True).count()
    assert uri in str(caught.value)


def test_elements_are_found_by_other_forms_of_their_words_and_chosen_by_language(store: ElementStore) -> None:
    fill(
        store,
        "d",
        ["Der Vertrag wurde von der Stadt nicht erneuert.", "The contract was not renewed by the town.", "Nummer 12"],
    )
    german = condition(Filters(Terms(languages=("de",))), list)
    others = condition(Filters(unwanted=Terms(languages=("de",))), list)

    assert ids(store.search_keyword("Wo sind die Verträge?", 5)) == ["d-0"]
    assert ids(store.search_vector(vector(1), 5, german)) == ["d-0"]
    assert sorted(ids(store.search_vector(vector(1), 5, others))) == ["d-1", "d-2"]


def test_an_index_of_an_older_version_gets_its_stems(store: ElementStore, uri: str) -> None:
    fill(store, "d", ["Die Häuser wurden von der Stadt verkauft.", "12 14"])
    table = lancedb.connect(uri).open_table(TABLE)
    table.update(values={"words": "die hauser wurden von der stadt verkauft"})
    table.drop_columns(["language"])
    store.close()
    assert store.search_keyword("Wem gehört das Haus?", 5) == []

    store.renew_words()

    assert ids(store.search_keyword("Wem gehört das Haus?", 5)) == ["d-0"]
    store.renew_words()
