"""Steps that depend on one another, written as one expression, do what they did as statements."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from agent.source.steps import as_expression, steps_of

SESSIONS = [
    ("a = [1]\nb = a\nb.append(2)", "a"),
    ("a, b = [1], [2]\na.extend(b)", "a + b"),
    ("d = {}\nd['x'] = 1\nn = len(d)\nn += 4", "(d, n)"),
    ("s = []\nfor n in (1, 2, 3):\n    s.append(n)", "s"),
    ("s = []\ntry:\n    s.pop()\nexcept IndexError:\n    pass\ns.append(1)", "s"),
    ("s = [3]\nassert s.pop() == 4", "s"),
]


def outcome_of(step: Any) -> Any:
    try:
        return step()
    except Exception as error:  # noqa: BLE001 - that is what it gives
        return type(error).__name__


@pytest.mark.parametrize(("session", "asked"), SESSIONS)
def test_the_expression_does_what_the_statements_do(session: str, asked: str) -> None:
    call = as_expression(ast.parse(session).body, asked)
    assert call is not None
    space: dict[str, Any] = {}
    exec(session.replace("assert s.pop() == 4", "s.pop()"), space)
    assert eval(call, {"outcome_of": outcome_of}) == eval(asked, space)


@pytest.mark.parametrize(("session", "asked"), SESSIONS)
def test_the_statements_are_read_out_of_the_expression_again(session: str, asked: str) -> None:
    call = as_expression(ast.parse(session).body, asked)
    found = steps_of(call or "")
    assert found is not None
    before, last = found
    space: dict[str, Any] = {}
    exec("\n".join(before), space)
    assert eval(last, space) == eval(call or "", {"outcome_of": outcome_of})


@pytest.mark.parametrize("session", ["f(1)", "import os\nx = 1", "x = 1\nwith open('a') as f:\n    pass", ""])
def test_what_names_nothing_or_is_no_expression_is_none(session: str) -> None:
    assert as_expression(ast.parse(session).body, "x") is None


@pytest.mark.parametrize("call", ["f(2)", "[f(n) for n in range(3)][0]", "[1, 2][0]", "[f(n) for n in [2]][1]", "f("])
def test_another_expression_holds_no_steps(call: str) -> None:
    assert steps_of(call) is None
