"""One more check of what the rules let pass: a model that reads the quote and the sentence together.

It may strike what the rules support, and never supports what they struck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from desktop_rag.answer.audit import Audited
from desktop_rag.answer.phrases import plain_sentence
from desktop_rag.core.answers import Evidence, Sentence, Verdict
from desktop_rag.models.entailment import EntailmentModel

_CONTRADICTED = 0.5
"""From here on a contradiction is likelier than all else together."""


def contradicted(judged: Audited, evidence: Sequence[Evidence], model: EntailmentModel) -> Audited:
    """Return ``judged``, struck where it was supported and a quote that it cites contradicts it.

    Raises ModelError when the model cannot be loaded.
    """
    if judged.sentence.verdict is not Verdict.SUPPORTED:
        return judged
    cited = [item for item in evidence if item.n in judged.sentence.citations]
    text = plain_sentence(judged.sentence.text)
    for item, share in zip(cited, model.contradictions([one.quote for one in cited], text), strict=True):
        if share > _CONTRADICTED:
            reason = f"[{item.n}] contradicts it, as {model.name} reads it"
            return replace(judged, sentence=Sentence(text, judged.sentence.citations, Verdict.UNSUPPORTED, reason))
    return judged
