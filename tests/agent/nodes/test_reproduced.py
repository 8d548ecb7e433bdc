"""What trying the given program makes of a report; the program's answers are a script."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from agent.checks.execution import Run
from agent.config import AgentConfig
from agent.events import CheckRuled, Noted, SuiteWritten
from agent.nodes import reproduce
from agent.nodes.intake import brief_of
from agent.nodes.reproduce import NOTHING_NEW
from agent.programs import example_suite
from agent.state import AgentState, Candidate, Task
from sandbox.types import CallOutput

from .scripted import ENDED, Script, state, step

box = import_module("agent.nodes.reproduce")
CODE = "def f(n):\n    return n + 1\n"
WRONG = "f(1) gives 3. Fix it: f(1) should be 2."
EXPECTED = "Fix f.\n\nassert f(1) == 2\nassert f(2) == 3\n"


async def tried(
    monkeypatch: pytest.MonkeyPatch, text: str, answers: dict[str, str], **more: Any
) -> tuple[Any, Script, AgentState]:
    async def run_each_alone(_context: Any, _config: Any, given: Candidate, calls: Any) -> Run:
        return Run(given.id, "probes", ENDED, outputs={call: CallOutput("value", answers[call]) for call in calls})

    monkeypatch.setattr(box, "run_each_alone", run_each_alone)
    task = Task(text, code=CODE)
    brief = brief_of(task)
    stated = example_suite(brief.examples)
    given = Candidate("c1", CODE, "given", None, "c1")
    of = state(*([stated] if stated else []), task=task, brief=brief, candidates=[given], **more)
    script = Script()
    return await step(reproduce, of, script), script, of


async def test_a_symptom_that_shows_becomes_a_check_that_it_must_go(monkeypatch: pytest.MonkeyPatch) -> None:
    update, script, _ = await tried(monkeypatch, WRONG, {"f(1)": "3"})
    assert "symptom" in [one.origin for one in update["suites"]]
    assert [event.suite for event in script.of(SuiteWritten)] == [one.id for one in update["suites"]]
    assert [run.candidate for run in update["runs"]] == ["c1"]
    assert script.of(Noted)
    assert all(event.text.startswith("reproduced on the given program: ") for event in script.of(Noted))


async def test_examples_that_the_given_program_fulfils_already_are_no_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    update, script, of = await tried(monkeypatch, EXPECTED, {"f(1)": "2", "f(2)": "3"})
    assert update["brief"].examples == ()
    assert f"{NOTHING_NEW}: f(1), f(2)" in update["problems"]
    assert [(one.id, one.checks) for one in update["suites"]] == [("task", ())]
    ids = [one.id for suite in of.suites for one in suite.checks]
    assert [(one.check, one.fault, one.by, one.reason) for one in update["rulings"]] == [
        (name, "test", "trust", NOTHING_NEW) for name in ids
    ]
    assert [event.check for event in script.of(CheckRuled)] == ids


async def test_examples_that_it_does_not_fulfil_stay_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    update, _, _ = await tried(monkeypatch, EXPECTED, {"f(1)": "2", "f(2)": "4"})
    assert "rulings" not in update
    assert not any(NOTHING_NEW in told for told in update["problems"])


async def test_without_given_code_nothing_is_tried() -> None:
    assert await step(reproduce, state(brief=brief_of(Task(WRONG)), config=AgentConfig()), Script()) == {}
