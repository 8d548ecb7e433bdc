"""BigCodeBench (bigcode): tasks of several library calls, graded by unittest classes; many need more packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .problem import Problem, problems

NAME, HUB = "BigCodeBench.jsonl", "bigcode/bigcodebench::v0.1.4"


def load(data: Path | None) -> list[Problem]:
    """From `BigCodeBench.jsonl`, with the wording that instructs. Raises BadSuite."""
    return problems(_problem, data, NAME, HUB)


def _problem(row: dict[str, Any]) -> Problem:
    right = row["complete_prompt"] + row["canonical_solution"]
    return Problem(row["task_id"], row["instruct_prompt"], row["test"], right=(right,))
