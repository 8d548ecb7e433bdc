"""HumanEval (openai/human-eval, MIT): function stubs with a docstring, graded by the official tests."""

from __future__ import annotations

from pathlib import Path

from .problem import Problem, graded_by_check, missing, rows


def load(data: Path | None) -> list[Problem]:
    """From `humaneval.jsonl`. Raises BadSuite."""
    try:
        return [
            Problem(
                row["task_id"],
                row["prompt"],
                graded_by_check(row["test"], row["entry_point"]),
                right=(row["prompt"] + row["canonical_solution"],) if "canonical_solution" in row else (),
            )
            for row in rows(data, "humaneval.jsonl", "openai/openai_humaneval::test")
        ]
    except KeyError as error:
        raise missing(data, error) from None
