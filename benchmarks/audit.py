"""``python -m benchmarks.audit``: what the audit does with sentences of which people said whether they are right.

The tables are those of its tests (``tests/fixtures/audit_table.py``); run it from the project's folder.
"""

from __future__ import annotations

from collections import Counter

from tests.fixtures.audit_table import (
    RIGHT,
    cases,
    document_cases,
    german_cases,
    german_held_out_cases,
    is_shown,
    merged_cases,
    reserve_cases,
)

_TABLES = {
    "written": cases,
    "documents": document_cases,
    "reserves": reserve_cases,
    "merged": merged_cases,
    "german": german_cases,
    "german, held out": german_held_out_cases,
}


def main() -> int:
    """Print a line of Markdown for each table and kind: how many sentences there are, and how many are struck."""
    print("| table | kind | sentences | struck | share |\n|---|---|---:|---:|---:|")
    for name, table in _TABLES.items():
        every, struck = Counter[str](), Counter[str]()
        for case in table():
            kinds = (case.kind,) if case.kind == RIGHT else (case.kind, "all wrong ones")
            every.update(kinds)
            struck.update(kinds if not is_shown(case) else ())
        for kind, count in every.items():
            print(f"| {name} | {kind} | {count} | {struck[kind]} | {struck[kind] / count:.2f} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
