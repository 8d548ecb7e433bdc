"""MBPP, its sanitised part (google-research, CC-BY-4.0): short tasks that rarely give an example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .problem import Problem, graded_by_check, missing, rows

IMPORTS = "import math\n\n"
"""Some of the official tests call it without importing it."""


def load(data: Path | None) -> list[Problem]:
    """From `mbpp.jsonl`; rows without a sanitised form are left out, and one that cannot be graded. Raises BadSuite."""
    try:
        found = [(row["task_id"], row["sanitized"]) for row in rows(data, "mbpp.jsonl") if row.get("sanitized")]
        return [
            Problem(str(name), part["prompt"], IMPORTS + graded_by_check(part["test"], part["entry_point"]))
            for name, part in found
            if not _tests_itself(part)
        ]
    except KeyError as error:
        raise missing(data, error) from None


def _tests_itself(part: dict[str, Any]) -> bool:
    """The program under test is called `check`, like the function that tests it."""
    return str(part["test"]).count("check(") > 1
