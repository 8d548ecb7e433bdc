"""Loads HumanEval+ and MBPP+ (evalplus), the old tasks with many more inputs, from both published forms."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .problem import Problem, graded_by_check, problems

HUMANEVAL, MBPP = "HumanEvalPlus.jsonl", "MbppPlus.jsonl"
_SAME = '''
def same(found, expected, tolerance):
    """Equal; numbers with a fraction nearly so, also within lists, tuples and dicts."""
    if isinstance(expected, float) or (tolerance and isinstance(expected, int)):
        return isinstance(found, (int, float)) and (
            found == expected or abs(found - expected) <= max(tolerance, 1e-6) * max(1.0, abs(expected))
            or (found != found and expected != expected))
    if isinstance(expected, (list, tuple)):
        return isinstance(found, (list, tuple)) and len(found) == len(expected) and all(
            same(a, b, tolerance) for a, b in zip(found, expected))
    if isinstance(expected, dict):
        return isinstance(found, dict) and set(found) == set(expected) and all(
            same(found[key], expected[key], tolerance) for key in expected)
    return found == expected
'''


def load_humaneval(data: Path | None) -> list[Problem]:
    """Returns the problems of `HumanEvalPlus.jsonl`. Raises BadSuite."""
    return _load(data, HUMANEVAL, "evalplus/humanevalplus::test", lambda row: row["prompt"] + row["canonical_solution"])


def load_mbpp(data: Path | None) -> list[Problem]:
    """Returns the problems of `MbppPlus.jsonl`. Raises BadSuite."""
    return _load(data, MBPP, "evalplus/mbppplus::test", lambda row: row.get("code") or row["canonical_solution"])


def _load(data: Path | None, name: str, hub: str, solution: Callable[[dict[str, Any]], str]) -> list[Problem]:
    def made(row: dict[str, Any]) -> Problem:
        return Problem(str(row["task_id"]), _task(row), _hidden(row, solution(row)), right=(solution(row),))

    return problems(made, data, name, hub)


def _task(row: dict[str, Any]) -> str:
    """Returns the task's text. The words of MBPP name no function, but its first assert does."""
    asserts = [line for line in row.get("test_list") or () if line.startswith("assert")]
    shown = f"\n\nFor example: {asserts[0].removeprefix('assert ')}" if asserts else ""
    return row["prompt"] + shown


def _hidden(row: dict[str, Any], solution: str) -> str:
    if "plus_input" in row:
        return _by_inputs(row, solution)
    if "entry_point" in row and "def check(" in row["test"]:
        return graded_by_check(row["test"], row["entry_point"])
    return in_a_test("\n".join([*(row.get("test_imports") or ()), row["test"]]))


def _by_inputs(row: dict[str, Any], solution: str) -> str:
    """Returns hidden tests for the form that holds only inputs. What the reference returns for an input is what is
    expected."""
    entry, inputs = row["entry_point"], [*row["base_input"], *row["plus_input"]]
    return f"""import copy
import pytest

INPUTS = {inputs!r}
REFERENCE = {{}}
exec({solution!r}, REFERENCE)
{_SAME}

def test_hidden():
    for given in INPUTS:
        expected = REFERENCE[{entry!r}](*copy.deepcopy(given))
        found = {entry}(*copy.deepcopy(given))
        assert same(found, expected, {float(row.get("atol") or 0)!r}), given
"""


def in_a_test(source: str) -> str:
    """Returns a module with one test, from a script of imports, definitions and data, then loops and asserts."""
    body = ast.parse(source).body
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    first = next((n for n, node in enumerate(body) if not isinstance(node, kept)), len(body))
    told = ast.unparse(ast.Module(body[:first], []))
    asked = ast.unparse(ast.Module(body[first:] or [ast.Pass()], []))
    tests = "\n".join(f"    {line}" for line in asked.splitlines())
    return f"{told}\n\n\ndef test_hidden():\n{tests}\n"
