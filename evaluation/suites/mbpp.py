"""MBPP, its sanitised part (google-research, CC-BY-4.0): short tasks that rarely give an example."""

from __future__ import annotations

from pathlib import Path

from .problem import Problem, graded_by_check, missing, rows


def load(data: Path | None) -> list[Problem]:
    """From `mbpp.jsonl`; rows without a sanitised form are left out. Raises BadSuite."""
    try:
        found = [(row["task_id"], row["sanitized"]) for row in rows(data, "mbpp.jsonl") if row.get("sanitized")]
        return [
            Problem(str(name), part["prompt"], graded_by_check(part["test"], part["entry_point"]))
            for name, part in found
        ]
    except KeyError as error:
        raise missing(data, error) from None
