"""Words as they are shown."""

from __future__ import annotations

from desktop_rag.core.words import run_on


def test_many_short_lines_run_on_and_few_stay() -> None:
    assert run_on("Staff\n 17% \n\n24%\nOther") == "Staff · 17% · 24% · Other"
    assert run_on("First line.\nSecond  line.") == "First line.\nSecond line."
