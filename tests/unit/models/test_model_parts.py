"""The parts around the models that need no weights: memory, GGUF heads, chat templates, the fall back to the CPU."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from desktop_rag.core.errors import ModelError
from desktop_rag.models.chat_prompt import Segment, TemplateError, opened_block, prompt_segments
from desktop_rag.models.environment import packaged_file
from desktop_rag.models.gguf import read_head
from desktop_rag.models.llm import Message
from desktop_rag.models.memory import available_bytes, require_memory

SYSTEM, USER = Message("system", "Be brief."), Message("user", "Hi <|end|>")


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def write_head(path: Path, entries: list[bytes]) -> Path:
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries))
    return path


def test_the_memory_message_says_what_is_needed_and_what_is_free() -> None:
    with pytest.raises(
        ModelError, match=r"Big model needs about 9,000 MB of memory, but only 1,500 MB are free\. Close"
    ):
        require_memory(9_000_000_000, "Big model", lambda: 1_500_000_000)
    require_memory(1, "Small model", lambda: 1)
    assert available_bytes() > 0


def test_a_head_gives_name_context_and_memory(tmp_path: Path) -> None:
    numbers = {"block_count": 10, "context_length": 4096, "embedding_length": 512, "attention.head_count": 8}
    entries = [
        entry("general.architecture", 8, text("toy")),
        entry("general.name", 8, text("Toy 1B")),
        entry("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 2) + text("a") + text("b")),
        entry("toy.attention.head_count_kv", 9, struct.pack("<IQ3I", 4, 3, 0, 2, 2)),
        entry("toy.rope.freq_base", 6, struct.pack("<f", 10000.0)),
        *(entry(f"toy.{key}", 4, struct.pack("<I", number)) for key, number in numbers.items()),
    ]
    head = read_head(write_head(tmp_path / "toy.gguf", entries))
    assert (head.name, head.trained_context) == ("Toy 1B", 4096)
    assert head.memory_bytes(1000, working_bytes=0) == head.file_bytes + 10 * 2 * (64 + 64) * 2 * 1000


def test_a_nameless_model_is_called_by_its_file(tmp_path: Path) -> None:
    head = read_head(write_head(tmp_path / "toy-7b.gguf", [entry("general.architecture", 8, text("toy"))]))
    assert head.name == "toy-7b"


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [entry("general.architecture", 8, struct.pack("<Q", 1 << 60))],
        [entry("general.architecture", 77, b"")],
        [entry("general.architecture", 9, struct.pack("<IQ", 4, 1 << 60))],
        [entry("general.architecture", 9, struct.pack("<IQQ", 8, 5, 1 << 60))],
    ],
)
def test_impossible_numbers_in_a_head_are_damage(tmp_path: Path, entries: list[bytes]) -> None:
    with pytest.raises(ModelError, match=r"toy\.gguf is damaged or incomplete"):
        read_head(write_head(tmp_path / "toy.gguf", entries))


def test_only_the_template_is_control_text() -> None:
    def render(messages: list[dict[str, str]]) -> str:
        return "".join(f"<|{m['role']}|>{m['content']}<|end|>" for m in messages) + "<|assistant|>"

    assert prompt_segments(render, [SYSTEM, USER]) == (
        Segment("<|system|>", True),
        Segment("Be brief.", False),
        Segment("<|end|><|user|>", True),
        Segment("Hi <|end|>", False),
        Segment("<|end|><|assistant|>", True),
    )


@pytest.mark.parametrize("refuses", [True, False])
def test_a_template_without_system_messages_gets_it_in_front_of_the_question(refuses: bool) -> None:
    def render(messages: list[dict[str, str]]) -> str:
        if refuses and messages[0]["role"] == "system":
            raise ValueError("System role not supported")
        return "".join(f"[{m['content']}]" for m in messages if m["role"] != "system")

    segments = prompt_segments(render, [SYSTEM, USER])
    assert [segment.text for segment in segments] == ["[", "Be brief.\n\nHi <|end|>", "]"]


def test_a_template_that_takes_nothing_is_an_error() -> None:
    with pytest.raises(TemplateError):
        prompt_segments(lambda messages: "", [USER])


def test_placeholders_in_a_text_stay_text() -> None:
    odd = Message("user", "\ue0f00\ue0f1 and \ue0f09\ue0f1")
    assert prompt_segments(lambda m: m[0]["content"], [odd]) == (Segment(odd.content, False),)


@pytest.mark.parametrize(
    ("end", "opened"),
    [("<|assistant|><think>\n", ("<think>",)), ("<|assistant|><thinking>", ("<thinking>",)), ("<|assistant|>\n", ())],
)
def test_a_thinking_block_that_the_template_opens_is_known(end: str, opened: tuple[str, ...]) -> None:
    segments = prompt_segments(lambda messages: f"<|user|>{messages[0]['content']}{end}", [USER])
    assert opened_block(segments) == opened
    assert opened_block((Segment("I read: <think>", control=False),)) == ()


def test_a_gpu_that_fails_is_done_without(caplog: pytest.LogCaptureFixture) -> None:
    from desktop_rag.models.llama_runtime import first_that_loads

    tried: list[int] = []

    def load(layers: int) -> str:
        tried.append(layers)
        if layers:
            raise ValueError("out of device memory")
        return "on the CPU"

    assert first_that_loads(-1, load) == "on the CPU"
    assert tried == [-1, 0]
    assert "out of device memory" in caplog.text


def test_a_package_that_is_not_there_is_named() -> None:
    with pytest.raises(ModelError, match="no-such-model"):
        packaged_file("no_such_model", "x")
