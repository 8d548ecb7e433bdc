"""By which inputs programs are compared, and by what of a call: its value, or what is left of its arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.checks.execution import BY_CHANCE, Run
from agent.counting import comparing
from agent.counting.comparing import (
    KNOWN_RUNS,
    MUTATED,
    by_output,
    comparable_calls,
    corners_of,
    is_drawn,
    known_calls,
    probes_of,
    run_inputs,
    unjudged_calls,
    valid_of,
)
from agent.examples import read_brief
from agent.state import AgentState, Task
from agent.state.domain import Domain
from agent.trust.facts import OUTPUT
from sandbox.types import CallOutput
from tests.agent.nodes.scripted import ENDED, Script, candidate, check, state, suite

SORTS = "Write sort_it(xs). It sorts the list in place and returns nothing."
SHOWN = "Write put(xs, n).\n\n>>> xs = [1]\n>>> put(xs, 2)\n>>> xs\n[1, 2]"
DOMAIN = Domain("", "f", (), ("f(5)", "f(6)"), ("f(700)",))


def told(text: str, code: str | None = None, *calls: str, **more: Any) -> AgentState:
    """A run of this task whose tests state these calls."""
    checks = [check(f"t{at}", call=call, expected="1") for at, call in enumerate(calls)]
    group = [suite(*checks)] if checks else []
    return state(*group, **{"task": Task(text, code=code), "brief": read_brief(text, code, ())} | more)


@pytest.mark.parametrize(
    ("text", "code", "call", "made"),
    [
        (SORTS, None, "sort_it([2, 1])", "[[sort_it(a0), [a0]] for a0 in [[2, 1]]][0][-1][0]"),
        (SORTS, None, "sort_it([2], {1})", "[[sort_it(a0, a1), [a0, a1]] for a0 in [[2]] for a1 in [{1}]][0][-1]"),
        (SORTS, None, "sort_it('ab')", "sort_it('ab')"),
        (SHOWN, None, "put([1], 2)", "[[put(a0, 2), [a0]] for a0 in [[1]]][0][-1][0]"),
        (SHOWN.replace(">>> put", ">>> xs = put"), None, "put([1], 2)", "put([1], 2)"),
        ("Write put(xs, n), which returns a list. put([1], 2) == [1, 2]", None, "put([1], 2)", "put([1], 2)"),
        (SORTS, "def sort_it(xs): xs.sort()", "sort_it([2, 1])", "sort_it([2, 1])"),
        (SORTS.replace("sort_it(xs)", "a class Sorter with sort_it(xs)"), None, "sort_it([1])", "sort_it([1])"),
    ],
)  # fmt: skip
async def test_of_a_call_that_changes_its_argument_what_is_left_is_compared(
    monkeypatch: pytest.MonkeyPatch, text: str, code: str | None, call: str, made: str
) -> None:
    async def run_calls(_context: Any, _config: Any, _candidate: Any, calls: list[str]) -> Run:
        return Run("c1", "probes", ENDED, outputs={each: CallOutput("value", each) for each in calls})

    monkeypatch.setattr(comparing, "run_calls", run_calls)
    context: Any = Script()
    ran = await run_inputs(context, told(text, code), candidate(), [call])
    assert ran.outputs == {call: CallOutput("value", made)}


def test_inputs_are_those_that_a_validator_allows_or_else_may_be_allowed() -> None:
    of = told("Write f(n).", None, "f(1)")
    assert (valid_of(of), unjudged_calls(of)) == ((), ())
    assert set(corners_of(of)) <= set(probes_of(of))
    judged = told("Write f(n).", None, "f(1)", domains=[DOMAIN], admitted={"f(1)": "", "f(0)": "n is positive"})
    assert probes_of(judged) == ()
    assert {"f(5)", "f(6)", "f(700)"} <= set(valid_of(judged))
    assert "f(0)" not in {*valid_of(judged), *unjudged_calls(judged)}
    assert "f(1)" not in unjudged_calls(judged), "it was asked about already"
    refused = told("Write f(n).", None, "f(1)", admitted={"f(0)": "n is positive"})
    assert ("f(0)" in probes_of(of), "f(0)" in probes_of(refused)) == (True, False)


def test_a_script_is_compared_by_its_output_alone() -> None:
    of = told("Print the first ten primes, one per line.", None, "f(1)")
    assert (by_output(of), probes_of(of), corners_of(of)) == (True, (OUTPUT,), ())
    assert comparable_calls(of) == ("f(1)", "1"), "what its output is, no expression gives"
    assert (by_output(told("Write f(n).")), by_output(state())) == (False, False)


def test_numbers_of_the_task_are_tried_and_those_of_its_examples_and_beyond_four_are_not() -> None:
    of = told("Write f(n) for n up to 100, 200, 300, 400 and 500. f(800) == 1", None, "f(1)")
    tried = set(corners_of(of))
    assert {f"f({n})" for n in (100, 200, 300, 400)} <= tried
    assert tried.isdisjoint({"f(500)", "f(800)"})


def test_known_calls_come_once_each_with_their_values() -> None:
    of = told("Write f(n).", None, "f(1)", "f(2)", "f(1)")
    assert known_calls(of) == ["f(1)", "f(2)"]
    assert comparable_calls(of)[:3] == ("f(1)", "f(2)", "1")
    assert len(comparable_calls(of)) == len(set(comparable_calls(of)))


def test_runs_of_a_program_are_compared_by_all_of_their_output() -> None:
    text = "Write a command line program that reads numbers from standard input and prints their sum."
    calls = [f"run_program([], '{n}')" for n in range(KNOWN_RUNS + 2)]
    sources = [f"def t{n}():\n    assert {call}.stdout == '1'" for n, call in enumerate(calls)]
    checks = [replace(check(f"t{n}", call=None, expected=None), source=source) for n, source in enumerate(sources)]
    of = told(text, suites=[suite(*checks)])
    assert [call for call in probes_of(of) if call in calls] == calls[:KNOWN_RUNS]
    assert not [call for call in probes_of(told("Write f(n).", suites=[suite(*checks)])) if call in calls]


def test_changed_calls_are_tried_where_no_inputs_are_generated() -> None:
    of = told("Write f(n).", None, "f(123)")
    changed = set(probes_of(of)) - {*corners_of(of)}
    assert 0 < len(changed) <= MUTATED
    judged = told("Write f(n).", None, "f(123)", domains=[DOMAIN])
    assert changed.isdisjoint(unjudged_calls(judged))


@pytest.mark.parametrize(
    ("text", "code", "uses"),
    [
        ("Write a class Stack with push(x) and pop().", None, ["[it.push(1), it.pop()]"]),
        ("Write a class Stack with push(x), pop() and an attribute size.", None, ["[it.push(1), it.size, it.pop()]"]),
        ("Write a class Stack with push(x) and pop().", "class Stack: ...", []),
        ("Write a function push(x) for class Stack.", None, []),
    ],
)
def test_uses_of_a_class_are_compared_by_what_every_author_must_define(
    text: str, code: str | None, uses: list[str]
) -> None:
    source = "def t():\n    s = Stack()\n    s.push(1)\n    assert s.size == 1\n    assert s.pop() == 1\n"
    group = suite(replace(check("t", call=None, expected=None), source=source))
    found = [call for call in probes_of(told(text, code, suites=[group])) if " for it in " in call]
    assert [call.partition(" for it in ")[0].removeprefix("[") for call in found[:1]] == uses


ROLLS = "import random\ndef f(n): return random.random()"


@pytest.mark.parametrize(
    ("text", "roots", "codes", "drawn"),
    [
        ("Write f(n).", ["c1", "c2"], [ROLLS, f"{ROLLS} + 1"], True),
        ("Write f(n).", ["c1", "c1"], [ROLLS, f"{ROLLS} + 1"], False),
        ("Write f(n).", ["c1", "c2"], [ROLLS, ROLLS], False),
        ("Write f(n).", ["c1"], [ROLLS], False),
        ("Write f(n). It returns a random number.", ["c1"], [ROLLS], True),
        ("Write f(n). It returns a random number.", [], [], False),
    ],
)
def test_chance_decides_what_the_task_or_programs_of_two_families_leave_to_it(
    text: str, roots: list[str], codes: list[str], drawn: bool
) -> None:
    families = enumerate(zip(roots, codes, strict=True), 1)
    programs = [replace(candidate(f"c{at}", code), root=root) for at, (root, code) in families]
    runs = [Run(one.id, "probes", ENDED, outputs={"f(1)": BY_CHANCE}) for one in programs]
    of = told(text, None, candidates=[*programs, candidate("c9", "def f(n): return 4")], runs=runs)
    assert is_drawn(of, check()) is drawn
    assert not is_drawn(of, check(call="f(2)"))
    assert not is_drawn(of, check(call=None))
    assert not is_drawn(replace(of, task=Task(text, code=ROLLS)), check()), "what was given says more"
