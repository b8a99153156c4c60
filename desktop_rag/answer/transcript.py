"""A conversation as Markdown, and as HTML with pictures of the cited places; nothing is fetched to show either."""

from __future__ import annotations

import base64
import html
import re
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import PurePath

from desktop_rag.core.answers import Answer, Evidence, Sentence, Turn, Verdict
from desktop_rag.core.types import BBox, PagePicture

Draw = Callable[[Evidence, BBox], PagePicture | None]
"""Draws the part of a page around a quote; None where that cannot be."""

_MARGIN, _LEAST_WIDTH, _MOST_HEIGHT = 28.0, 340.0, 420.0
_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
h2 { margin-top: 2.5em; font-size: 1.2em; } .small { opacity: .7; font-size: .85em; }
figure { margin: 1em 0; } blockquote { margin: .5em 0 .5em 1em; }
.page { position: relative; width: fit-content; border: 1px solid #8886; background: #fff; }
.page img { display: block; max-width: 100%; }
.page i { position: absolute; background: #ffd95c; mix-blend-mode: multiply; }
"""


def as_markdown(title: str, turns: Sequence[Turn]) -> str:
    """Return a conversation as Markdown: questions as headings, sentences with their numbers, then the quotes."""
    parts = [f"# {_plain(title)}"]
    for turn in turns:
        parts += [f"## {_plain(turn.question)}", f"*{_when(turn.asked_at)}*"]
        answer = turn.answer
        if answer is None:
            parts.append("Not answered to its end.")
            continue
        parts += _paragraphs(answer) or [_plain(_message(answer))]
        parts += [f"{item.n}. “{_plain(item.quote)}” — {_plain(_place(item))}" for item in cited(answer)]
    return "\n\n".join(parts) + "\n"


def as_html(title: str, turns: Sequence[Turn], draw: Draw) -> str:
    """Return a conversation as a page that stands by itself; ``draw`` makes the pictures of the cited places."""
    head = f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)}</title>"
    parts = [f"{head}<style>{_STYLE}</style>"]
    if [turn.question for turn in turns] != [title]:  # a conversation of one question is called by it
        parts.append(f"<h1>{html.escape(title)}</h1>")
    for turn in turns:
        parts.append(f"<h2>{html.escape(turn.question)}</h2><p class=small>{_when(turn.asked_at)}</p>")
        if turn.answer is None:
            parts.append("<p>Not answered to its end.</p>")
        else:
            said = _paragraphs(turn.answer) or [_message(turn.answer)]
            parts += [f"<p>{html.escape(paragraph)}</p>" for paragraph in said]
            parts += [_figure(item, draw) for item in cited(turn.answer)]
    return "\n".join((*parts, "</html>\n"))


def cited(answer: Answer) -> tuple[Evidence, ...]:
    """Return the quotes that the sentences of ``answer`` cite; of a refusal none."""
    numbers = {n for sentence in answer.sentences for n in sentence.citations}
    return tuple(item for item in answer.evidence if item.n in numbers)


def around(box: BBox) -> BBox:
    """Return the part of the page to show with a quote: the quote's beginning and a little around it."""
    width = max(_LEAST_WIDTH, box.x1 - box.x0 + 2 * _MARGIN)
    left = max(0.0, box.x0 - _MARGIN)
    top = max(0.0, box.y0 - _MARGIN)
    return BBox(left, top, left + width, min(box.y1 + _MARGIN, top + _MOST_HEIGHT))


def _figure(item: Evidence, draw: Draw) -> str:
    caption = f"<figcaption class=small>[{item.n}] {html.escape(_place(item))}</figcaption>"
    quote = f"<blockquote>“{html.escape(item.quote)}”</blockquote>"
    picture = draw(item, around(item.bbox))
    return f"<figure>{quote}{_picture(item, picture) if picture else ''}{caption}</figure>"


def _picture(item: Evidence, picture: PagePicture) -> str:
    part = picture.clip or BBox(0, 0, picture.page.width, picture.page.height)
    lit = "".join(_lit(box, part) for box in item.boxes or (item.bbox,))
    data = base64.b64encode(picture.png).decode("ascii")
    image = f'<img alt="The cited place" width="{(part.x1 - part.x0) * 1.5:.0f}" src="data:image/png;base64,{data}">'
    return f"<div class=page>{image}{lit}</div>"


def _lit(box: BBox, part: BBox) -> str:
    """Return the amber over a line of the quote, placed in shares of the picture."""
    x0, y0 = max(box.x0, part.x0), max(box.y0, part.y0)
    x1, y1 = min(box.x1, part.x1), min(box.y1, part.y1)
    if x1 <= x0 or y1 <= y0:
        return ""
    across, down = 100 / (part.x1 - part.x0), 100 / (part.y1 - part.y0)
    place = f"left:{(x0 - part.x0) * across:.2f}%;top:{(y0 - part.y0) * down:.2f}%"
    return f'<i style="{place};width:{(x1 - x0) * across:.2f}%;height:{(y1 - y0) * down:.2f}%"></i>'


def _paragraphs(answer: Answer) -> list[str]:
    """Return what the answer says: its sentences together, each quote by itself."""
    groups = groupby(enumerate(answer.sentences), lambda one: one[0] if one[1].verdict is Verdict.QUOTE else None)
    return [" ".join(_said(sentence) for _, sentence in group) for _, group in groups]


def _said(sentence: Sentence) -> str:
    text = re.sub(r"\s*\[\d{1,2}(?:\s*,\s*\d{1,2})*\]", "", sentence.text) if sentence.citations else sentence.text
    text = f"“{text.strip('“”')}”" if sentence.verdict is Verdict.QUOTE else text.strip()
    return " ".join((text, *(f"[{n}]" for n in sentence.citations)))


def _message(answer: Answer) -> str:
    return answer.refusal if answer.refused else answer.text


def _place(item: Evidence) -> str:
    label = f"p. {item.page_label} ({item.page})" if item.page_label not in ("", str(item.page)) else f"p. {item.page}"
    return f"{PurePath(item.file).name or item.file}, {label}"


def _plain(text: str) -> str:
    """Return ``text`` in one line that Markdown does not take for a picture, a link or markup of HTML."""
    return re.sub(r"([\\`*_<>\[\]#|])", r"\\\1", " ".join(text.split()))


def _when(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
