"""Words of German, French and Spanish without their endings, beside which the index knows English by itself.

Stems are the Snowball ones (https://snowballstem.org). They stand beside the words, so that a word is found as it is
written, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from desktop_rag.core.languages import function_words
from desktop_rag.core.words import fold

_ALGORITHMS = {"de": "german", "fr": "french", "es": "spanish"}
_WORD = re.compile(r"[^\W\d_]{3,40}")


def stems(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield each word of ``text`` that differs from its stem, and the stem, both folded; none for other languages."""
    if language in _ALGORITHMS:
        common = function_words(language)
        for word in _WORD.findall(text):
            folded = fold(word)
            if folded not in common and (stem := _stem(word.casefold(), language)) != folded:
                yield folded, stem


@lru_cache(maxsize=65536)
def _stem(word: str, language: str) -> str:
    import snowballstemmer

    # A stemmer keeps the word that it works on, so it cannot be shared among threads.
    stem: str = snowballstemmer.stemmer(_ALGORITHMS[language]).stemWord(word)
    return fold(stem)
