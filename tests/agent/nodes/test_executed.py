"""What is executed for which program, and when programs are compared; nothing is really run."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from agent.checks.execution import PROBES, SCRIPT, Run
from agent.counting.counted import facts_of
from agent.events import ChecksRan, Noted, TournamentHeld
from agent.examples.types import Brief
from agent.nodes import run_tests
from agent.state import AgentState, Candidate, CheckOutcome
from agent.state.domain import Domain
from agent.state.done import Done
from sandbox.types import CallOutput

from .scripted import ENDED, FAILED, PASSED, Script, candidate, check, ran, state, step, suite

box = import_module("agent.nodes.run_tests")
GROUP, OTHER = suite(check(call="f(1)")), suite(check("b", "task"))
TWO = [candidate(), candidate("c2", "def f(n): return n + 1")]


class World:
    """How each program's checks end, and what was run."""

    def __init__(self) -> None:
        self.ends: dict[str, CheckOutcome] = {}
        self.suites: list[tuple[str, str]] = []
        self.inputs: list[tuple[str, tuple[str, ...]]] = []
        self.installed: tuple[str, ...] = ()


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    told = World()

    async def run_suite(_context: Any, _config: Any, program: Candidate, group: Any) -> Run:
        told.suites.append((program.id, group.id))
        run = ran(program.id, group, told.ends.get(program.id, PASSED))
        return replace(run, execution=replace(ENDED, installed=told.installed))

    async def run_inputs(_context: Any, _state: Any, program: Candidate, calls: Any) -> Run:
        told.inputs.append((program.id, tuple(calls)))
        return Run(program.id, PROBES, ENDED, outputs=dict.fromkeys(calls, CallOutput("value", "2")))

    async def nothing(*_given: Any) -> Any:
        return [], []

    async def no_inspections(*_given: Any) -> Any:
        return []

    async def refusals(_context: Any, _config: Any, _source: str, _entry: str, calls: Any) -> dict[str, str]:
        return dict.fromkeys(calls, "not allowed")

    stand_ins = {
        "run_suite": run_suite, "run_inputs": run_inputs, "record": nothing, "inspect_new": no_inspections,
        "refusals": refusals, "corners_of": lambda _state: ["f(0)"], "unjudged_calls": lambda _state: [],
        "comparable_calls": lambda _state: ["f(0)", "f(9)"],
    }  # fmt: skip
    for name, stand_in in stand_ins.items():
        monkeypatch.setattr(box, name, stand_in)
    return told


async def executed(of: AgentState, **more: Any) -> tuple[Any, Script]:
    script = Script(**more)
    return await step(run_tests, of, script), script


async def test_every_program_meets_every_suite_that_it_has_not_met(world: World) -> None:
    of = state(GROUP, OTHER, candidates=TWO, runs=[ran("c1", GROUP, PASSED)])
    update, script = await executed(of)
    assert sorted(world.suites) == [("c1", "task"), ("c2", "spec"), ("c2", "task")]
    assert sorted((run.candidate, run.suite) for run in update["runs"] if run.suite != PROBES) == sorted(world.suites)
    assert {event.candidate for event in script.of(ChecksRan)} == {"c1", "c2"}


async def test_a_single_program_that_passes_is_run_at_corners_only(world: World) -> None:
    _, script = await executed(state(GROUP))
    assert world.inputs == [("c1", ("f(0)",))]
    assert script.of(TournamentHeld) == []


async def test_a_failing_check_makes_it_matter_what_the_program_answers(world: World) -> None:
    both = suite(check(), check("b"))
    partly = replace(ran("c1", both, PASSED), outcomes={"spec.a": PASSED, "spec.b": FAILED})
    await executed(state(both, runs=[partly]))
    assert world.inputs == [("c1", ("f(0)", "f(9)"))]


async def test_several_programs_are_compared_and_ranked(world: World) -> None:
    _, script = await executed(state(GROUP, candidates=TWO))
    assert world.inputs == [("c1", ("f(0)", "f(9)")), ("c2", ("f(0)", "f(9)"))]
    (told,) = script.of(TournamentHeld)
    assert set(told.ranking) == {"c1", "c2"}


async def test_what_was_answered_before_is_not_asked_again_and_a_program_that_passes_nothing_is_left_out(
    world: World,
) -> None:
    world.ends["c2"] = FAILED
    known = Run("c1", PROBES, ENDED, outputs={"f(0)": CallOutput("value", "2")})
    await executed(state(GROUP, candidates=TWO, runs=[known]))
    assert world.inputs == [("c1", ("f(9)",))]


async def test_nothing_new_to_compare_holds_no_tournament(world: World) -> None:
    outputs = {call: CallOutput("value", "2") for call in ("f(0)", "f(9)")}
    known = [Run(name, PROBES, ENDED, outputs=outputs) for name in ("c1", "c2")]
    _, script = await executed(state(GROUP, candidates=TWO, runs=known))
    assert (world.inputs, script.of(TournamentHeld)) == ([], [])


async def test_packages_that_were_installed_are_told_once(world: World) -> None:
    world.installed = ("right", "left")
    _, script = await executed(state(GROUP))
    assert script.of(Noted) == [Noted("installed for this run, from wheels: left, right")]
    known = replace(ran("c1", OTHER, PASSED), execution=replace(ENDED, installed=("right", "left")))
    _, script = await executed(state(GROUP, OTHER, runs=[known]))
    assert script.of(Noted) == []


async def test_the_validator_is_asked_about_inputs_that_it_has_not_judged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box, "unjudged_calls", lambda _state: ["f(-1)"])
    update, _ = await executed(state(GROUP, domains=[Domain("", "f", (), (), ())]))
    assert update["admitted"] == {"f(-1)": "not allowed"}


async def test_a_program_that_lacks_a_package_is_not_run_unless_it_may_do_without(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box, "_needs_of", lambda _candidate, _task: ("left",))
    monkeypatch.setattr(box, "may_do_without", lambda _state, names: names == ())
    update, _ = await executed(state(GROUP))
    assert (update["done"], world.suites) == ([Done("lacks", "left")], [])
    monkeypatch.setattr(box, "may_do_without", lambda _state, names: names == ("left",))
    update, _ = await executed(state(GROUP))
    assert (update["done"], world.suites) == ([Done("without", "left")], [("c1", "spec")])


@pytest.mark.parametrize(
    ("error", "broken"),
    [
        ("exit code 2", ""),
        ("IndexError: list index out of range", ""),
        ("ModuleNotFoundError: No module named 'storage'", "ModuleNotFoundError: No module named 'storage'"),
        ("SyntaxError: invalid syntax", "SyntaxError: invalid syntax"),
    ],
)
@pytest.mark.parametrize("kind", ["program", "function"])
def test_a_program_that_ends_with_an_error_where_it_is_started_without_arguments_may_be_right(
    error: str, broken: str, kind: Any
) -> None:
    started = Run("c1", SCRIPT, replace(ENDED, status="error", error=error))
    (found,) = facts_of(state(brief=Brief(kind, False, None, None), runs=[started])).candidates
    assert found.broken == (broken if kind == "program" else error)
