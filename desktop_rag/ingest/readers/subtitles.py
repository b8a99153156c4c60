"""Subtitles (.srt, .vtt): what is said, in paragraphs that begin with the time at which they do."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from desktop_rag.core.types import Block, ElementKind, ReadDocument
from desktop_rag.ingest.readers.decoding import is_text, laid_out, read_text

_SUFFIXES = frozenset({".srt", ".vtt"})
_TIME = r"(?:(\d+):)?(\d{1,2}):(\d{2})[.,](\d{3})"
_CUE = re.compile(rf"^[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}[^\n]*$", re.MULTILINE)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]*>|<\d[\d:.]*>|\{\\[^}\n]*\}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>\n]+)>")
_LONG, _PAUSE_SECONDS = 350, 4.0


@dataclass(frozen=True, slots=True)
class _Cue:
    start: float
    end: float
    text: str


class SubtitlesReader:
    """Reads SubRip and WebVTT files."""

    name = "subtitles"
    version = 1

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Take text that is named as subtitles and has times, and what begins as WebVTT."""
        if not is_text(head):
            return False
        return head.removeprefix(b"\xef\xbb\xbf").startswith(b"WEBVTT") or (suffix in _SUFFIXES and b"-->" in head)

    def read(self, path: Path, password: str | None) -> ReadDocument:
        """Read the file; raises ReadError when it cannot be opened or nothing is said in it."""
        return laid_out(path, path.stem, list(_paragraphs(_cues(read_text(path)))))


def _cues(text: str) -> Iterator[_Cue]:
    """Yield what is said, each with its times in seconds; lines that are said again at once are said once."""
    marks = list(_CUE.finditer(text))
    before: list[str] = []
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        body = text[mark.end() : end].strip("\n").split("\n\n", 1)[0]
        lines = [line for line in map(_plain, body.split("\n")) if line]
        fresh = [line for line in lines if line not in before]
        before = lines
        if fresh:
            yield _Cue(_seconds(mark.groups()[:4]), _seconds(mark.groups()[4:]), " ".join(fresh))


def _plain(line: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", _VOICE.sub(r"\1: ", line))).split())


def _paragraphs(cues: Iterator[_Cue]) -> Iterator[Block]:
    """Yield paragraphs: they end at a pause, or when they are long, at the end of a sentence."""
    held: list[_Cue] = []
    for cue in cues:
        length = sum(len(one.text) for one in held)
        ends = bool(held) and held[-1].text[-1] in ".!?…\"'”"
        if held and (cue.start - held[-1].end > _PAUSE_SECONDS or (length > _LONG and ends) or length > 2 * _LONG):
            yield _paragraph(held)
            held = []
        held.append(cue)
    if held:
        yield _paragraph(held)


def _paragraph(cues: list[_Cue]) -> Block:
    said = " ".join(cue.text for cue in cues)
    return Block(ElementKind.TEXT, f"[{_clock(cues[0].start)}–{_clock(cues[-1].end)}] {said}")


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, thousandths = (int(part or 0) for part in parts)
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
