"""What inputs call is told by what is written, whether it is new or was given."""

from __future__ import annotations

import pytest

from agent.checks.program_calls import HARNESS
from agent.counting.counted import brute_force_of
from agent.examples import read_brief
from agent.examples.bruteforce import Form
from agent.nodes.explore import entry_of, examples_of
from agent.programs import example_suite
from agent.state import AgentState, Task
from agent.state.domain import Domain, beyond_literals

CLASS = "class Stack:\n    def push(self, x):\n        return x\n"
FUNCTION = "def best(xs):\n    return max(xs)\n"
PROGRAM = "import sys\n\nprint(max(map(int, sys.stdin.read().split())))\n"
WISH = "It gives the smallest of all possible sums, but the largest possible sum is wanted."


def given(code: str) -> AgentState:
    return AgentState(task=Task(WISH, code=code), brief=read_brief(WISH, code, ()))


@pytest.mark.parametrize(("code", "entry"), [(PROGRAM, HARNESS), (CLASS, "Stack"), (FUNCTION, "best")])
def test_a_given_program_is_started_and_what_else_is_given_is_called(code: str, entry: str) -> None:
    assert entry_of(given(code)) == entry


def test_a_package_is_looked_into_and_not_called() -> None:
    text = "Build a package named geo with modules a and b. geo.a.area(2) == 4"
    brief = read_brief(text, None, ())
    assert brief.entry_point == "geo"
    assert entry_of(AgentState(task=Task(text), brief=brief)) is None


@pytest.mark.parametrize(("code", "form"), [(FUNCTION, "program"), (PROGRAM, "program"), (CLASS, None)])
def test_a_given_class_is_asked_for_as_slow_and_obvious_no_more_than_a_new_one(code: str, form: str | None) -> None:
    assert brute_force_of(given(code)) == form


@pytest.mark.parametrize(
    ("calls", "beyond"),
    [
        (["f([])", "f([one, two])", "f([make(1)])", "f(jobs)", "f(date(2020, 1, 1))"], True),
        (["f([])", "f([1])", "f(xs)", "f(2)"], False),
        (["f(xs)", "f(ys)"], False),
    ],
)
def test_no_inputs_are_asked_for_where_literals_cannot_tell_them(calls: list[str], beyond: bool) -> None:
    assert beyond_literals([f"def test():\n    assert g({call}) == 1" for call in calls], "f") == beyond


def test_examples_of_a_class_are_uses_of_its_objects() -> None:
    text = (
        "Write a class Stack with push(x) and pop().\n\n>>> s = Stack()\n>>> s.push(1)\n>>> s.push(2)\n>>> s.pop()\n2\n"
    )
    brief = read_brief(text, None, ())
    suite = example_suite(brief.examples)
    assert suite is not None
    state = AgentState(task=Task(text), brief=brief, suites=[suite])
    assert examples_of(state, "Stack") == ["[[it.push(1), it.push(2), it.pop()] for it in [Stack()]][0]"]


@pytest.mark.parametrize(
    ("planned", "said", "form"), [("checker", None, "checker"), (None, "checker", "checker"), (None, None, None)]
)
def test_how_small_inputs_are_decided_is_told_by_planner_or_input_writer_where_the_words_do_not(
    planned: Form | None, said: Form | None, form: Form | None
) -> None:
    text = "Schreibe best_sum(numbers): die größte Summe eines zusammenhängenden Teils."
    domain = Domain("", "best_sum", (), (), (), said)
    state = AgentState(task=Task(text), brief=read_brief(text, None, ()), planned_form=planned, domains=[domain])
    assert brute_force_of(state) == form
