"""MBPP (google-research): short tasks that rarely give an example; its sanitised part, and the whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .problem import Problem, graded_by_check, imported, missing, rows

IMPORTS = "import math\n\n"
"""Some of the official tests call it without importing it."""
HUB = "google-research-datasets/mbpp:full:prompt+test+validation+train"


def load(data: Path | None) -> list[Problem]:
    """From `mbpp.jsonl`; rows without a sanitised form are left out, and one that cannot be graded. Raises BadSuite."""
    try:
        found = [(row["task_id"], row["sanitized"]) for row in rows(data, "mbpp.jsonl") if row.get("sanitized")]
        return [_sanitised(str(name), part) for name, part in found if not _tests_itself(part)]
    except KeyError as error:
        raise missing(data, error) from None


def _sanitised(name: str, part: dict[str, Any]) -> Problem:
    solution = part.get("canonical_solution")
    # The known answers are indented in their own way, which the docstring of the prompt would break.
    right = (part["prompt"].partition("    '''")[0] + solution,) if solution else ()
    return Problem(name, part["prompt"], IMPORTS + graded_by_check(part["test"], part["entry_point"]), right=right)


def _tests_itself(part: dict[str, Any]) -> bool:
    """The program under test is called `check`, like the function that tests it."""
    return str(part["test"]).count("check(") > 1


def load_full(data: Path | None) -> list[Problem]:
    """All rows of `mbpp.jsonl`. The text alone names no function, so that the task shows the first of the official
    asserts, as the authors' own prompt does with all of them. Raises BadSuite."""
    try:
        return [_whole(row) for row in rows(data, "mbpp.jsonl", HUB)]
    except KeyError as error:
        raise missing(data, error) from None


def _whole(row: dict[str, Any]) -> Problem:
    asserts = [*row["test_list"], *row.get("challenge_test_list", ())]
    body = "\n".join([row.get("test_setup_code") or "", *asserts])
    test = re.sub(r"^", "    ", body.replace("\r", ""), flags=re.MULTILINE)
    task = f"{row['text']}\n\nFor example: {asserts[0].removeprefix('assert ').strip()}"
    code = row["code"].replace("\r", "")
    called = [name for name in dict.fromkeys(re.findall(r"^def (\w+)", code, re.MULTILINE)) if f"{name}(" in body]
    return Problem(str(row["task_id"]), task, f"{IMPORTS}{imported(called)}def test_hidden():\n{test}\n", right=(code,))
