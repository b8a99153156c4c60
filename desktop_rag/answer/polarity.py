"""Which way a sentence points: negations, words and their opposites, "at least" against "at most"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, zip_longest

from desktop_rag.answer.facts import find_names
from desktop_rag.answer.german import dropped_attribute, is_german
from desktop_rag.answer.opposites import opposites, same_way
from desktop_rag.answer.quantities import Quantity, find_quantities
from desktop_rag.core.words import content_words, fold, stem, tokens

_NOT = re.compile(
    r"\b(?:not(?! only\b| (?:more|less|fewer|later|earlier|exceed\w*)\b)"
    r"|no(?!\.|\s+(?:more|less|fewer|later|earlier)\b)|cannot|never|none|neither|nor|nobody|nothing|nowhere|kein\w*"
    r"|nicht(?! nur\b)|nie|niemals|weder|kaum|niemand|nichts)\b"
    r"|n't\b|ない|ません|(?<!\w)不(?=\w)"
)
_WITHOUT = re.compile(r"\b(?:[Ww]ithout(?P<what>(?:\W+\w+){0,3})|[Oo]hne(?P<was>(?:\s[a-zäöüß]+){0,2}\s\w+))")
_AS_IF_NOT = re.compile(
    r"\b(?:prohibit\w*|forbid\w*|forbade|bann?ed|bans?|unable|fail(?:s|ed|ing|ure)?|lack(?:s|ed|ing)?|refus\w+"
    r"|den(?:y|ies|ied)|impossible|unlawful|illegal|invalid|except(?:ing)?|exclud\w+|unless|untested|unsupported"
    r"|unavailable|unnecessary|absent|absence|free of|stop(?:s|ped)?|instead|rather than|verboten|unzulassig)\b"
)
_CLAUSE = re.compile(
    r"[;:()\n|]|,(?!\d)|(?<=\w)\.\s|\s[-–—]\s"
    r"|\b(?:but|while|whereas|although|though|because|and|or|which|aber"
    r"|während(?! (?:des|der|eines|einer)\b)|obwohl|weil|und|oder|sondern)\b"
)
_BETWEEN = re.compile(r"\b(?:between|zwischen)\s+\d{4}(?:(?!\b(?:and|und)\b)[^,;.]){0,25}$")
"""What "and" follows without beginning a clause."""
_BUT_NOT = re.compile(
    r"(?:,\s*(?:but\s+|aber\s+)?|but\s+|aber\s+)(?:not|nicht)\s+"
    r"(?:(?:on|in|at|for|to|by|with|am|im|fur)\s+)?(?:\w+\W*){1,3}$"
)
"""", not on Sundays": says the opposite of the clause before it of something else."""
_RESTRICTION = re.compile(
    r"\b(?:in|on|at|for|to|during|from|with|under|until|before|after|im|am|bei|fur|mit)\s+((?:\w+\W+){0,3}\w+)"
)
_AT_MOST = re.compile(
    r"\b(?:at most|up to|no(?:t)? (?:more|later) than|(?:may |must |shall )?not exceed\w*|maximum(?: of)?"
    r"|(?<!no )(?<!not )less than|(?<!no )(?<!not )fewer than|under|below|within|hochstens|maximal|weniger als"
    r"|bis zu|unter)\s+"
)
_AT_LEAST = re.compile(
    r"\b(?:at least|no(?:t)? (?:less|fewer|earlier) than|minimum(?: of)?|(?<!no )(?<!not )more than|over|above"
    r"|(?<!not )exceed\w*|greater than|mindestens|mehr als|uber)\s+"
)
_SET_LIMIT = (
    r"(?:(?:the|a|an|its|der|die|das) )?(?:\w+ ){0,3}?"
    r"(?:limit|level|threshold|target|average|grenzwert) (?:of|von)\s+"
)
"""What may stand between "below" and its number: "below the federal limit of 10"."""
_NEARLY_ALL = 0.8
_OR_MORE = re.compile(r"(?:\s[^\s\d]+){0,3}\s(?:or more|or above|and over|oder mehr)\b")
_OR_LESS = re.compile(r"(?:\s[^\s\d]+){0,3}\s(?:or less|or fewer|or below|oder weniger)\b")
_SAYS_UPPER = re.compile(
    rf"{_AT_MOST.pattern}|{_OR_LESS.pattern}"
    r"|\b(?:maxim\w+|limit\w*|no(?:t)? more|most|not exceed|hochste\w*|below|under|threshold|grenzwert)\b"
)
_SAYS_LOWER = re.compile(
    rf"{_AT_LEAST.pattern}|{_OR_MORE.pattern}"
    r"|\b(?:minim\w+|exceed\w*|least|no(?:t)? (?:less|fewer)|mindest\w*|above|over|limit|threshold|grenzwert)\b"
)
"""These and the negations are searched in folded text, so they are written without accents."""

_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?|got)\s+(?:(?:not|also|then|first|finally|fully|\w+ly)\s+)?(?P<verb>\w{3,}ed)\b"
)
_ACTIVE = re.compile(
    r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!been )(?<!being )\b(?P<verb>\w{3,}ed)\s+"
    r"(?:the|a|an|this|that|these|those|its|his|her|their|our|all|both|every|each|[a-z]+ing|\d[\d.,]*)\s+\w"
)
"""Searched in folded text. Only regular verbs: whether "put" is active cannot be seen."""

_SAME_DEGREES = """
all/every/each/entire/entirely/whole/any/alle/jeder/jede/jedes only/solely/alone/sole/just/nur
most/mostly/main/mainly/chiefly/majority/largest/highest/greatest/meist/meisten
highest/largest/greatest/maximum/most/top/peak/hochste/grosste lowest/smallest/least/minimum/niedrigste/kleinste
always/ever/every/stets/immer often/frequently/usually/oft rarely/seldom/selten first/initial/initially/erste
last/final/finally/latest/letzte best worst longest shortest
"""
_THAN = re.compile(r"\b(?:than|als)\s+(?:(?:the|an?|der|die|das|den|dem|im|in|firma|frau|herr)\s+){0,2}(?P<thing>\w+)")
_MORE_OR_LESS = frozenset(stem(word) for word in ("more", "less", "fewer", "mehr", "weniger"))
_DEGREES = tuple(frozenset(group.split("/")) for group in _SAME_DEGREES.split())
"""Words of rank and extent, folded; those of one group can stand for each other."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a text with one thing to say: the stems of its content words, and whether it denies.

    ``half_denied`` are its words that deny by their meaning, such as "stopped".
    """

    text: str
    words: frozenset[str]
    denied: bool
    half_denied: frozenset[str]
    without: bool
    lacking: frozenset[str] = frozenset()
    """The words behind "without"."""

    def denies(self, lightly: bool, beside: Clause) -> bool:
        """Return whether a negation stands here; "without" or "stopped", if ``beside`` has it too, does not count."""
        by_meaning = lightly and bool(self.half_denied - beside.half_denied)
        return self.denied or by_meaning or (self.without and not beside.without)

    def is_left_out_of(self, said: Clause) -> bool:
        """Return whether all that this clause denies is what ``said`` leaves out: "without" something else."""
        return self.without and not (self.denied or said.without or self.lacking & said.words)


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of ``text``. A fragment that says nothing by itself stays with its neighbour.

    A fragment is complete when it has two words of its own, or one and a number ("Norway 80,000").
    """
    plain = fold_same_length(text)
    starts = [at for match in _CLAUSE.finditer(plain) if not _BETWEEN.search(plain[: (at := match.start())])]
    borders = [0, *starts, len(text)]
    pieces: list[str] = []
    waiting = ""
    for (start, end), following in zip_longest(pairwise(borders), borders[2:]):
        piece = waiting + text[start:end]
        waiting = ""
        if piece[:1] in ";." and following is not None and text[end : end + 1] == "," and not _complete(piece):
            waiting = piece  # "; in 2024, it made 17": what opens a clause goes with what follows
        elif pieces and _BUT_NOT.match(fold_same_length(piece)) and content_words(piece):
            pieces.append(_without_last_word(pieces[-1]) + piece)
        elif pieces and not (_complete(piece) and _complete(pieces[-1])):
            pieces[-1] += piece
        elif piece.strip():
            pieces.append(piece)
    return tuple(_clause(piece) for piece in pieces)


def _without_last_word(text: str) -> str:
    """Return ``text`` without its last word and its numbers: that of which "not on Sundays" says what is not so."""
    return re.sub(r"\d\S*", "", re.sub(r"\s*\S+\s*$", "", text))


def _complete(piece: str) -> bool:
    words = [word for word in content_words(piece) if not word[0].isdigit()]
    return len(words) > 1 or (len(words) == 1 and any(char.isdigit() for char in piece))


def fold_same_length(text: str) -> str:
    """Return ``text`` in lower case with every character still at its place."""
    return "".join(lower if len(lower := char.lower()) == 1 else char for char in text).replace("’", "'")


def contradiction(sentence: str, evidence: str) -> str:
    """Return why ``sentence`` points the other way than ``evidence``, or "" when it does not."""
    theirs = clauses(evidence)
    for clause in clauses(sentence):
        nearest = _nearest(clause, theirs)
        if nearest is None:
            continue
        if clause.denies(False, nearest) and not nearest.denies(True, clause):
            return "it denies what the evidence says"
        if nearest.denies(False, clause) and not clause.denies(True, nearest) and not nearest.is_left_out_of(clause):
            return "it says what the evidence denies"
        opposite = _opposite(clause.text, evidence)
        if opposite and clause.denies(False, nearest) == nearest.denies(False, clause):
            return opposite
    if _widens_a_denial(sentence, theirs):
        return "it denies of all what the evidence denies of a part"
    if _says_the_denied(sentence, theirs):
        return "it says what the evidence denies"
    return _crossed(sentence, evidence) or _crossed_clauses(sentence, theirs) or _other_way(sentence, evidence)


def turned_voice(sentence: str, evidence: str) -> str:
    """Return why ``sentence`` makes of who does something who has it done to them, or the other way, or "".

    "The pump replaced the boiler" does not carry "The pump was replaced", but "The boiler was replaced": what the
    sentence is about must stand behind the verb there, and behind "by" where the evidence is the passive one. A verb
    counts as active where an object follows it, as passive behind a form of "to be"; what is neither tells nothing.
    """
    ours, theirs = fold(sentence), fold(evidence)
    for mine, other, behind in ((_PASSIVE, _ACTIVE, "verb"), (_ACTIVE, _PASSIVE, "agent")):
        same = {stem(match.group("verb")) for match in mine.finditer(theirs)}
        turned = {stem(match.group("verb")): match for match in other.finditer(theirs)}
        for match in mine.finditer(ours):
            verb = stem(match.group("verb"))
            if verb in same or verb not in turned:
                continue
            subject = set(content_words(ours[: match.start()]))
            if not subject & set(content_words(_behind(theirs, turned[verb], behind))):
                return f"it turns round who does what in '{match.group('verb')}'"
    return ""


def _behind(text: str, verb: re.Match[str], what: str) -> str:
    """Return what stands behind a verb in its sentence, or behind the "by" that follows it."""
    rest = re.split(r"[.;!?](?:\s|$)", text[verb.end("verb") :], maxsplit=1)[0]
    return rest if what == "verb" else rest.partition(" by ")[2]


def unsaid_degree(sentence: str, evidence: str) -> str:
    """Return the word of rank or extent ("most", "only", "always") that ``sentence`` adds to ``evidence``, or ""."""
    known = set(tokens(evidence))
    for token in tokens(sentence):
        groups = [group for group in _DEGREES if token in group]
        if groups and not any(known & group for group in groups):
            return f"it says '{token}', which the evidence does not"
    return ""


def _clause(text: str) -> Clause:
    folded = fold(text)
    half_denied = frozenset(stem(match.group()) for match in _AS_IF_NOT.finditer(folded))
    denied, without = _NOT.search(folded) is not None, list(_WITHOUT.finditer(text))
    lacking = frozenset(word for match in without for word in content_words(match["what"] or match["was"]))
    return Clause(text, frozenset(content_words(text)), denied, half_denied, bool(without), lacking)


def _nearest(clause: Clause, others: Sequence[Clause]) -> Clause | None:
    """Return the clause that shares most words with ``clause``; of equals, one that denies as it does."""
    best, shared = None, (0, False)
    for other in others:
        score = (len(clause.words & other.words), other.denies(True, clause) == clause.denies(True, other))
        if score[0] and score > shared:
            best, shared = other, score
    return best


def _says_the_denied(sentence: str, theirs: Sequence[Clause]) -> bool:
    """Return whether a denied clause is said without a denial: nearly all its words, or a name that only it has."""
    whole = _clause(sentence)
    if whole.denied or whole.half_denied:
        return False
    affirmed = {word for other in theirs if not other.denied for word in other.words}
    names = set(find_names(sentence)) - affirmed
    return any(
        bool(names & other.words) or len(other.words & whole.words) >= _NEARLY_ALL * max(1, len(other.words))
        for other in theirs
        if other.denied
    )


def _widens_a_denial(sentence: str, theirs: Sequence[Clause]) -> bool:
    """Return whether ``sentence`` leaves out for what something is denied: "no flowers" of "no flowers in room 3"."""
    words = set(content_words(sentence))
    for clause in clauses(sentence):
        nearest = _nearest(clause, theirs) if clause.denied else None
        if nearest is None or not nearest.denied:
            continue
        restrictions = (set(content_words(match[1])[:2]) for match in _RESTRICTION.finditer(fold(nearest.text)))
        if any(restriction and not restriction & words for restriction in restrictions):
            return True
        if is_german(sentence, nearest.text) and dropped_attribute(sentence, nearest.text):
            return True
    return False


def _opposite(sentence: str, evidence: str) -> str:
    said = [(token, stem(token)) for token in tokens(sentence)]
    known = {stem(token) for token in tokens(evidence)}
    ours = {word for _, word in said}
    for token, word in said:
        against = opposites(word) & known - ours
        if word not in known and against and not same_way(word) & known:
            return f"it says '{token}' where the evidence says the opposite"
    return ""


def _crossed(sentence: str, evidence: str) -> str:
    """Return why a word goes with another thing than in the evidence, which has it and its opposite, or "".

    "The server weekly and the files daily" does not carry "the files weekly": what follows the same word there decides.
    """
    said, known = ([stem(token) for token in tokens(text)] for text in (sentence, evidence))
    parts = [[stem(token) for token in tokens(text)] for text in re.split(r",\s", evidence)]
    for before, word in pairwise(said):
        against = opposites(word) & set(known)
        if not against or word not in known or (word in _MORE_OR_LESS and _THAN.search(fold(sentence))):
            continue  # a comparison is judged by what stands behind "than"
        following = [
            next((other for other in part[at:] if other == word or other in against), word)
            for part in parts
            for at, other in enumerate(part)
            if other == before
        ]
        if following and all(other in against for other in following):
            return f"what it says of '{before}' the evidence says of something else"
    return ""


def _turned_comparison(sentence: str, evidence: str) -> str:
    """Return why ``sentence`` says "more than X" where the evidence says "less than X", or ""."""
    theirs = _compared(evidence)
    for word, thing in _compared(sentence):
        known = [other for other, compared in theirs if compared == thing]
        if known and word not in known and opposites(word) & set(known):
            return f"it says '{word}' than '{thing}', the evidence the opposite"
    return ""


def _compared(text: str) -> list[tuple[str, str]]:
    """Return the stems of each word that compares and of the thing that stands behind "than"."""
    folded, found = fold(text), []
    for than in _THAN.finditer(folded):
        words = [stem(token) for token in tokens(folded[: than.start()])]
        word = next((one for one in reversed(words) if opposites(one)), "")
        if word:
            found.append((word, stem(than["thing"])))
    return found


def _crossed_clauses(sentence: str, theirs: Sequence[Clause]) -> str:
    """Return why a word goes with what the evidence says, in another clause, with its opposite, or "".

    "They rejected the road and approved the path" does not carry "They approved the road": what was approved is left
    out, and what was rejected is nearer.
    """
    said = set(content_words(sentence))
    for clause in clauses(sentence):
        for word in sorted(clause.words):
            against = opposites(word)
            alike = same_way(word) | {word}
            own = [one.words for one in theirs if alike & one.words and not against & one.words]
            others = [one.words for one in theirs if against & one.words and not alike & one.words]
            nearest = max((len(clause.words & words) for words in others), default=0)
            if own and all(words - said and len(clause.words & words) <= nearest for words in own):
                return f"the evidence says the opposite of '{word}' of this"
    return ""


def _other_way(sentence: str, evidence: str) -> str:
    return _turned_comparison(sentence, evidence) or _bounds(sentence, evidence)


def _bounds(sentence: str, evidence: str) -> str:
    """Return why a limit ("at least", "up to") of ``sentence`` is not the evidence's, or is lost, or ""."""
    lost = _lost_bound(sentence, evidence)
    if lost:
        return lost
    for name, mine, opposite in (("an upper", _AT_MOST, _AT_LEAST), ("a lower", _AT_LEAST, _AT_MOST)):
        theirs = _bounded(mine, evidence)
        for limit in _bounded(mine, sentence):
            if not any(limit.same_number(known) for known in theirs):
                turned = any(limit.same_number(known) for known in _bounded(opposite, evidence))
                return f"{name} limit of {limit.text} is {'the other way round' if turned else 'not'} in the evidence"
    return ""


def _lost_bound(sentence: str, evidence: str) -> str:
    """Return why a number of ``sentence`` lacks the limit that it has wherever it stands in the evidence, or ""."""
    known = list(find_quantities(fold(evidence)))
    for name, limit, said in (("upper", _AT_MOST, _SAYS_UPPER), ("lower", _AT_LEAST, _SAYS_LOWER)):
        theirs = _bounded(limit, evidence)
        if not theirs or said.search(fold(sentence)):
            continue
        for quantity in find_quantities(fold(sentence)):
            places = sum(quantity.same_number(one) for one in known)
            if places and places == sum(quantity.same_number(one) for one in theirs):
                return f"it leaves out that {quantity.text} is {'an' if name == 'upper' else 'a'} {name} limit"
    return ""


def _bounded(limit: re.Pattern[str], text: str) -> list[Quantity]:
    """Return the quantities of ``text`` that ``limit`` stands before, or "or more" / "or less" behind."""
    folded = fold(text)
    ends = {match.end() for match in limit.finditer(folded)}
    ends |= {far.end() for end in tuple(ends) if (far := re.compile(_SET_LIMIT).match(folded, end))}
    behind = _OR_MORE if limit is _AT_LEAST else _OR_LESS
    found = []
    for quantity in find_quantities(folded):
        after = folded[quantity.start + len(quantity.text) :]
        if quantity.start in ends or behind.match(after):
            found.append(quantity)
    return found
