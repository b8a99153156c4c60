"""Program code by tree-sitter: one listing for each function, method, class head and stretch of other statements."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.readers.decoding import is_text, laid_out, read_text
from desktop_rag.ingest.readers.text import listings

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_GRAMMARS = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".java": "java",
    ".c": "c",
    ".h": "cpp",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hxx": "cpp",
    ".go": "go",
    ".rs": "rust",
}
_WRAPPERS = frozenset({"decorated_definition", "export_statement", "template_declaration"})
_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "attribute_item"})
_FUNCTIONS = frozenset(
    {
        "function_definition",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "method_declaration",
        "constructor_declaration",
        "function_item",
        "macro_definition",
    }
)
_CLASSES = frozenset(
    {
        "class_definition",
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "class_specifier",
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "namespace_definition",
        "linkage_specification",
        "type_declaration",
        "struct_item",
        "enum_item",
        "union_item",
        "trait_item",
        "impl_item",
        "mod_item",
    }
)
_CONDITIONALS = frozenset({"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"})
_BODIES = ("body", "declaration_list")
_NOTHING = re.compile(r"\W*(?:#\s*endif\b[^\n]*)?\W*")
_OTHER = "Other statements"
_DEEPEST = 5
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class _Part:
    """Bytes ``start`` to ``end`` of the source; a named part is a function or class, ``depth`` classes deep."""

    start: int
    end: int
    name: str
    depth: int


class SourceCodeReader:
    """Reads C, C++, Go, Java, JavaScript, Python and Rust. Text that does not parse is still read, as it stands."""

    name = "code"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take text that is named as code of these languages."""
        return suffix in _GRAMMARS and is_text(head)

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises ReadError when it cannot be opened or is blank."""
        source = read_text(path).encode("utf-8", "replace")
        tree = _parser(_GRAMMARS[path.suffix.lower()]).parse(source)
        parts = _parts(tree.root_node.children, 0, len(source), 0)
        return laid_out(path, path.name, list(_blocks(source, parts)))


def _parser(grammar: str) -> Parser:
    from tree_sitter import Language, Parser

    return Parser(Language(importlib.import_module(f"tree_sitter_{grammar}").language()))


def _parts(nodes: Sequence[Node], start: int, end: int, depth: int) -> Iterator[_Part]:
    """Yield the parts between ``start`` and ``end``, without a gap: definitions, and what stands between them."""
    at = start
    comments = 0
    for index, node in enumerate(nodes):
        if node.type in _COMMENTS:
            comments += 1
            continue
        definition = _definition(node)
        if node.type in _CONDITIONALS:
            if node.start_byte > at:
                yield _Part(at, node.start_byte, "", depth)
            yield from _parts(node.children, node.start_byte, node.end_byte, depth)
            at = node.end_byte
        elif definition is not None:
            first = _start_with_comments(nodes, index, comments)
            first = max(at, first)
            if first > at:
                yield _Part(at, first, "", depth)
            yield from _definition_parts(definition, first, node.end_byte, depth)
            at = node.end_byte
        comments = 0
    if end > at:
        yield _Part(at, end, "", depth)


def _start_with_comments(nodes: Sequence[Node], index: int, comments: int) -> int:
    """Return where a definition begins: with the comments right above it."""
    first = nodes[index]
    for node in reversed(nodes[index - comments : index]):
        if first.start_point[0] - node.end_point[0] > 1:
            break
        first = node
    return first.start_byte


def _definition_parts(node: Node, start: int, end: int, depth: int) -> Iterator[_Part]:
    """Yield a function whole; a class as its head and its members, unless it has none."""
    name = _name(node)
    body = _body(node)
    members = body.children if body is not None and node.type in _CLASSES and depth < _DEEPEST else []
    if not any(_definition(member) is not None for member in members) or body is None:
        yield _Part(start, end, name, depth)
        return
    inner = list(_parts(members, body.start_byte, end, depth + 1))
    yield _Part(start, inner[0].end if not inner[0].name else inner[0].start, name, depth)
    yield from inner[1:] if not inner[0].name else inner


def _definition(node: Node) -> Node | None:
    """Return the function or class that a node is, or that it wraps (decorated, exported, a template)."""
    if node.type in _WRAPPERS:
        return next((found for child in node.named_children if (found := _definition(child)) is not None), None)
    if node.type in _FUNCTIONS:
        return node
    if node.type in _CLASSES:
        return node if _body(node) is not None or node.type == "type_declaration" else None
    if node.type in ("lexical_declaration", "variable_declaration"):
        return _function_variable(node)
    return None


def _function_variable(node: Node) -> Node | None:
    """Return ``const name = () => …`` as a definition."""
    for child in node.named_children:
        value = child.child_by_field_name("value")
        if value is not None and value.type in ("arrow_function", "function_expression", "class"):
            return child
    return None


def _body(node: Node) -> Node | None:
    body = node.child_by_field_name("body")
    return body or next((child for child in node.children if child.type in _BODIES), None)


def _name(node: Node) -> str:
    """Return what a definition is called; a C function's name stands inside its declarators."""
    for field in ("name", "type"):
        found = node.child_by_field_name(field)
        if found is not None and (field == "name" or node.type == "impl_item"):
            return _text(found)
    if node.type == "type_declaration":
        return ", ".join(_name(child) for child in node.named_children if child.child_by_field_name("name"))
    inner = node
    while (deeper := inner.child_by_field_name("declarator")) is not None:
        inner = deeper
    return _text(inner) if inner is not node else node.type.replace("_", " ")


def _text(node: Node) -> str:
    text = " ".join((node.text or b"").decode("utf-8", "replace").split())
    return text[:_LONGEST_NAME]


def _blocks(source: bytes, parts: Iterable[_Part]) -> Iterator[Block]:
    """Yield a heading and a listing for each part; unnamed ones at the top need no heading."""
    named: list[str] = []
    for part in parts:
        code = _whole_lines(source, part)
        if _NOTHING.fullmatch(code):
            continue
        if part.name:
            named = [*named[: part.depth], part.name]
            yield Block(ElementKind.CODE, part.name, level=part.depth + 1)
        elif named:
            yield Block(ElementKind.CODE, _OTHER, level=min(part.depth, len(named)) + 1)
        yield from listings(code)


def _whole_lines(source: bytes, part: _Part) -> str:
    """Return the code of a part, moved to the left edge as a whole."""
    start = part.start
    line = source.rfind(b"\n", 0, start) + 1
    if not source[line:start].strip():
        start = line
    return dedent(source[start : part.end].decode("utf-8", "replace")).strip("\n").rstrip()
