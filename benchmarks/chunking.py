"""``python -m benchmarks.chunking [QUESTIONS.jsonl ROOT]``: which pieces of documents are best found by meaning.

Reads the files that answer the questions, cuts them in several ways, embeds the pieces with the text model, ranks them
by cosine, and prints how often the right page comes first. No index is made and nothing is kept. Without arguments the
samples of the program are used. Choose again for another model with ``--model FOLDER``. Scans count as far as they
hold text: none is recognised here.

- *size*: the most tokens of a piece; *without prefix*: embedded without its title and headings.
- *parent*: small pieces are matched, and the larger piece that holds the best of them is handed over.
- *late*: each token is embedded within as many neighbouring pieces of its page as the model can read at once, and a
  piece gets the mean of its tokens (Günther and others, "Late Chunking", 2024). The tokens'
  vectors have length 1.

*answer in 5*: the answer, as the question set words it, stands in the first five pieces that are handed over.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Element, Hit, ReadDocument, Route
from desktop_rag.evaluate.gold import holds_gold
from desktop_rag.evaluate.metrics import summarise
from desktop_rag.evaluate.questions import Question, load_questions
from desktop_rag.evaluate.runner import judge
from desktop_rag.ingest.chunks import chunk
from desktop_rag.ingest.readers import find_reader
from desktop_rag.models.embedder import Vectors
from desktop_rag.models.sentence_transformer import SentenceTransformerEmbedder

ASSETS = Path(__file__).resolve().parent.parent / "assets"
_HANDED_OVER = 5


@dataclass(frozen=True, slots=True)
class Passages:
    """Pieces with their vectors, shape (n, dimensions), and for each the piece that is handed over when it is found."""

    name: str
    pieces: tuple[Element, ...]
    vectors: Vectors
    parents: tuple[Element, ...]

    def ranking(self, question: Vectors) -> list[tuple[Element, float]]:
        """Return what is handed over, best first, each once, with the cosine of its best piece."""
        scores = self.vectors @ question
        best: dict[str, tuple[Element, float]] = {}
        for at in np.argsort(-scores, kind="stable"):
            best.setdefault(self.parents[at].id, (self.parents[at], float(scores[at])))
        return list(best.values())


def cut(documents: dict[str, ReadDocument], size: int) -> tuple[Element, ...]:
    """Return the pieces of all documents, which are known by their files."""
    return tuple(piece for file, document in documents.items() for piece in chunk(file, document, size))


def plain(pieces: tuple[Element, ...], embedder: SentenceTransformerEmbedder, name: str) -> Passages:
    """Embed each piece by itself, with its title and headings."""
    return Passages(name, pieces, embedder.embed([one.retrieval_text for one in pieces]), pieces)


def bare(pieces: tuple[Element, ...], embedder: SentenceTransformerEmbedder, name: str) -> Passages:
    """Embed each piece by itself, and nothing but its text."""
    return Passages(name, pieces, embedder.embed([one.text for one in pieces]), pieces)


def with_parents(small: Passages, large: Sequence[Element], name: str) -> Passages:
    """Let each piece of ``small`` stand for the piece of ``large`` on its page that has most of its words."""
    by_page: dict[tuple[str, int], list[Element]] = {}
    for one in large:
        by_page.setdefault((one.document, one.page), []).append(one)
    parents = tuple(_parent(one, by_page.get((one.document, one.page), [])) for one in small.pieces)
    return replace(small, name=name, parents=parents)


def _parent(piece: Element, candidates: Sequence[Element]) -> Element:
    words = set(piece.text.split())
    return max(candidates, key=lambda one: len(words.intersection(one.text.split())), default=piece)


def late(pieces: tuple[Element, ...], embedder: SentenceTransformerEmbedder, name: str) -> Passages:
    """Embed each piece as the mean of its tokens within its neighbours of the page."""
    vectors: dict[str, Vectors] = {}
    for window in _windows(pieces, embedder):
        text, places = _written(window)
        (tokens,) = embedder.token_vectors([text])
        for piece, (start, end) in zip(window, places, strict=True):
            mine = [start <= first < last <= end for first, last in tokens.offsets]
            vectors[piece.id] = (
                _unit(tokens.vectors[mine].mean(axis=0)) if any(mine) else embedder.embed([piece.text])[0]
            )
    return Passages(name, pieces, np.stack([vectors[one.id] for one in pieces]), pieces)


def _windows(pieces: Sequence[Element], embedder: SentenceTransformerEmbedder) -> Iterator[list[Element]]:
    """Yield neighbours of one page, as many at a time as the model reads whole."""
    window: list[Element] = []
    room = 0
    for piece, tokens in zip(pieces, embedder.count_tokens([one.retrieval_text for one in pieces]), strict=True):
        same = bool(window) and (window[-1].document, window[-1].page) == (piece.document, piece.page)
        if window and (not same or tokens > room):
            yield window
            window = []
        if not window:
            room = embedder.max_tokens
        window.append(piece)
        room -= tokens
    if window:
        yield window


def _written(window: Sequence[Element]) -> tuple[str, list[tuple[int, int]]]:
    """Return a window's text after the title and headings of its first piece, and where each piece stands in it."""
    first = window[0]
    text = first.retrieval_text.removesuffix(first.text)
    places = []
    for piece in window:
        places.append((len(text), len(text) + len(piece.text)))
        text += piece.text + "\n"
    return text, places


def _unit(vector: Vectors) -> Vectors:
    return vector / max(float(np.linalg.norm(vector)), 1e-12)


def row(passages: Passages, questions: Sequence[Question], embedder: SentenceTransformerEmbedder) -> str:
    """Return the line of the table for one way of cutting."""
    vectors = {one.question: embedder.embed([one.question])[0] for one in questions}

    def search(question: str, *, route: Route, k: int) -> Sequence[Hit]:
        found = passages.ranking(vectors[question])[:k]
        return [Hit(rank, score, route, one, one.document) for rank, (one, score) in enumerate(found, start=1)]

    judged = [judge(search, one, Route.TEXT, one.file or "").judged for one in questions]
    handed_over = ((one, passages.ranking(vectors[one.question])[:_HANDED_OVER]) for one in questions)
    answered = sum(holds_gold(one, [piece.text for piece, _ in pieces]) for one, pieces in handed_over)
    measures = summarise(judged).measures
    cells = " | ".join(f"{measures[key].value:.3f}" for key in ("hit@1", "hit@5", "mrr@10"))
    return f"| {passages.name} | {len(passages.pieces)} | {cells} | {answered / len(questions):.3f} |"


def ways(
    documents: dict[str, ReadDocument], sizes: Sequence[int], embedder: SentenceTransformerEmbedder
) -> Iterator[Passages]:
    """Yield every way of cutting and embedding."""
    cuts = {size: cut(documents, size) for size in sizes}
    small = None
    for size, pieces in cuts.items():
        whole = plain(pieces, embedder, f"{size} tokens")
        small = small or whole
        yield whole
        yield bare(pieces, embedder, f"{size} tokens, without prefix")
        yield late(pieces, embedder, f"{size} tokens, late")
    if small is not None:
        for size, pieces in list(cuts.items())[1:]:
            yield with_parents(small, pieces, f"{sizes[0]} tokens, parent of {size}")


def read(files: Sequence[Path], root: Path) -> dict[str, ReadDocument]:
    """Return the files that can be read, by their paths under ``root`` as questions name them."""
    documents: dict[str, ReadDocument] = {}
    for path in files:
        try:
            documents[path.relative_to(root).as_posix()] = find_reader(path).read(path, None)
        except ReadError as error:
            print(f"left out: {error}")
    return documents


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunking", description=__doc__)
    parser.add_argument("questions", type=Path, nargs="?", default=ASSETS / "samples-questions.jsonl")
    parser.add_argument("root", type=Path, nargs="?", default=ASSETS)
    parser.add_argument("--files", type=int, default=0, help="only the N smallest files; 0 means all")
    parser.add_argument("--sizes", default="64,160,240", help="tokens of a piece, the smallest first")
    parser.add_argument("--model", type=Path, default=None, help="folder of a sentence-transformers model")
    given = parser.parse_args()
    asked = [one for one in load_questions(given.questions) if one.answerable and not one.history]
    names = sorted({one.file for one in asked if one.file}, key=lambda name: (given.root / name).stat().st_size)
    documents = read([given.root / name for name in names[: given.files or None]], given.root)
    asked = [one for one in asked if one.file in documents]
    embedder = SentenceTransformerEmbedder(given.model, 2)
    print(f"{len(asked)} questions over {len(documents)} files, {embedder.name}")
    print("| way | pieces | hit@1 | hit@5 | mrr@10 | answer in 5 |\n|---|---:|---:|---:|---:|---:|")
    for passages in ways(documents, [int(size) for size in given.sizes.split(",")], embedder):
        print(row(passages, asked, embedder), flush=True)


if __name__ == "__main__":
    main()
