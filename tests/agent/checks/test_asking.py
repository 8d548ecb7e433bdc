"""Which checks can be put to a reader who sees no program, and in which words."""

from __future__ import annotations

import pytest

from agent.checks.asking import NO_EXCEPTION, Question, question_of
from agent.checks.splitting import parse_suite
from agent.state import CheckOutcome


def put(body: str, header: str = "") -> Question | None:
    suite = parse_suite(f"{header}\ndef test_a():\n    {body}", "spec:1", "spec")
    return question_of(suite.checks[0], suite.header)


@pytest.mark.parametrize(
    ("body", "call", "stated"),
    [
        ("assert f(1) == [2]", "f(1)", "[2]"),
        ("it = F(3)\n    it.skip(1)\n    assert list(it) == [2, 1]", "it = F(3)\nit.skip(1)\nlist(it)", "[2, 1]"),
        (
            "'''Words.'''\n    at = [0]\n    at[0] = 9\n    assert get(at) is None",
            "at = [0]\nat[0] = 9\nget(at)",
            "None",
        ),
        ("with pytest.raises(ValueError):\n        f(-1)", "f(-1)", "raises ValueError"),
        ("it = F()\n    with raises(errors.Full):\n        it.put(1)", "it = F()\nit.put(1)", "raises Full"),
    ],
)
def test_a_test_that_states_one_thing_becomes_a_question(body: str, call: str, stated: str) -> None:
    assert put(body) == Question(call, stated)


@pytest.mark.parametrize(
    "body",
    [
        "assert f(1) == g(1)",
        "assert all(f(n) == n for n in range(9))",
        "for n in range(3):\n        assert F(n).sum == 0",
        "it = F()\n    assert it.a == 1\n    assert it.b == 2",
        "with pytest.raises(ValueError, match='no'):\n        f(-1)",
    ],
)
def test_a_test_that_says_more_or_computes_what_it_states_does_not(body: str) -> None:
    assert put(body) is None


def test_a_helper_of_the_suite_would_not_be_understood() -> None:
    body = "it = make(3)\n    assert it.sum == 3"
    assert put(body, "import math") is not None
    assert put(body, "def make(n):\n    return F(n)") is None


@pytest.mark.parametrize(
    ("stated", "status", "message", "given"),
    [
        ("2", "fail", "assert 1 == 2\n  actual: 1\n  expected: 2", "1"),
        ("2", "fail", "assert <F> == 2\n  actual: <F object>\n  expected: 2", None),
        ("2", "error", "KeyError: 'x'\n  test_solution.py:3", "raises KeyError"),
        ("2", "error", "decimal.InvalidOperation: x", "raises InvalidOperation"),
        ("raises ValueError", "fail", "DID NOT RAISE ValueError", NO_EXCEPTION),
        ("raises ValueError", "error", "MemoryError", "raises MemoryError"),
        ("raises ValueError", "timeout", "no end within 5 s", None),
        ("2", "timeout", "no end within 5 s", None),
    ],
)
def test_what_a_program_gave_is_read_from_the_message(stated: str, status: str, message: str, given: str) -> None:
    assert Question("f(1)", stated).given(CheckOutcome(status, message)) == given  # type: ignore[arg-type]
