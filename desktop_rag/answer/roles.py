"""Whether a name plays the part in a sentence that it plays in the evidence: "for Haddad" is not "Haddad orders"."""

from __future__ import annotations

import re

from desktop_rag.core.words import fold

_PART = re.compile(
    r"\b(for|to|from|with|without|against|under)\s+(?:the\s+)?((?:[A-Z][\w'’-]*\.?\s+){0,3}[A-Z][\w'’-]{2,})"
)
_REACH = 40
"""Characters between a preposition and the name that it governs, for what stands between them in the evidence."""
_ALIKE = {
    "for": ("for", "to", "of", "by"),
    "to": ("to", "for", "into", "at"),
    "from": ("from", "by", "of", "in", "at", "out of"),
    "with": ("with", "and", "by", "at", "from", "of"),
    "without": ("without", "no"),
    "against": ("against", "vs", "versus", "v"),
    "under": ("under", "by", "in"),
}


def changed_role(sentence: str, evidence: str) -> str:
    """Return why ``sentence`` makes of who does something somebody for, to or from whom it is done, or "".

    That is so where the evidence has the name only at the beginning of a sentence or clause, and nowhere behind such a
    preposition: "R. Haddad orders the part" does not carry "The order is for R. Haddad". A name that stands elsewhere
    in the evidence tells nothing.
    """
    plain = fold(evidence)
    for match in _PART.finditer(sentence):
        preposition, name = match[1], fold(match[2])
        places = [found.start() for found in re.finditer(rf"\b{re.escape(name)}\b", plain)]
        if not places:
            continue
        before = [plain[max(0, at - _REACH) : at] for at in places]
        governed = any(re.search(rf"\b(?:{'|'.join(_ALIKE[preposition])})\b[^.;:]*$", text) for text in before)
        if not governed and all(_begins(text) for text in before):
            return f"the evidence does not say '{preposition} {match[2]}'"
    return ""


def _begins(before: str) -> bool:
    """Return whether what stands after ``before`` begins a sentence, a line or a clause."""
    return (
        not before.strip()
        or re.search(r"(?:[.;:!?•\n]\s*|^\s*|\b(?:and|but|while|that|und|aber)\s+)$", before) is not None
    )
