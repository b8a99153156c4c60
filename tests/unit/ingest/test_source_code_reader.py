"""Program code: an element for each function and method under its name, and nothing of the file lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_rag.core.types import ElementKind, ReadDocument
from desktop_rag.ingest.chunks import chunk
from desktop_rag.ingest.readers import find_reader

PYTHON = '''"""Größen und Maße."""

import math

LIMIT = 3


# Says how round.
@cached
def roundness(x: float) -> float:
    """Ungefähr rund."""
    return math.pi * x


class Wheel:
    """Turns."""

    spokes = 28

    def turn(self, times: int) -> None:
        self.done += times

    async def stop(self) -> None:
        await brake()


if __name__ == "__main__":
    print(roundness(LIMIT))
'''

OTHERS = {
    "a.js": (
        "import x from 'x';\nexport function area(r) { return r * r; }\nconst half = (n) => n / 2;\n"
        "class Box {\n  open() { return 1; }\n  close() { return 2; }\n}\n",
        ["area", "half", "Box", "open", "close"],
    ),
    "A.java": (
        "package a;\n\n/** A lamp. */\npublic class Lamp {\n  int watts;\n  Lamp() { watts = 4; }\n"
        "  void shine(int hours) { use(hours); }\n}\n",
        ["Lamp", "Lamp", "shine"],
    ),
    "a.c": (
        "#include <stdio.h>\n\nstatic int *find(int *from, int n)\n{\n    return from + n;\n}\n\n"
        'int main(void) { puts("x"); }\n',
        ["find", "main"],
    ),
    "a.hpp": (
        "#ifndef A\n#define A\nnamespace tools {\nclass Saw {\n public:\n  int cut(int n) { return n; }\n};\n"
        "template <typename T> T twice(T x) { return x + x; }\n}\n#endif\n",
        ["tools", "Saw", "cut", "twice"],
    ),
    "a.go": (
        "package main\n\ntype Cup struct {\n\tsize int\n}\n\n"
        "func (c *Cup) Fill() int {\n\treturn c.size\n}\n\nfunc main() {}\n",
        ["Cup", "Fill", "main"],
    ),
    "a.rs": (
        "struct Key { n: u8 }\n\nimpl Key {\n    fn turn(&self) -> u8 { self.n }\n}\n\n#[test]\nfn turns() {}\n",
        ["Key", "Key", "turn", "turns"],
    ),
}


def read(path: Path, content: str) -> ReadDocument:
    path.write_text(content, encoding="utf-8")
    reader = find_reader(path)
    assert reader.name == "code"
    return reader.read(path, None)


def names(document: ReadDocument) -> list[str]:
    return [block.text for block in document.blocks if block.level]


def test_functions_methods_and_statements_of_python(tmp_path: Path) -> None:
    document = read(tmp_path / "wheel.py", PYTHON)
    assert [(block.level, block.text) for block in document.blocks] == [
        (0, '"""Größen und Maße."""\n\nimport math\n\nLIMIT = 3'),
        (1, "roundness"),
        (
            0,
            "# Says how round.\n@cached\ndef roundness(x: float) -> float:\n"
            '    """Ungefähr rund."""\n    return math.pi * x',
        ),
        (1, "Wheel"),
        (0, 'class Wheel:\n    """Turns."""\n\n    spokes = 28'),
        (2, "turn"),
        (0, "def turn(self, times: int) -> None:\n    self.done += times"),
        (2, "stop"),
        (0, "async def stop(self) -> None:\n    await brake()"),
        (1, "Other statements"),
        (0, 'if __name__ == "__main__":\n    print(roundness(LIMIT))'),
    ]
    assert document.title == "wheel.py"


def test_elements_are_functions(tmp_path: Path) -> None:
    functions = "\n\n".join(f"def step_{n}(x):\n" + f"    x = call_{n}(x, {n})\n" * 12 for n in range(2))
    elements = chunk("d", read(tmp_path / "steps.py", functions), 220)
    assert {element.kind for element in elements} == {ElementKind.CODE}
    assert [element.heading for element in elements] == [(f"step_{n}",) for n in range(2)]


@pytest.mark.parametrize("name", OTHERS)
def test_other_languages(tmp_path: Path, name: str) -> None:
    source, expected = OTHERS[name]
    document = read(tmp_path / name, source)
    assert names(document) == expected
    shown = "".join("".join(block.text.split()) for block in document.blocks if not block.level)
    letters = [character for character in shown if character.isalnum()]
    assert letters == [character for character in source.removesuffix("#endif\n") if character.isalnum()]


def test_code_that_does_not_parse_is_still_read(tmp_path: Path) -> None:
    document = read(tmp_path / "broken.py", "def half(:\n  return ((\n\nprint 'old'\n")
    assert "print 'old'" in document.blocks[-1].text
