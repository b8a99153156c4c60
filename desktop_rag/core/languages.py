"""Which language a text is in, guessed from its function words: cheap enough for every element and every question.

Only the languages whose words full-text search knows how to shorten are told apart. A text that shows none of them
clearly - a table of numbers, a name, Japanese - has no language here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from desktop_rag.core.words import fold

_FUNCTION_WORDS = {
    "en": """a an and are as at be been but by can could did do does for from had has have how if in into is it its many
        may more most much must not of on or our shall should than that the their them then there these they this those
        to under was we were what when where which while who whose why will with would you your""",
    "de": """als auch auf aus bei beim bis dann das dass dem den der dieser diese dieses diesem diesen durch ein eine
        einem einen einer eines er fur gegen haben ich ihr ihre im ins ist ja kann kein keine konnen mein mich muss nach
        nicht noch nur oder ohne sein seine sich sie sind soll sollen uber um und uns unter vom von vor wann warum was
        welche welchem welchen welcher welches wenn wer werden wie wieso wieviel wir wird wo wurde wurden zu zum zur
        zwischen""",
    "fr": """au aux avec c ce ces cette combien comment d dans de des dois du elle en est et etre fait faut il ils j je
        la le les leur l ma mais mon n ne nous ou par pas pour pourquoi quand que quel quelle quelles quels qui quoi
        qu sa sans se ses son sont sur un une vous""",
    "es": """al como con cual cuales cuando cuanta cuantas cuanto cuantos de del donde el ella en entre era es esta
        estan este esto estos fue fueron han hasta hay la las le lo los mas muy o para pero por porque que quien quienes
        se sobre son su sus un una unas uno unos y ya""",
}  # fmt: skip

_AMBIGUOUS = {
    "de": "am an die des es hat in man mit so war",
    "fr": "a en on plus",
    "es": "a en me no sin solo",
}
"""Function words that are as common in another language or mean something there, so that they tell nothing."""

_LETTERS = {"de": "äöüß", "fr": "àâçèêîôùûœ", "es": "áíñóú¿¡"}
"""Letters that the others do not have; a word with one of them tells as much as a function word."""

LANGUAGES = tuple(_FUNCTION_WORDS)
"""Codes of ISO 639-1."""

_WORD = re.compile(r"[¿¡]?[^\W\d_]+")
_LEAST, _LEAST_SHARE = 2, 0.06
_MOST_CHARACTERS = 2_000


@lru_cache(maxsize=1)
def _words() -> Mapping[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}


def function_words(language: str) -> frozenset[str]:
    """Return the commonest words of a language, folded; none for a language that is not one of :data:`LANGUAGES`."""
    return _words().get(language, frozenset()) | frozenset(_AMBIGUOUS.get(language, "").split())


def language_of(text: str, least: int = _LEAST) -> str:
    """Return the language of ``text``, or "" when it shows none clearly.

    At least ``least`` of its words, and 6 in a hundred, must be function words of the language, more than of any other.
    """
    written = _WORD.findall(text[:_MOST_CHARACTERS].casefold())
    words = [fold(word.lstrip("¿¡")) for word in written]
    counts = {language: sum(word in known for word in words) for language, known in _words().items()}
    for language, letters in _LETTERS.items():
        counts[language] += sum(not set(letters).isdisjoint(word) for word in written)
    first, second = sorted(counts, key=lambda language: -counts[language])[:2]
    enough = counts[first] >= max(least, _LEAST_SHARE * len(words), counts[second] + 1)
    return first if enough else ""
