"""The real text model: right vectors, from any thread, and clear words when the folder is no model."""

from __future__ import annotations

import json
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from desktop_rag.core.errors import ModelError
from desktop_rag.core.job import Job
from desktop_rag.models import sentence_transformer
from desktop_rag.models.batches import embed_all
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder

pytestmark = pytest.mark.slow

SENTENCES = [
    "The harbour office opened in 1911 and was closed again in 1968.",
    "Rain fell on nineteen days of the month, most of it in the north.",
    "Boats are lifted out of the water once a year to have their hulls cleaned.",
    "日本語の文も読めます。",
    "",
    "a",
]


def texts(count: int) -> list[str]:
    return [f"Note {n}. " + " ".join(SENTENCES[: 1 + n % 3] * (1 + n % 5)) for n in range(count)]


def test_sizes_and_name_are_known_before_the_weights_are_loaded() -> None:
    embedder = SentenceTransformerEmbedder()
    assert (embedder.name, embedder.dimensions, embedder.max_tokens) == ("all-MiniLM-L6-v2", 384, 256)
    assert embedder.count_tokens(["a b c", "word " * 300]) == [5, 302]
    assert embedder._loaded is None


def test_vectors_are_those_of_plain_sentence_transformers(embedder: SentenceTransformerEmbedder) -> None:
    plain = embedder._encoder()
    one_by_one = np.vstack([embedder.embed([text]) for text in SENTENCES])
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(embedder.path), device="cpu", local_files_only=True)
    expected = model.encode(SENTENCES, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
    assert plain.dimensions == 384
    np.testing.assert_allclose(one_by_one, expected, atol=1e-5)


@pytest.mark.parametrize("bfloat16", [False, True])
def test_batches_agree_with_float32_in_either_number_format(tmp_path: Path, bfloat16: bool) -> None:
    cache = tmp_path / "format.json"
    from desktop_rag.models.encoder import _machine

    cache.write_text(json.dumps({"machine": _machine(), "bfloat16": bfloat16}))
    embedder = SentenceTransformerEmbedder(threads=2, cache=cache)
    some = texts(12) + SENTENCES
    vectors = embedder.embed(some)
    exact = np.vstack([embedder.embed([text]) for text in some])
    assert embedder._encoder().half_precision is bfloat16
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(some), 384)
    assert (vectors * exact).sum(axis=1).min() > 0.9999
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_faster_format_is_measured_once_and_remembered(tmp_path: Path) -> None:
    cache = tmp_path / "models" / "format.json"
    SentenceTransformerEmbedder(threads=1, cache=cache).embed(texts(2))
    stored = json.loads(cache.read_text())
    assert isinstance(stored["bfloat16"], bool)
    cache.write_text(cache.read_text().replace("torch", "other"))
    SentenceTransformerEmbedder(threads=1, cache=cache).embed(texts(2))
    assert json.loads(cache.read_text())["machine"] == stored["machine"]


def test_no_texts_give_no_vectors_and_broken_characters_do_no_harm(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)
    assert np.isfinite(embedder.embed(["bad \ud800 name", "\x00"])).all()


def test_a_question_is_answered_while_a_background_batch_runs(embedder: SentenceTransformerEmbedder) -> None:
    embedder.embed(texts(2))
    job, started, done = Job(), threading.Event(), threading.Event()

    def background() -> None:
        embed_all(embedder, texts(600), job, lambda count: started.set())
        done.set()

    thread = threading.Thread(target=background)
    thread.start()
    assert started.wait(60)
    embedder.embed(["When did the harbour office open?"])
    still_running = not done.is_set()
    thread.join()
    assert still_running


def test_many_threads_get_the_same_vectors(embedder: SentenceTransformerEmbedder) -> None:
    some = texts(16)
    expected = np.vstack([embedder.embed([text]) for text in some])
    with ThreadPoolExecutor(8) as pool:
        found = np.vstack(list(pool.map(lambda text: embedder.embed([text]), some)))
        counts = list(pool.map(lambda text: embedder.count_tokens([text]), some))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert counts == [[count] for count in embedder.count_tokens(some)]


def test_the_fingerprint_is_stable_and_follows_the_weights(tmp_path: Path) -> None:
    original = SentenceTransformerEmbedder()
    copy = tmp_path / "model"
    shutil.copytree(original.path, copy)
    before = SentenceTransformerEmbedder(copy).fingerprint
    assert before == SentenceTransformerEmbedder(copy).fingerprint
    assert before.rsplit("-", 1)[1] == original.fingerprint.rsplit("-", 1)[1]
    with (copy / "model.safetensors").open("r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"\x01\x02\x03\x04")
    assert SentenceTransformerEmbedder(copy).fingerprint != before


def test_a_folder_that_is_no_model_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"not the folder of a sentence-transformers model.*settings"):
        SentenceTransformerEmbedder(tmp_path).embed(["x"])


def test_damaged_weights_are_named_with_the_remedy(tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(SentenceTransformerEmbedder().path, copy)
    os.truncate(copy / "model.safetensors", 1_000_000)
    with pytest.raises(ModelError, match=r"model.* cannot be loaded.*may be damaged"):
        SentenceTransformerEmbedder(copy).embed(["x"])


def test_a_model_that_does_not_fit_is_refused_before_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(needed: int, what: str) -> None:
        raise ModelError(f"{what} needs {needed}")

    monkeypatch.setattr(sentence_transformer, "require_memory", refuse)
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2"):
        SentenceTransformerEmbedder().embed(["x"])
