"""What single boxes promise, each with the one fact that would break it; no model, no sandbox."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from inspect import getclosurevars
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest

from agent.checks.execution import Run
from agent.config import AgentConfig
from agent.dialogue.failures import failing_checks, failure_report
from agent.engine import check_level
from agent.events import ChecksRan
from agent.examples import read_brief
from agent.nodes import arbitrate, repair
from agent.nodes.repair import LOW_CONFIDENCE, RepairOrder
from agent.programs import announce_runs, own_candidate
from agent.session.roles import CodeReply, CriticReply, DiagnosisReply, RulingReply
from agent.state import AgentState, Candidate, Check, CheckOutcome, Decision, Diagnosis, Suite, Task
from sandbox.types import CallOutput, Execution, LevelTooLow

conclude, critics, diagnoses, repairs = (
    import_module(f"agent.nodes.{name}") for name in ("conclude", "critic", "diagnose", "repair")
)
TEXT = "Write f(n). It returns n plus one. For zero it returns one."
PASSED, FAILED = CheckOutcome("pass"), CheckOutcome("fail", "f(1) gave 3")


def check(name: str, origin: Any = "task", **more: Any) -> Check:
    return Check(f"{origin}.{name}", name, origin, f"def {name}():\n    assert f(1) == 2", "f(1)", "2", **more)


def suite(*checks: Check) -> Suite:
    return Suite(checks[0].origin, checks[0].origin, "", checks)


def execution(**more: Any) -> Execution:
    return Execution(status=more.pop("status", "pass"), isolation=None, **more)  # type: ignore[arg-type]


def ran(candidate: str, group: Suite, outcome: CheckOutcome, **more: Any) -> Run:
    outcomes = {each.id: outcome for each in group.checks}
    return Run(candidate, group.id, execution(), reported=True, outcomes=outcomes, **more)


def candidate(name: str = "c1", code: str = "def f(n): return n + 2") -> Candidate:
    return Candidate(name, code, "first", None, name)


def state(*suites: Suite, **more: Any) -> AgentState:
    return AgentState(task=Task(TEXT), suites=list(suites), candidates=[candidate()], **more)


@dataclass
class Wire:
    """Stands for the run's context: what was asked and what was told."""

    reply: Any = None
    asked: list[str] = field(default_factory=list)
    told: list[Any] = field(default_factory=list)

    task = Task(TEXT)
    session = SimpleNamespace(sandbox=SimpleNamespace(packages=AsyncMock(return_value=[])))

    def room_for_code(self, _role: Any) -> int:
        return 100_000

    async def ask_or_none(self, _role: Any, prompt: str, **_values: Any) -> Any:
        self.asked.append(prompt)
        return self.reply

    def emit(self, event: Any) -> None:
        self.told.append(event)


async def step(box: Any, given: Any, wire: Wire) -> Any:
    return await getclosurevars(box).nonlocals["act"](given, wire)


def test_a_held_out_check_that_blames_the_code_is_not_shown() -> None:
    """The task's own checks blame the code without any doubt, so only the filter keeps one of them back."""
    group = suite(check("seen"), check("hidden", held_out=True))
    given = state(group, runs=[ran("c1", group, FAILED)])
    assert [each.name for each in failing_checks(given, "c1")] == ["seen"]
    assert not any("hidden" in line for line in failure_report(given, "c1"))


@pytest.mark.parametrize(
    ("given", "counts"),
    [
        (CallOutput("value", "2"), False),
        (CallOutput("value", "3"), True),
        (CallOutput("exception", "ValueError"), True),
    ],
)
async def test_an_objection_counts_only_if_executing_its_input_bears_it_out(
    monkeypatch: pytest.MonkeyPatch, given: CallOutput, counts: bool
) -> None:
    async def run_calls(*_given: Any) -> Any:
        return SimpleNamespace(outputs={"f(1)": given})

    monkeypatch.setattr(critics, "run_calls", run_calls)
    objection = CriticReply("it is wrong for one", "f(1)", "2")
    found = await critics._witness(state(), Wire(), candidate(), objection)  # type: ignore[arg-type]
    assert (found is not None) == counts


@pytest.mark.parametrize(
    ("quote", "fault"), [("It returns n plus one.", "code"), ("", "unknown"), ("It returns n plus two.", "unknown")]
)
async def test_an_arbiter_that_quotes_no_sentence_of_the_task_settles_nothing(quote: str, fault: str) -> None:
    group = suite(check("a", "spec"))
    decision = Decision("arbitrate", "open", "c1", "spec.a", call="f(1)")
    outputs = {"f(1)": CallOutput("value", "3"), "2": CallOutput("value", "2")}
    given = state(group, runs=[ran("c1", group, FAILED, outputs=outputs)], decisions=[decision])
    update = await step(arbitrate, given, Wire(RulingReply("2", quote)))
    assert [ruling.fault for ruling in update["rulings"]] == [fault]


@pytest.mark.parametrize(("fault", "notes"), [("task", 1), ("code", 0)])
async def test_a_debugger_who_finds_that_the_task_contradicts_itself_is_heard(
    monkeypatch: pytest.MonkeyPatch, fault: str, notes: int
) -> None:
    async def reply(*_given: Any) -> DiagnosisReply:
        return DiagnosisReply(fault, explanation="f(1) is 2 and 3")

    monkeypatch.setattr(diagnoses, "_converse", reply)
    group = suite(check("a"))
    given = state(group, runs=[ran("c1", group, FAILED)], decisions=[Decision("diagnose", "it fails", "c1")])
    update = await step(diagnoses.diagnose, given, Wire())
    assert update["diagnoses"][0].fault == "code", "the example stays right by definition"
    assert ["f(1) is 2 and 3" in told for told in update.get("problems", [])] == [True] * notes


@pytest.mark.parametrize("task", ["Make it faster.", "Mend it."])
async def test_a_faster_algorithm_is_still_a_repair_of_the_given_program(task: str) -> None:
    loop = "    for x in a:\n        if x not in b:\n            if x:\n                b.append(x)\n"
    code = f"def f(a):\n    b = []\n{loop}    return b\n"
    given = AgentState(task=Task(task, code=code), brief=read_brief(task, code, ()))
    first = replace(candidate(), code=code, kind="given")
    given = replace(given, candidates=[first])
    short = CodeReply("def f(a):\n    return [*dict.fromkeys(filter(None, a))]\n")
    found = own_candidate(given, short, first, strategy="minimal")
    assert found.kind == ("repair" if "faster" in task else "rewrite")


@pytest.mark.parametrize(("confidence", "kind"), [(LOW_CONFIDENCE - 0.1, "rewrite"), (LOW_CONFIDENCE, "repair")])
async def test_a_debugger_who_is_not_sure_leads_to_a_program_written_anew(
    monkeypatch: pytest.MonkeyPatch, confidence: float, kind: str
) -> None:
    group = suite(check("a"))
    found = Diagnosis("c1", "code", "assertion", confidence, "it adds two", "add one", "s")
    given = state(group, runs=[ran("c1", group, FAILED)], diagnoses=[found])
    wire = Wire(CodeReply("def f(n):\n    return n + 1\n"))

    async def no_trace(*_given: Any) -> str:
        return ""

    monkeypatch.setattr(repairs, "announce", lambda *_told: None)
    monkeypatch.setattr(repairs, "trace_failure", no_trace)
    update = await step(repair, RepairOrder(given, "minimal", 0), wire)
    assert [each.kind for each in update["candidates"]] == [kind]
    second = await step(repair, RepairOrder(given, "rethink", 1), wire)
    assert [each.kind for each in second["candidates"]] == ["repair"], "only the first of several is written anew"


@pytest.mark.parametrize(("second", "expected"), [(True, True), (False, False)])
async def test_every_suite_has_to_be_confirmed(monkeypatch: pytest.MonkeyPatch, second: bool, expected: bool) -> None:
    groups = [suite(check("a")), suite(check("b", "spec"))]

    async def run_suite(_context: Any, _config: Any, _best: Any, group: Suite, without: Any) -> Run:
        confirmed = group.id == "task" or second
        return replace(
            ran("c1", group, PASSED), execution=execution(confirmed=confirmed, unconfirmed_reason="it hangs")
        )

    monkeypatch.setattr(conclude, "run_suite", run_suite)
    given = state(*groups, runs=[ran("c1", group, PASSED) for group in groups])
    confirmed, reason = await conclude._confirm(given, Wire(), candidate())  # type: ignore[arg-type]
    assert (confirmed, reason) == (expected, "" if expected else "it hangs")


@pytest.mark.parametrize(("second", "expected"), [(True, True), (False, False)])
def test_a_candidates_executions_are_told_as_confirmed_only_if_all_are(second: bool, expected: bool) -> None:
    groups = [suite(check("a")), suite(check("b", "spec"))]
    runs = [
        replace(ran("c1", group, PASSED), execution=execution(confirmed=confirmed))
        for group, confirmed in zip(groups, (True, second), strict=True)
    ]
    wire = Wire()
    announce_runs(wire, candidate(), runs)  # type: ignore[arg-type]
    assert [event.confirmed for event in wire.told if isinstance(event, ChecksRan)] == [expected]


@pytest.mark.parametrize(("reached", "enough"), [("container", True), ("walled", True), ("limits", False)])
async def test_a_machine_with_exactly_the_demanded_level_is_good_enough(reached: str, enough: bool) -> None:
    class Machine:
        async def describe(self) -> Any:
            return SimpleNamespace(level=reached)

    config = AgentConfig(min_level="walled")
    if enough:
        await check_level(Machine(), config, scripted=False)  # type: ignore[arg-type]
    else:
        with pytest.raises(LevelTooLow):
            await check_level(Machine(), config, scripted=False)  # type: ignore[arg-type]
        await check_level(Machine(), config, scripted=True)  # type: ignore[arg-type]
