"""Loads QuixBugs (jkoppel/QuixBugs, MIT): classic algorithms with one defective line.

It reads a checkout of the repository.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .problem import BadSuite, Problem

BROKEN, MENDED, CASES = "python_programs", "correct_python_programs", "json_testcases"


def load(data: Path | None) -> list[Problem]:
    """Returns the programs that have JSON test cases. Raises BadSuite."""
    if data is None:
        raise BadSuite(f"this suite needs --data PATH: a checkout of QuixBugs, with {BROKEN}, {MENDED} and {CASES}")
    found = [_problem(data, path) for path in sorted((data / CASES).glob("*.json"))]
    if not found:
        raise BadSuite(f"{data} holds no {CASES}/*.json")
    return found


def _problem(folder: Path, path: Path) -> Problem:
    name = path.stem
    try:
        broken, mended = ((folder / part / f"{name}.py").read_text(encoding="utf-8") for part in (BROKEN, MENDED))
        cases = list(_cases(path.read_text(encoding="utf-8")))
        code, words = _without_words(broken, name)
    except OSError as error:
        raise BadSuite(f"{error.filename} cannot be read: {error.strerror}") from None
    except (ValueError, SyntaxError) as error:
        raise BadSuite(f"{path}: {error}") from None
    task = f"{name} has a bug in one line. Find and fix it, change nothing else."
    return Problem(name, f"{task}\n\n{words}".strip(), _hidden(name, cases), code, kind="repair", right=(mended,))


def _cases(text: str) -> Iterator[tuple[list[Any], Any]]:
    """Yields (arguments, expected) for each line. The argument of a single parameter is not always in a list. Raises
    ValueError."""
    for line in text.splitlines():
        if line.strip():
            given, expected = json.loads(line)
            yield given if isinstance(given, list) else [given], expected


def _without_words(source: str, name: str) -> tuple[str, str]:
    """Returns the program, and the description that stands as a string behind its function and belongs to the task."""
    tree = ast.parse(source)
    texts = [n for n in tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)]
    words = "\n\n".join(str(ast.literal_eval(node.value)).strip() for node in texts)
    lines = source.splitlines(keepends=True)
    for node in reversed(texts):
        del lines[node.lineno - 1 : node.end_lineno]
    if not any(isinstance(node, ast.FunctionDef) and node.name == name for node in tree.body):
        raise ValueError(f"the program defines no function {name}")
    return "".join(lines).strip() + "\n", words


def _hidden(name: str, cases: list[tuple[list[Any], Any]]) -> str:
    """Returns the hidden tests. Generators and tuples count as the lists that JSON has for them."""
    return f"""import pytest

CASES = {cases!r}


def plain(value):
    if isinstance(value, (str, int, float, bool, type(None), dict)):
        return value
    return [plain(each) for each in value]


@pytest.mark.parametrize("number", range({len(cases)}))
def test_case(number):
    given, expected = CASES[number]
    found = plain({name}(*given))
    if isinstance(expected, float):
        assert found == pytest.approx(expected)
    else:
        assert found == expected
"""
