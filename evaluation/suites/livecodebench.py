"""Loads contest problems in LiveCodeBench's form: programs that read standard input, or a method of `Solution`."""

from __future__ import annotations

import base64
import io
import json
import pickle
import zlib
from pathlib import Path
from typing import Any

from .problem import BadSuite, Problem, problems

NAME, HUB = "livecodebench.jsonl", "livecodebench/code_generation_lite::test"
SECONDS = 20.0
"""The CPU seconds for each hidden test."""
_BY_STDIN = """import pytest

CASES = {cases!r}


def words(text):
    return [line.split() for line in text.strip().splitlines()]


@pytest.mark.parametrize("number", range({count}))
def test_case(number):
    given, expected = CASES[number]
    ran = run_program(stdin=given)
    assert ran.exit_code == 0
    assert words(ran.stdout) == words(expected)
"""
_BY_METHOD = """import json
import pytest

CASES = {cases!r}


@pytest.mark.parametrize("number", range({count}))
def test_case(number):
    given, expected = CASES[number]
    found = Solution().{name}(*map(json.loads, given.splitlines()))
    assert found == json.loads(expected)
"""


class _TextOnly(pickle.Unpickler):
    """Reads a pickled text, the form of the published private cases. Nothing else may be made from them."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")


def load(data: Path | None) -> list[Problem]:
    """Returns the problems of `livecodebench.jsonl`. Raises BadSuite."""
    try:
        return problems(_problem, data, NAME, HUB)
    except BadSuite:
        raise
    except (ValueError, zlib.error, pickle.UnpicklingError, EOFError) as error:
        raise BadSuite(f"{data}: test cases cannot be read: {error}") from None


def _problem(row: dict[str, Any]) -> Problem:
    public, private = json.loads(row["public_test_cases"]), _private(row.get("private_test_cases") or "[]")
    cases = [(case["input"], case["output"]) for case in [*public, *private]]
    starter = row.get("starter_code") or ""
    hidden, asked = (_BY_METHOD, f"\n\nComplete this:\n\n{starter}") if starter else (_BY_STDIN, _SAYS)
    name = json.loads(row.get("metadata") or "{}").get("func_name", "")
    if starter and not name.isidentifier():
        raise ValueError(f"{row['question_id']}: metadata names no func_name")
    right = (row["canonical_solution"],) if row.get("canonical_solution") else ()
    source = hidden.format(cases=cases, count=len(cases), name=name)
    return Problem(str(row["question_id"]), row["question_content"] + asked, source, seconds=SECONDS, right=right)


_SAYS = "\n\nWrite a program that reads standard input and writes to standard output."


def _private(text: str) -> list[dict[str, str]]:
    """Returns the private cases: plain JSON, or JSON in a pickle, in zlib, in base64."""
    if text.lstrip().startswith("["):
        return json.loads(text)
    packed = zlib.decompress(base64.b64decode(text))
    return json.loads(_TextOnly(io.BytesIO(packed)).load())
