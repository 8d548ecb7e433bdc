"""Loads MBPP (google-research), short tasks that rarely give an example: its sanitised part, and the whole."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from .problem import Problem, graded_by_check, imported, problems

IMPORTS = "import math\n\n"
"""Some of the official tests use `math` without importing it."""
HUB = "google-research-datasets/mbpp:full:prompt+test+validation+train"


def load(data: Path | None) -> list[Problem]:
    """Returns the sanitised problems of `mbpp.jsonl`. Rows without a sanitised form, and one that cannot be graded, are
    left out. Raises BadSuite."""
    return problems(_sanitised, data, "mbpp.jsonl")


def _sanitised(row: dict[str, Any]) -> Problem | None:
    part: dict[str, Any] | None = row.get("sanitized")
    # If the program under test is called `check`, it would test itself.
    if not part or str(part["test"]).count("check(") > 1:
        return None
    solution = part.get("canonical_solution")
    # The known answers have an indentation of their own, which the docstring of the prompt would break.
    right = (part["prompt"].partition("    '''")[0] + solution,) if solution else ()
    hidden = IMPORTS + graded_by_check(part["test"], part["entry_point"])
    return Problem(str(row["task_id"]), part["prompt"], hidden, right=right)


def load_full(data: Path | None) -> list[Problem]:
    """Returns all problems of `mbpp.jsonl`. The text alone names no function, so that the task shows the first official
    assert, as the authors' own prompt shows all of them. Raises BadSuite."""
    return problems(partial(_whole, shown=1), data, "mbpp.jsonl", HUB)


def load_two_shown(data: Path | None) -> list[Problem]:
    """Returns the problems with two official asserts as examples, graded by all of them. Problems without a third are
    left out. Raises BadSuite."""
    return problems(partial(_whole, shown=2), data, "mbpp.jsonl", HUB)


def _whole(row: dict[str, Any], *, shown: int) -> Problem | None:
    asserts = [*row["test_list"], *row.get("challenge_test_list", ())]
    if len(asserts) <= shown:
        return None
    body = "\n".join([row.get("test_setup_code") or "", *asserts])
    test = re.sub(r"^", "    ", body.replace("\r", ""), flags=re.MULTILINE)
    examples = "\n".join(one.removeprefix("assert ").strip() for one in asserts[:shown])
    task = f"{row['text']}\n\nFor example: {examples}"
    code = row["code"].replace("\r", "")
    called = [name for name in dict.fromkeys(re.findall(r"^def (\w+)", code, re.MULTILINE)) if f"{name}(" in body]
    return Problem(str(row["task_id"]), task, f"{IMPORTS}{imported(called)}def test_hidden():\n{test}\n", right=(code,))
