"""A program on one line of the task's text."""

from __future__ import annotations

import pytest

from agent.state import Task
from agent.task.pasted import with_pasted


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Fix: def add(a, b): return a - b", "def add(a, b): return a - b"),
        ("Fix this: def add(a, b): return a - b\nIt should add.", "def add(a, b): return a - b"),
        ("Explain: async def f(x): return x", "async def f(x): return x"),
        ("Implement: def add(a, b): ...", None),
        ("Write this: def add(a, b): return the sum", None),
        ("Write is_even, like: def is_odd(n): return n % 2 == 1", None),
    ],
)
def test_a_function_on_one_line_behind_a_colon(text: str, code: str | None) -> None:
    found = with_pasted(Task(text)).code
    assert (found and found.strip()) == code
