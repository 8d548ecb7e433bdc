"""Loads HumanEval (openai/human-eval, MIT): function stubs with a docstring, graded by the official tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .problem import Problem, graded_by_check, problems


def load(data: Path | None) -> list[Problem]:
    """Returns the problems of `humaneval.jsonl`. Raises BadSuite."""
    return problems(_problem, data, "humaneval.jsonl", "openai/openai_humaneval::test")


def _problem(row: dict[str, Any]) -> Problem:
    hidden = graded_by_check(row["test"], row["entry_point"])
    right = (row["prompt"] + row["canonical_solution"],) if "canonical_solution" in row else ()
    return Problem(row["task_id"], row["prompt"], hidden, right=right)
