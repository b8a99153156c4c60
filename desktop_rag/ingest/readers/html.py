"""HTML by Beautiful Soup: the main text that a reader of the page would see; what is hidden from people is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_rag.core.errors import ReadError
from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.readers.decoding import decode, is_text, laid_out
from desktop_rag.ingest.readers.html_pictures import HtmlPictures, Load, beside, nothing

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import PageElement, Tag

_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_START = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_LEFT_OUT = frozenset(
    {
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "math",
        "head",
        "iframe",
        "object",
        "embed",
        "canvas",
        "nav",
        "input",
        "select",
        "textarea",
        "button",
        "audio",
        "video",
        "dialog",
    }
)
_LEFT_OUT_ROLES = frozenset({"navigation", "search", "menu", "menubar", "toolbar", "dialog"})
_BREAKING = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "ol",
        "p",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    }
)
_HEADING = re.compile(r"h[1-6]")
_HIDING = re.compile(
    r"display:none|visibility:(hidden|collapse)|opacity:0*\.?0*(;|$)|"
    r"font-size:(0?\.?0*(px|pt|em|rem|%)?|[01](\.\d+)?(px|pt))(;|$)|"
    r"color:transparent|text-indent:-\d{3,}|(left|top|right|bottom):-\d{4,}|clip:rect\((0|1px)|clip-path:inset\(50%",
)
_SPACES = re.compile(r"\s+")
_LEAST_MAIN_SHARE = 0.4


class HtmlReader:
    """Reads headings, paragraphs, lists, listings and tables in the order of the page."""

    name = "html"
    version = 2

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take what begins as an HTML document, and text that is named as one."""
        return bool(_START.match(head)) or (suffix in _SUFFIXES and is_text(head))

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises ReadError when it cannot be opened or shows no text."""
        try:
            soup = _soup(path.read_bytes())
        except OSError as error:
            raise ReadError(f"{path.name} cannot be read: {error.strerror or error}.") from error
        blocks = list(_Walk(HtmlPictures(beside(path))).blocks(_main_part(soup)))
        named = " ".join(soup.title.get_text(" ").split()) if soup.title else ""
        first = next((block.text for block in blocks if block.level == 1), "")
        return laid_out(path, named or first, blocks)


def html_blocks(html: str, load: Load = nothing) -> list[Block]:
    """Return the visible blocks of a piece of HTML in reading order; ``load`` gives the bytes of a picture's file."""
    return list(_Walk(HtmlPictures(load)).blocks(_soup(html)))


def visible_text(node: Tag) -> str:
    """Return the visible text inside ``node``, with line ends where its parts stand below each other."""
    from bs4.element import Tag

    parts: list[str] = []
    for step in _steps(node):
        if isinstance(step.node, Tag):
            parts.append("\n" if step.node.name in _BREAKING or step.node.name == "br" else "")
        elif not step.closing:
            parts.append(_SPACES.sub(" ", str(step.node)))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class _Step:
    node: PageElement
    closing: bool


def _soup(data: bytes | str) -> BeautifulSoup:
    """Parse HTML. The parser is html.parser: lxml's drops what is nested more than 256 deep."""
    from bs4 import BeautifulSoup
    from bs4.dammit import EncodingDetector

    if isinstance(data, str):
        return BeautifulSoup(data, "html.parser")
    declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    try:
        text = data.decode(declared or "utf-8-sig")
    except (LookupError, UnicodeDecodeError):
        text = decode(data)
    return BeautifulSoup(text, "html.parser")


def _main_part(soup: BeautifulSoup) -> Tag:
    """Return the element that holds the main text, if the page names one and it is most of the page."""
    whole: Tag = soup.body or soup
    length = len(whole.get_text())
    for candidate in soup.select("main, article, [role=main]"):
        if len(candidate.get_text()) >= _LEAST_MAIN_SHARE * length:
            return candidate
    return whole


def _steps(root: Tag, is_whole: Callable[[Tag], bool] = lambda _: False) -> Iterator[_Step]:
    """Walk through the visible nodes below ``root`` without recursion: tags when they open and when they close.

    Tags that are whole are yielded once and not entered.
    """
    from bs4.element import Comment, NavigableString, PreformattedString, Tag

    stack = [_Step(child, False) for child in reversed(root.contents)]
    while stack:
        step = stack.pop()
        node = step.node
        if isinstance(node, Tag):
            if step.closing:
                yield step
            elif not _is_hidden(node):
                yield step
                if not is_whole(node):
                    stack.append(_Step(node, True))
                    stack.extend(_Step(child, False) for child in reversed(node.contents))
        elif isinstance(node, NavigableString) and not isinstance(node, (Comment, PreformattedString)):
            yield step


def _is_hidden(tag: Tag) -> bool:
    if tag.name in _LEFT_OUT or tag.has_attr("hidden"):
        return True
    if tag.name == "li" and _switches_language(tag):
        return True
    if not tag.attrs:
        return False
    style = str(tag.get("style", "")).lower().replace(" ", "").replace("!important", "")
    return (
        str(tag.get("aria-hidden", "")).lower() == "true"
        or str(tag.get("role", "")).lower() in _LEFT_OUT_ROLES
        or bool(_HIDING.search(style))
    )


def _switches_language(item: Tag) -> bool:
    """Say whether a list item is only a link to the same page in another language."""
    link = item.find("a", hreflang=True, recursive=False)
    return link is not None and link.get_text().strip() == item.get_text().strip()


def _is_whole(tag: Tag) -> bool:
    """Say whether a tag becomes a block as it is: listings, and tables unless they only arrange the page."""
    from desktop_rag.ingest.readers.html_tables import is_data_table

    return tag.name == "pre" or (tag.name == "table" and is_data_table(tag))


@dataclass
class _Walk:
    """Gathers running text until a tag that begins a new block, remembering open lists and the marker to write."""

    pictures: HtmlPictures
    lists: list[tuple[str, int]] = field(default_factory=list)
    marker: str = ""
    level: int = 0
    running: list[str] = field(default_factory=list)

    def blocks(self, root: Tag) -> Iterator[Block]:
        from bs4.element import Tag

        for step in _steps(root, _is_whole):
            if not isinstance(step.node, Tag):
                self.running.append(_SPACES.sub(" ", str(step.node)))
            elif step.closing:
                yield from self._close(step.node)
            else:
                yield from self._open(step.node)
        yield from self._flush()

    def _open(self, tag: Tag) -> Iterator[Block]:
        from desktop_rag.ingest.readers.html_tables import table_blocks

        if tag.name == "br":
            self.running.append("\n")
        elif tag.name == "img":
            picture = self.pictures.of(tag)
            if picture:
                yield from self._flush()
                yield Block(ElementKind.FIGURE, " ".join(str(tag.get("alt") or "").split()), picture=picture)
            else:
                self.running.append(f" {tag.get('alt') or ''} ")
        elif tag.name == "pre":
            yield from self._flush()
            yield Block(ElementKind.CODE, tag.get_text().strip("\n"))
        elif tag.name == "table" and _is_whole(tag):
            yield from self._flush()
            yield from table_blocks(tag)
        elif tag.name in _BREAKING or _HEADING.fullmatch(tag.name):
            yield from self._flush()
            self._note(tag)

    def _note(self, tag: Tag) -> None:
        if tag.name in ("ul", "ol"):
            self.lists.append((tag.name, _start(tag)))
        elif tag.name == "li":
            kind, number = self.lists[-1] if self.lists else ("ul", 0)
            self.marker = f"{number}. " if kind == "ol" else "• "
            if self.lists:
                self.lists[-1] = (kind, number + 1)
        elif _HEADING.fullmatch(tag.name):
            self.level = int(tag.name[1])

    def _close(self, tag: Tag) -> Iterator[Block]:
        if tag.name not in _BREAKING and not _HEADING.fullmatch(tag.name):
            return
        yield from self._flush()
        if tag.name in ("ul", "ol") and self.lists:
            self.lists.pop()
        elif tag.name == "li":
            self.marker = ""
        elif _HEADING.fullmatch(tag.name):
            self.level = 0

    def _flush(self) -> Iterator[Block]:
        lines = (" ".join(line.split()) for line in "".join(self.running).split("\n"))
        text = "\n".join(line for line in lines if line)
        self.running = []
        if not text:
            return
        if self.level:
            yield Block(ElementKind.TEXT, text.replace("\n", " "), level=self.level)
        elif self.marker:
            shown, self.marker = self.marker + text, ""
            depth = max(0, len(self.lists) - 1)
            yield Block(ElementKind.TEXT, shown, markdown="  " * depth + shown.replace("• ", "- ", 1))
        else:
            yield Block(ElementKind.TEXT, text)


def _start(tag: Tag) -> int:
    value = str(tag.get("start", "1"))
    return int(value) if value.isdigit() else 1
