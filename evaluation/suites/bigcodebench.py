"""BigCodeBench (bigcode): tasks of several library calls, graded by unittest classes; many need more packages."""

from __future__ import annotations

from pathlib import Path

from .problem import Problem, missing, rows

NAME, HUB = "BigCodeBench.jsonl", "bigcode/bigcodebench::v0.1.4"


def load(data: Path | None) -> list[Problem]:
    """From `BigCodeBench.jsonl`, with the wording that instructs. Raises BadSuite."""
    try:
        return [
            Problem(
                row["task_id"],
                row["instruct_prompt"],
                row["test"],
                right=(row["complete_prompt"] + row["canonical_solution"],),
            )
            for row in rows(data, NAME, HUB)
        ]
    except KeyError as error:
        raise missing(data, error) from None
