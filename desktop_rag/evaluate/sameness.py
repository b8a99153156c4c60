"""How well the cache of answers tells the same question from one that only looks like it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from desktop_rag.answer.sameness import same_question
from desktop_rag.core.errors import UserFacingError
from desktop_rag.core.paths import resource
from desktop_rag.models.embedder import Embedder


@dataclass(frozen=True, slots=True)
class Family:
    """A question, other wordings of it, and questions that are close to it in words but ask something else."""

    seed: str
    same: tuple[str, ...]
    other: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sameness:
    """What came of the families: pairs of each sort, how many hit, and what cosine alone would have done.

    ``lowest_cosine`` is that of the farthest pair that hit; ``near_miss_cosine`` that of the closest pair that must not
    hit. Where the second is above the first, no threshold on the cosine alone is safe.
    """

    paraphrases: int
    hits: int
    near_misses: int
    wrong_hits: tuple[tuple[str, str], ...]
    lowest_cosine: float
    near_miss_cosine: float
    closeness: float

    @property
    def recommended(self) -> float:
        """The largest closeness that loses none of the hits, to two digits."""
        return math.floor(self.lowest_cosine * 100) / 100

    def as_json(self) -> dict[str, object]:
        """Return the measurement in plain values."""
        return {
            "paraphrases": self.paraphrases,
            "hits": self.hits,
            "hit_rate": round(self.hits / self.paraphrases, 4),
            "near_misses": self.near_misses,
            "wrong_hits": [list(pair) for pair in self.wrong_hits],
            "lowest_cosine": round(self.lowest_cosine, 4),
            "near_miss_cosine": round(self.near_miss_cosine, 4),
            "closeness": self.closeness,
            "recommended": self.recommended,
        }


def load_families(path: Path | None = None) -> tuple[Family, ...]:
    """Read families of questions from JSON lines; None means those that come along.

    Raises UserFacingError when the file is not as it should be.
    """
    path = path or resource("calibration", "same_questions.jsonl")
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return tuple(Family(row["seed"], tuple(row["same"]), tuple(row["other"])) for row in rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserFacingError(
            f'{path} cannot be read as questions ({error}). Each line needs {{"seed": …, "same": […], "other": […]}}.'
        ) from error


def measure(families: Sequence[Family], embedder: Embedder, closeness: float) -> Sameness:
    """Ask for every pair whether the one would be answered with the answer to the other.

    Right pairs are all wordings of a family among each other; wrong ones each wording with each near miss, and every
    question of one family with every one of another.
    """
    hits, wrong, right_cosines, wrong_cosines, paraphrases, near = 0, [], [], [], 0, 0
    for family in families:
        wordings = (family.seed, *family.same)
        vectors = embedder.embed([*wordings, *family.other])
        for one, other in combinations(range(len(wordings)), 2):
            paraphrases += 1
            cosine = float(vectors[one] @ vectors[other])
            if cosine >= closeness and same_question(wordings[one], wordings[other]):
                hits += 1
                right_cosines.append(cosine)
        for one, wording in enumerate(wordings):
            for other, question in enumerate(family.other, len(wordings)):
                near += 1
                wrong_cosines.append(float(vectors[one] @ vectors[other]))
                if same_question(wording, question):
                    wrong.append((wording, question))
    wrong += _across(families)
    return Sameness(
        paraphrases,
        hits,
        near,
        tuple(wrong),
        min(right_cosines, default=1.0),
        max(wrong_cosines, default=0.0),
        closeness,
    )


def _across(families: Sequence[Family]) -> list[tuple[str, str]]:
    return [
        (one, other)
        for first, second in combinations(families, 2)
        for one in (first.seed, *first.same, *first.other)
        for other in (second.seed, *second.same, *second.other)
        if same_question(one, other)
    ]
