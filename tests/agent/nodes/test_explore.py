"""What inputs call is told by what is written, whether it is new or was given."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from agent.checks.program_calls import HARNESS
from agent.checks.trial import Unusable
from agent.counting.counted import brute_force_of
from agent.events import Noted
from agent.examples import read_brief
from agent.examples.bruteforce import Form
from agent.nodes import write_inputs
from agent.nodes.explore import entry_of, examples_of
from agent.programs import example_suite
from agent.state import AgentState, Task
from agent.state.domain import Domain, beyond_literals
from agent.state.done import Done
from llm.errors import BadReply

from .scripted import TEXT, Script, check, state, step, suite

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


box = import_module("agent.nodes.explore")
ONE = Domain("source", "f", ("n is positive.",), ("f(1)",), ("f(9)", "f(8)"))
BRIEF = read_brief("Write f(n). f(1) == 2", None, ())


async def asked_for_inputs(
    monkeypatch: pytest.MonkeyPatch, trials: list[Domain | Exception], **more: Any
) -> tuple[Any, Script]:
    """The box, with what comes of the trial of each generator that is written."""
    left = list(trials)

    async def try_domain(
        _context: Any, _config: Any, _reply: Any, entry: str, _given: Any, *, is_class: bool
    ) -> Domain:
        assert (entry, is_class) == ("f", False)
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(box, "try_domain", try_domain)
    script = Script({"input_writer": "a module"})
    return await step(write_inputs, state(**{"brief": BRIEF} | more), script), script


async def test_a_generator_that_fails_its_trial_is_asked_for_once_more_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    update, script = await asked_for_inputs(monkeypatch, [Unusable("it gives no input"), ONE])
    assert update == {"done": [Done("inputs")], "domains": [ONE]}
    assert [(name, seen["refused"]) for _, name, seen in script.asked] == [
        ("inputs:1", ""),
        ("inputs:2", "it gives no input"),
    ]
    first = script.asked[0][2]
    assert (first["template"], first["task"], first["name"], first["kind"]) == ("write", TEXT, "f", "function")
    assert script.told == [Noted("3 inputs were generated that the task allows; limits: n is positive.")]
    update, script = await asked_for_inputs(monkeypatch, [Unusable("none"), Unusable("it refuses f(1)"), ONE])
    assert (update["domains"], len(script.asked)) == ([], 2)
    assert script.told == [Noted("the generator of inputs was thrown away: it refuses f(1)")]


async def test_a_generator_without_limits_or_without_words_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    _, script = await asked_for_inputs(monkeypatch, [replace(ONE, limits=())])
    assert script.told == [Noted("3 inputs were generated that the task allows; no limit was quoted")]
    update, script = await asked_for_inputs(monkeypatch, [BadReply("no words")])
    assert (update, len(script.asked)) == ({"done": [Done("inputs")], "domains": []}, 1)
    assert script.told == [Noted("no generator of inputs was written: no words")]


async def test_what_given_code_did_says_nothing_of_what_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = ("f([one, two])", "f([make(1)])", "f(jobs)", "f(date(2020, 1, 1))")
    kept = [
        replace(check(f"k{n}", "kept"), source=f"def a():\n    assert g({call}) == 1") for n, call in enumerate(calls)
    ]
    update, _ = await asked_for_inputs(monkeypatch, [ONE], suites=[suite(*kept)])
    assert update["domains"] == [ONE]


@pytest.mark.parametrize(
    ("more", "kept", "told"),
    [
        ({"domains": [ONE]}, [ONE], []), ({"brief": None}, [], []),
        ({"suites": [suite(replace(check(), source=f"def a():\n    assert g({call}) == 1"))
                     for call in ("f([one, two])", "f([make(1)])", "f(jobs)", "f(date(2020, 1, 1))")]}, [],
         [Noted("no inputs are generated: what f takes cannot be written as literals")]),
    ],
)  # fmt: skip
async def test_nobody_is_asked_for_inputs_that_are_there_or_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, more: dict[str, Any], kept: list[Domain], told: list[Noted]
) -> None:
    update, script = await asked_for_inputs(monkeypatch, [], **more)
    assert (update["domains"], script.asked, script.told) == (kept, [], told)
