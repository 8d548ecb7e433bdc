"""The turns of an attack: what is run, what the adversary is shown, and when it stops."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from agent.checks.execution import Run
from agent.config import AgentConfig
from agent.events import Noted
from agent.nodes.adversary import CONFIRMING, MAX_INPUTS, TURNS_AFTER_AGREEMENT
from agent.nodes.intake import brief_of
from agent.session.roles import TestsReply as AttackReply
from agent.state import AgentState, Candidate, Task
from agent.state.domain import Domain
from agent.state.findings import Finding, Inspection
from sandbox.types import CallOutput

from .scripted import ENDED, TEXT, Script, candidate, check, state, suite

adversary = import_module("agent.nodes.adversary")
ONE, OTHER = candidate(), candidate("c2", "def f(n): return n + 1")
KNOWN = suite(check(call="f(1)"))
DOMAIN = Domain("", "f", (), (), ())


@pytest.fixture
def gives(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], CallOutput]:
    """What a program gives for an input: 5 where a test says nothing."""
    told: dict[tuple[str, str], CallOutput] = {}

    async def run_inputs(_context: Any, _state: Any, program: Candidate, calls: list[str]) -> Run:
        outputs = {call: told.get((program.id, call), CallOutput("value", "5")) for call in calls}
        return Run(program.id, "probes", ENDED, outputs=outputs)

    monkeypatch.setattr(adversary, "run_inputs", run_inputs)
    return told


def attack(turns: int = 2, *programs: Candidate) -> Any:
    return adversary._Attack(programs or (ONE, OTHER), turns)


async def pursued(attacked: Any, first: list[str], *later: list[str] | None, of: AgentState | None = None) -> Script:
    replies = [None if calls is None else AttackReply("", calls) for calls in later]
    script = Script({"adversarial_tester": replies or None})
    given = of or state(KNOWN, candidates=[ONE, OTHER])
    await adversary._pursue(given, script, attacked, AttackReply("", first), ["a mutant"])
    return script


async def test_inputs_are_run_on_all_programs_and_a_difference_ends_the_attack(gives: Any) -> None:
    gives["c2", "f(3)"] = CallOutput("value", "4")
    attacked = attack()
    script = await pursued(attacked, ["f(2)", "f(3)", "f(2)"])
    assert attacked.inputs == ["f(2)", "f(3)"]
    assert [run.candidate for run in attacked.runs] == ["c1", "c2"]
    assert attacked.differing == ["f(3)"]
    assert script.asked == []
    assert script.told == [Noted("the adversary had 2 inputs run in 1 turns: 1 of them tell programs apart")]


async def test_while_programs_agree_it_is_shown_the_results_and_asked_again(gives: Any) -> None:
    gives["c1", "f(4)"] = gives["c2", "f(4)"] = CallOutput("exception", "ValueError")
    attacked = attack(3)
    script = await pursued(attacked, ["f(2)", "f(4)"], ["f(6)"], ["f(7)"])
    assert attacked.inputs == ["f(2)", "f(4)", "f(6)", "f(7)"]
    assert [name for _, name, _ in script.asked] == ["adversary:2", "adversary:3"]
    said, shown, again, more = script.asked[1][2]["options"].history
    assert (said.role, shown.role, again.role, more.role) == ("assistant", "user", "assistant", "user")
    assert json.loads(said.content) == {"inputs": ["f(2)", "f(4)"]}
    assert shown.content.startswith(
        "Another program for the same task:\ndef f(n): return n + 1\n\nYour inputs were run on"
    )
    assert "- f(2): all give 5\n- f(4): all give raises ValueError\n\nFind where" in shown.content
    assert more.content.startswith("Your inputs were run on all 2 programs."), "the programs are shown once"
    assert script.told[-1] == Noted("the adversary had 4 inputs run in 3 turns: no program differs")


async def test_it_stops_where_nothing_new_is_tried_or_nothing_is_said(gives: Any) -> None:
    attacked = attack(3)
    await pursued(attacked, ["f(2)"], ["f(2)"])
    assert (attacked.inputs, len(attacked.runs)) == (["f(2)"], 2)
    attacked = attack(3)
    script = await pursued(attacked, ["f(2)"], None)
    assert (attacked.inputs, len(script.asked)) == (["f(2)"], 1)
    assert script.told == [Noted("the adversary had 1 inputs run in 1 turns: no program differs")]


async def test_inputs_for_a_single_program_are_noted_and_not_run_here(gives: Any) -> None:
    attacked = attack(1, ONE)
    script = await pursued(attacked, ["f(2)"])
    assert (attacked.inputs, attacked.runs, script.told) == (["f(2)"], [], [])


async def test_inputs_of_other_types_and_those_beyond_the_limit_are_left_out(gives: Any) -> None:
    attacked = attack(1)
    await pursued(attacked, ["f('a')", "f(None)", *(f"f({n})" for n in range(2, 60))])
    assert attacked.inputs == [f"f({n})" for n in range(2, MAX_INPUTS)]


async def test_an_input_that_the_validator_refuses_tells_nothing_apart(
    gives: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refusals(_context: Any, _config: Any, _source: str, _entry: str, calls: list[str]) -> dict[str, str]:
        return dict.fromkeys([call for call in calls if call == "f(3)"], "only even numbers")

    monkeypatch.setattr(adversary, "refusals", refusals)
    gives["c2", "f(3)"] = CallOutput("value", "4")
    attacked = attack(2)
    script = await pursued(attacked, ["f(2)", "f(3)"], None, of=state(KNOWN, candidates=[ONE, OTHER], domains=[DOMAIN]))
    assert (attacked.differing, attacked.admitted) == ([], {"f(3)": "only even numbers"})
    assert "- f(3): the task does not allow it: only even numbers" in script.asked[0][2]["options"].history[1].content


async def test_an_answer_that_cannot_be_compared_tells_nothing_apart(gives: Any) -> None:
    gives["c2", "f(3)"] = CallOutput("timeout", "")
    attacked = attack(2)
    script = await pursued(attacked, ["f(3)"], None)
    assert attacked.differing == []
    assert "- f(3): all give 5 or no end in time\n" in script.asked[0][2]["options"].history[1].content


@pytest.mark.parametrize(
    ("thin", "different", "equal", "programs", "turns"),
    [
        (False, 0, 0, ["c1"], 1),
        (True, 1, 0, ["c1"], 1),
        (True, 0, 0, ["c1", "c2"], 5),
        (True, 0, CONFIRMING, ["c1", "c2"], TURNS_AFTER_AGREEMENT),
    ],
)
def test_programs_are_told_apart_where_little_speaks_for_one_and_nothing_does_so_yet(
    monkeypatch: pytest.MonkeyPatch, thin: bool, different: int, equal: int, programs: list[str], turns: int
) -> None:
    counted = SimpleNamespace(different=different, equal=equal)
    monkeypatch.setattr(adversary, "thin", lambda *_: thin)
    monkeypatch.setattr(adversary, "compare_with", lambda *_: counted)
    monkeypatch.setattr(adversary, "_rivals", lambda *_: (SimpleNamespace(id="c2", root="c2"),))
    view = SimpleNamespace(candidates={"c1": None}, facts=SimpleNamespace(valid=True))
    monkeypatch.setattr(adversary, "FactsView", lambda _: view)
    of = state(KNOWN, candidates=[ONE, OTHER], config=AgentConfig(adversary_turns=5))
    planned = adversary._planned(of, ONE)
    assert ([one.id for one in planned.programs], planned.turns) == (programs, turns)


@pytest.mark.parametrize(
    ("form", "rivals", "program", "alone"), [("program", 0, True, True), ("function", 1, False, False)]
)
async def test_the_adversary_is_asked_with_the_program_and_what_its_weak_points_may_be(
    monkeypatch: pytest.MonkeyPatch, form: str, rivals: int, program: bool, alone: bool
) -> None:
    async def spoiled(*_: Any) -> list[str]:
        return ["a float"]

    monkeypatch.setattr(adversary, "spoiled_by_floats", spoiled)
    monkeypatch.setattr(adversary, "inexact_in", lambda *_: ["line 1"])
    monkeypatch.setattr(adversary, "_rivals", lambda *_: (OTHER,) * rivals)
    brief: Any = replace(brief_of(Task(TEXT)), kind=form, given_form=form)
    of = state(KNOWN, candidates=[ONE, OTHER], brief=brief)
    script: Any = Script()
    await adversary._ask(of, script, ONE, ["a mutant"], ())
    _, name, seen = script.asked[0]
    assert (name, seen["code"], seen["survivors"], seen["inexact"]) == (
        *("adversary:1", ONE.code, ["a mutant"], ["line 1", "a float"]),
    )
    assert (seen["program"], seen["alone"]) == (program, alone)


def reading(code: str) -> tuple[Any, Script]:
    script = Script()
    return adversary._with_suite({}, state(), script, AttackReply(code), ONE), script


def test_the_adversarys_tests_are_against_the_program_that_it_saw() -> None:
    update, script = reading("def test_it():\n    assert f(1) == 2\n")
    (group,) = update["suites"]
    assert (group.id, group.origin, group.against) == ("adversary:1", "adversary", "c1")
    assert [event.suite for event in script.told] == ["adversary:1"]


def test_tests_that_cannot_be_used_are_told_and_no_tests_are_no_problem() -> None:
    update, script = reading("x = 1")
    assert update["problems"][0].startswith("the adversarial suite was dropped: ")
    assert ("suites" in update, script.told) == (False, [])
    assert reading("")[0] == {}


def test_the_adversary_is_told_what_is_open_for_this_program() -> None:
    def found(name: str, text: str, standing: Any) -> Inspection:
        return Inspection(name, (Finding(text, "form", standing, f"told of {name}"),))

    old, new = found("c1", "without loops", "open"), found("c1", "in one line", "open")
    of = state(inspections=[old, new, found("c2", "in order", "open")])
    assert adversary._unchecked(of, ONE)[0] == "in one line (told of c1)"
    assert not [told for told in adversary._unchecked(of, ONE) if "order" in told or "loops" in told]
    assert not [
        told for told in adversary._unchecked(state(inspections=[found("c1", "x", "kept")]), ONE) if "x (" in told
    ]
