""" "Make it faster": read from the task, and measured against the given program."""

from __future__ import annotations

import pytest

from agent.examples import read_brief, read_clauses
from agent.law.checkers.faster import check_faster
from agent.state.findings import Finding
from sandbox.types import Sandbox
from tests.tables import in_one_test

from .conftest import bench_for

UNIQUE = """def unique(xs):
    out = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out
"""
QUICK = "def unique(xs):\n    return list(dict.fromkeys(xs))\n"
SAME = UNIQUE.replace("out", "found")
OTHER = "def unique(xs):\n    return sorted(set(xs))\n"
FIB = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
LINEAR = "def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n"
QUEUE = """class Queue:
    def __init__(self):
        self._items = []

    def push(self, x):
        self._items.append(x)

    def pop(self):
        return self._items.pop(0)
"""
DEQUE = "from collections import deque\n\n" + QUEUE.replace("[]", "deque()").replace("pop(0)", "popleft()")


@in_one_test(
    "text",
    [
        "Make it faster.",
        "Can you make this function faster please?",
        "This is too slow.",
        "It runs far too long.",
        "The function is taking too long.",
        "It works, but it takes forever on large lists.",
        "unique() is really slow for long lists.",
        "Optimise this code.",
        "Please speed it up!",
        "Don't refactor it; make it faster.",
        "Improve the performance of my function",
        "Mach das schneller.",
        "Das ist zu langsam, bitte optimieren.",
        "C'est trop lent, rends-le plus rapide.",
        "Haz que sea más rápido.",
        "È troppo lento.",
        "Está muito lento, otimize por favor.",
        "Ускорь эту функцию.",
        "这个函数太慢了。",
        "この関数を高速化してください。",
    ],
)
def test_a_wish_for_speed_is_a_clause(text: str) -> None:
    assert [(clause.kind, clause.text in text) for clause in read_clauses(text, UNIQUE)] == [("faster", True)]


@pytest.mark.parametrize(
    "text",
    [
        "Add a parameter `key`.",
        "Do not optimise it, only fix the crash on None.",
        "It must be faster than O(n^2).",
        "Optimise the memory it takes.",
        "unique([1, 1]) gives [1, 1].",
        "Rename the function to dedupe, keep it simple.",
    ],
)
def test_what_asks_for_something_else_is_none(text: str) -> None:
    assert "faster" not in [clause.kind for clause in read_clauses(text, UNIQUE)]


@pytest.mark.parametrize(
    "text",
    [
        "Refactor this code.",
        "Simplify this function, please",
        "Clean up this function and make it more readable.",
        "Refactor this, it is too long; its behaviour must stay the same.",
        "Please refactor this, it is too messy; behaviour must stay the same.",
        "This function is too long. Split it into smaller ones.",
        "Please refactor this; the results have to remain unchanged.",
        "Räume diesen Code auf, das Verhalten bleibt gleich.",
        "Refactorise ce code, le comportement doit rester le même.",
        "Vereinfache das bitte.",
        "Refactoriza esta función.",
        "重构这段代码",
    ],
)
def test_a_wish_for_another_form_is_a_clause_of_code_that_is_to_be_changed(text: str) -> None:
    brief = read_brief(text, UNIQUE, ())
    assert (brief.kind, [(one.kind, one.text in text) for one in brief.clauses]) == ("extend", [("form", True)])
    assert not read_brief(text, None, ()).clauses


@pytest.mark.parametrize(
    "text",
    [
        "Refactor it to accept a second parameter key.",
        "Simplify it: it crashes on [].",
        "Refactor it, the list for [1, 1] is too long.",
        "Refactor it; the order must stay the same, and None gives [].",
        "unique([1, 1]) gives [1, 1]. Simplify it.",
        "Explain how it could be shorter.",
        "Do not refactor it, add a docstring.",
        "Clean up this function; return 0 for an empty list",
        "Simplify this so it raises ValueError on empty",
        "Refactor this to use a dict and handle None",
        "Refactor into an async function",
        "Refactor it so that the argument is not modified.",
        "Return the shorter string.",
        "Vereinfache das und gib ein Tupel zurück.",
    ],
)
def test_no_other_form_alone_is_asked_for_where_it_does_wrong_or_shall_do_more(text: str) -> None:
    assert "form" not in [clause.kind for clause in read_brief(text, UNIQUE, ()).clauses]


@pytest.mark.parametrize("text", ["Please refactor this, it is too long.", "The function gets too long, split it up."])
def test_a_program_that_is_too_long_is_not_slow(text: str) -> None:
    assert "faster" not in [clause.kind for clause in read_brief(text, UNIQUE, ()).clauses]


def test_shorter_and_faster_is_both() -> None:
    found = read_clauses("Refactor this so that it is shorter and faster, behaviour unchanged.", UNIQUE)
    assert [clause.kind for clause in found] == ["faster", "form"]


def test_no_program_no_clause_and_none_where_nothing_is_to_be_changed() -> None:
    assert not read_clauses("Make it faster.", None)
    assert not read_brief("Explain why it is too slow.", UNIQUE, ()).clauses


async def finding(sandbox: Sandbox, given: str, code: str, *calls: str) -> Finding:
    bench = bench_for(sandbox, "Make it faster.", code, calls, given=given)
    return await check_faster(bench.brief.clauses[0], bench)


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("given", "code", "calls"),
    [(UNIQUE, QUICK, ["unique([3, 1, 3, 2])"]), (FIB, LINEAR, ["fib(10)"]), (QUEUE, DEQUE, [])],
    ids=["function", "number", "class"],
)
async def test_a_faster_program_is_told_by_how_much(sandbox: Sandbox, given: str, code: str, calls: list[str]) -> None:
    found = await finding(sandbox, given, code, *calls)
    assert found.standing == "kept", found.told
    assert "times as fast as the given program" in found.told
    back = await finding(sandbox, code, given, *calls)
    assert back.standing == "open"
    assert back.told.startswith("not faster: measured 0."), back.told


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (UNIQUE + "\n# quicker now\n", "it is the given program"),
        (SAME, "not faster: measured"),
        (OTHER, "is not the given program's"),
    ],
)
async def test_what_is_not_shown_to_be_faster_stays_open(sandbox: Sandbox, code: str, said: str) -> None:
    found = await finding(sandbox, UNIQUE, code, "unique([3, 1, 3, 2])")
    assert (found.standing, said in found.told) == ("open", True), found.told
