"""The part of an element that is quoted: the sentence that meets the question, or a window where none does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from desktop_rag.answer.candidates import Candidate

LONGEST_WINDOW = 500
"""Characters of a quote that is several pieces in a row."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A piece, or a window of several, with how far it meets the question."""

    candidate: Candidate
    rating: float


def best_part(pieces: Sequence[Candidate], rate: Callable[[str], float], enough: float) -> Rated | None:
    """Return the part of one element to quote, given its quotable ``pieces`` in order; None without any.

    A piece that is rated ``enough`` is quoted by itself. Else the answer often stands beside the words of the question:
    then it is the window of neighbouring pieces that meets most of it, and of equals the longest, for what it has more
    is what surrounds the best piece.
    """
    if not pieces:
        return None
    best = max(
        (Rated(piece, rate(piece.text)) for piece in pieces), key=lambda one: (one.rating, len(one.candidate.text))
    )
    if best.rating >= enough:
        return best
    for window in _windows(pieces):
        rating = rate(window.text)
        if (rating, len(window.text)) > (best.rating, len(best.candidate.text)):
            best = Rated(window, rating)
    return best


def _windows(pieces: Sequence[Candidate]) -> list[Candidate]:
    """Return all runs of neighbouring pieces that are short enough, up to the whole element."""
    found = []
    for run in _runs(pieces):
        for first in range(len(run)):
            for last in range(first + 1, len(run)):
                window = Candidate(run[first].hit, run[first].start, run[last].end)
                if window.end - window.start > LONGEST_WINDOW:
                    break
                found.append(window)
    return found


def _runs(pieces: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return the pieces in groups between which nothing was left out."""
    runs: list[list[Candidate]] = [[pieces[0]]]
    for before, piece in pairwise(pieces):
        if piece.hit.element.text[before.end : piece.start].strip(" \n\t|-:"):
            runs.append([])
        runs[-1].append(piece)
    return runs
