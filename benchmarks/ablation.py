"""``python -m benchmarks.ablation QUESTIONS.jsonl ROOT WORKSPACE``: each part of ``best`` switched off in turn.

Prints the table of docs/search-quality.md for a workspace that holds the documents of ROOT. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.open_index import OpenIndex, arguments, open_index
from desktop_rag.core.types import Hit, Route
from desktop_rag.evaluate.metrics import Metrics, summarise
from desktop_rag.evaluate.questions import Question, load_questions
from desktop_rag.evaluate.runner import judge
from desktop_rag.retrieve.agreement import Weights
from desktop_rag.retrieve.best import BestRoute, Rules
from desktop_rag.retrieve.retriever import Retriever
from desktop_rag.retrieve.routes import HybridRoute, SearchRoute

Variant = tuple[str, SearchRoute]


def variants(index: OpenIndex) -> list[Variant]:
    """Return the whole route, each part of it switched off, and the routes that it is built on."""
    text, keyword, hybrid = index.text, index.keyword, HybridRoute([index.text, index.keyword])

    def best(rules: Rules | None = None, parts: HybridRoute = hybrid) -> BestRoute:
        return BestRoute(parts, index.elements, index.vectors, rules=rules)

    return [
        ("best", best()),
        ("without the cosine", best(Rules(Weights(cosine=0.0)))),
        ("without the covered words", best(Rules(Weights(coverage=0.0)))),
        ("without the agreement of ranks", best(Rules(Weights(agreement=0.0)))),
        ("without the place of a clear keyword hit", best(Rules(clear_first=False))),
        ("without joining and folding", best(Rules(merge=False))),
        ("without keyword search", best(parts=HybridRoute([text]))),
        ("without search by meaning", best(parts=HybridRoute([keyword]))),
        ("hybrid", hybrid),
        ("text", text),
        ("keyword", keyword),
    ]


def measure(index: OpenIndex, route: SearchRoute, asked: Sequence[tuple[Question, str]]) -> Metrics:
    """Return the measures of ``route`` over questions and the files that answer them."""
    retriever = Retriever([route], index.shown)

    def search(question: str, *, route: Route, k: int) -> Sequence[Hit]:
        return retriever.search(question, route, k)

    return summarise([judge(search, question, route.route, file).judged for question, file in asked])


def main() -> None:
    """Measure and print the table."""
    given = arguments("ablation", __doc__)
    with open_index(given.workspace) as index:
        asked = index.answerable(load_questions(given.questions), given.root)
        print(f"| {len(asked)} questions | hit@1 | hit@5 | mrr@10 |\n|---|---:|---:|---:|")
        for name, route in variants(index):
            measures = measure(index, route, asked).measures
            cells = " | ".join(f"{measures[key].value:.3f}" for key in ("hit@1", "hit@5", "mrr@10"))
            print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
