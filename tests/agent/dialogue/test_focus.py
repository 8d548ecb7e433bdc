"""A long program is told by the definitions that matter, and a repair of those is put back into the whole."""

from __future__ import annotations

import ast

import pytest

from agent.source.focus import focused, merged

MANY = "".join(f"def unused_{n}(x):\n    return x + {n}\n\n\n" for n in range(5000))
PROGRAM = (
    '"""Doc."""\nimport math\n\nLIMIT = 3\n\n\n'
    + MANY
    + "def helper(x):\n    return x * LIMIT\n\n\ndef wanted(x):\n    return helper(x) + 1\n"
)


def test_what_a_failure_names_and_what_that_uses_is_told() -> None:
    assert len(PROGRAM) > 200_000
    told = focused(PROGRAM, ["wanted(1) == 3"], 2000)
    assert len(told) < 2000
    assert "def wanted(x):" in told
    assert "def helper(x):" in told
    assert "LIMIT = 3" in told
    assert "def unused_7(" not in told
    assert "are left out here: unused_0" in told
    ast.parse(told)


def test_a_short_program_is_told_as_it_is() -> None:
    assert focused("x = 1\n", [], 100) == "x = 1\n"


def test_a_long_text_that_is_no_python_keeps_its_ends() -> None:
    told = focused("def (" + "x" * 5000 + " the end", [], 200)
    assert told.startswith("def (")
    assert told.rstrip().endswith("the end")
    assert "left out" in told


def test_a_repaired_definition_takes_the_place_of_the_old_one() -> None:
    part = "import re\n\n\ndef wanted(x):\n    return helper(x)\n\n\ndef added(x):\n    return re.escape(x)\n"
    whole = merged(PROGRAM, part)
    assert whole is not None
    tree = ast.parse(whole)
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert len(names) == len(set(names)) == 5003
    space: dict[str, object] = {}
    exec(compile(tree, "whole", "exec"), space)
    assert space["wanted"](2) == 6  # type: ignore[operator]
    assert ast.get_docstring(tree) == "Doc."


@pytest.mark.slow
def test_what_changes_no_definition_is_no_repair() -> None:
    assert merged(PROGRAM, "def other():\n    pass\n") is None
    assert merged(PROGRAM, "def (") is None
