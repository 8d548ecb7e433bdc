"""Loads BigCodeBench (bigcode): tasks with several library calls, graded by unittest classes.

Many of its tasks need more packages.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .problem import Problem, problems

NAME, HUB = "BigCodeBench.jsonl", "bigcode/bigcodebench::v0.1.4"


def load(data: Path | None) -> list[Problem]:
    """Returns the problems of `BigCodeBench.jsonl`, in the wording of an instruction. Raises BadSuite."""
    return problems(_problem, data, NAME, HUB)


def _problem(row: dict[str, Any]) -> Problem:
    right = row["complete_prompt"] + row["canonical_solution"]
    return Problem(row["task_id"], row["instruct_prompt"], row["test"], right=(right,))
