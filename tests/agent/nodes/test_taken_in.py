"""How a run begins: what is announced, what becomes of given code, forks, own tests and missing files."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from agent.by_output.missing import MISSING_FILE
from agent.config import AgentConfig
from agent.events import (
    CandidateWritten,
    MemoryRecalled,
    Noted,
    QuestionAnswered,
    QuestionAsked,
    RunStarted,
    SuiteWritten,
    TaskClassified,
)
from agent.examples import read_brief
from agent.nodes import classify, intake
from agent.nodes.intake import brief_of, kinds_for
from agent.state import AgentState, Candidate, Fork, PersonAnswer, Task
from agent.state.done import Done
from agent.state.recalled import Recalled
from agent.task.own_tests import own_suites

from .scripted import TEXT, Script, check, state, step, suite

box = import_module("agent.nodes.intake")
CODE = "def f(n):\n    return n + 2\n"
OWN = "def test_own():\n    assert f(1) == 2\n"


@pytest.fixture(autouse=True)
def _isolation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box, "asdict", lambda one: {"level": one})


def opening(**more: Any) -> Script:
    script = Script(**more)
    script.kept = []  # type: ignore[attr-defined]

    async def keep(artifact: Any) -> None:
        script.kept.append(artifact)  # type: ignore[attr-defined]

    async def describe() -> str:
        return "walled"

    script.keep = keep  # type: ignore[attr-defined]
    script.session.sandbox.describe = describe
    told = {"provider": "p", "model": "m", "scripted": True, "forecast": "", "port": None}
    script.session = SimpleNamespace(**vars(script.session), **told)
    return script


def asked(text: str = TEXT, **more: Any) -> AgentState:
    config = more.pop("config", AgentConfig(memory=False))
    task = Task(text, **more)
    return state(task=task, candidates=[], config=config, brief=brief_of(task))


async def test_a_run_announces_itself_and_reads_the_task() -> None:
    script = opening()
    update = await step(intake, asked(), script)
    (started,) = script.told
    assert isinstance(started, RunStarted)
    assert (started.task, started.provider, started.model, started.scripted) == (TEXT, "p", "m", True)
    assert (started.isolation, started.config["memory"]) == ({"level": "walled"}, False)
    assert update == {"brief": brief_of(Task(TEXT))}


async def test_what_a_run_will_cost_is_told_where_it_is_known() -> None:
    script = opening()
    script.session.forecast = "about three calls"
    await step(intake, asked(), script)
    assert script.of(Noted) == [Noted("about three calls")]


@pytest.mark.parametrize("wanted", [True, False])
async def test_lessons_of_earlier_runs_come_along_if_memory_is_on(
    monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    found = (Recalled("r1", "a task", "verified", 0.9, ("one", "two")),)

    async def recall(*_given: Any) -> Any:
        return found

    monkeypatch.setattr(box, "recall", recall)
    script = opening()
    update = await step(intake, asked(config=AgentConfig(memory=wanted)), script)
    assert update.get("recalled") == (found if wanted else None)
    assert [[one.lessons for one in event.recalled] for event in script.of(MemoryRecalled)] == ([[2]] if wanted else [])


async def test_the_persons_own_tests_are_announced_first() -> None:
    script, given = opening(), asked(tests=OWN)
    await step(intake, replace(given, suites=own_suites(given)), script)
    assert [event.origin for event in script.of(SuiteWritten)] == ["person"]


async def test_the_kind_and_the_examples_of_the_task_are_told() -> None:
    script = opening()
    update = await step(classify, asked("Write f(n). f(2) == 3"), script)
    (told,) = script.of(TaskClassified)
    assert (told.task_kind, told.examples, told.hard) == ("function", ("assert f(2) == 3",), False)
    assert told.signature == brief_of(Task("Write f(n). f(2) == 3")).signature
    assert [(one.id, len(one.checks)) for one in update["suites"]] == [("task", 1)]
    assert [event.suite for event in script.of(SuiteWritten)] == ["task"]
    assert (update["done"], update["candidates"], update["problems"]) == ([Done("classified")], [], [])


async def test_examples_that_are_switched_off_bind_nothing() -> None:
    given = asked("Write f(n). f(2) == 3", config=AgentConfig(memory=False, examples=False))
    assert (await step(classify, given, opening()))["suites"] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Fix f: it returns n plus two instead of n plus one.", "given"), ("Explain this code.", "first")],
)
async def test_given_code_is_the_program_to_change_or_the_program_itself(text: str, kind: str) -> None:
    script = opening()
    update = await step(classify, asked(text, code=CODE), script)
    (one,) = update["candidates"]
    assert (one.id, one.code, one.kind, one.root, one.note) == ("c1", CODE, kind, "c1", "as it was given")
    told = [(event.candidate, event.attempt, event.note) for event in script.of(CandidateWritten)]
    assert told == [("c1", kind, "as it was given")]


FORK = Fork("0123456789ab", "c2", "def f(n): return n + 1", suites=(suite(check()),))


async def test_a_fork_goes_on_from_the_attempt_with_its_checks() -> None:
    script = opening()
    update = await step(classify, asked(fork=FORK), script)
    assert update["candidates"] == [Candidate("c1", FORK.code, "first", None, "c1", note="attempt c2 of run 01234567")]
    assert [one.id for one in update["suites"]] == ["spec"]
    edited = await step(classify, asked(fork=replace(FORK, edited=("code",))), opening())
    assert edited["candidates"][0].note == "attempt c2 of run 01234567, as the person edited it"
    other = await step(classify, asked(fork=replace(FORK, edited=("tests",))), opening())
    assert other["candidates"][0].note == "attempt c2 of run 01234567"


async def test_a_fork_of_given_code_is_its_repair() -> None:
    given = asked("Fix f: it returns n plus two instead of n plus one.", code=CODE, fork=FORK)
    update = await step(classify, given, opening())
    assert [(one.id, one.kind, one.parent, one.root, one.strategy) for one in update["candidates"]] == [
        ("c1", "given", None, "c1", ""),
        ("c2", "repair", "c1", "c1", "fork"),
    ]


SUMS = "Read sales.csv and print the sum of its column price."


@pytest.mark.parametrize(
    ("answer", "action", "given"),
    [
        ({"action": "approve", "files": {"sales.csv": "price\n1\n"}}, "approve", True),
        ({"action": "approve"}, "approve", False),
        ({"action": "abort", "files": {"sales.csv": "price\n1\n"}}, "abort", False),
        ({}, "approve", False),
    ],
)
async def test_a_missing_file_is_asked_for_before_any_model_is(
    monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], action: str, given: bool
) -> None:
    def files_from(reply: Any, names: Any) -> dict[str, bytes]:
        return {name: text.encode() for name, text in reply.get("files", {}).items() if name in names}

    monkeypatch.setattr(box, "files_from", files_from)
    script = opening(answer=answer)
    update = await step(classify, asked(SUMS), script)
    ((question, payload),) = script.questions
    assert question == MISSING_FILE
    assert script.of(QuestionAsked) == [QuestionAsked(MISSING_FILE, payload)]
    files = "sales.csv" if given else ""
    assert script.of(QuestionAnswered) == [QuestionAnswered(MISSING_FILE, action, files)]
    assert update["answers"] == [PersonAnswer(MISSING_FILE, action, files)]
    kept = [(one.name, one.mime, one.data) for one in script.kept]  # type: ignore[attr-defined]
    assert kept == ([("data/sales.csv", "application/octet-stream", b"price\n1\n")] if given else [])
    assert ("task" in update) == given


async def test_nobody_is_asked_for_files_after_the_person_ended_the_run() -> None:
    script = opening(answer={"action": "approve"})
    given = replace(asked(SUMS), answers=[PersonAnswer("clarify", "abort")])
    update = await step(classify, given, script)
    assert (script.questions, "answers" in update) == ([], False)


def test_code_decides_which_kinds_a_task_may_have() -> None:
    assert {"fix", "extend"} <= set(kinds_for(Task(TEXT, code=CODE)))
    assert "function" not in kinds_for(Task(TEXT, code=CODE))
    assert "function" in kinds_for(Task(TEXT))
    assert "fix" not in kinds_for(Task(TEXT))


@pytest.mark.parametrize(
    ("tests", "kind"),
    [("def test_a():\n    assert run_program('1').stdout == '2'\n", "program"), (OWN, "function")],
)
def test_the_persons_tests_show_whether_a_program_or_a_function_is_asked_for(tests: str, kind: str) -> None:
    assert brief_of(Task("Print the sum of two numbers from the input.", tests=tests)).kind == kind
    sure = read_brief("Write a class Stack with push and pop.", None, {}, None)
    assert brief_of(Task("Write a class Stack with push and pop.", tests=tests)).kind == (
        sure.kind if sure.sure else kind
    )


@pytest.mark.parametrize(("action", "asked_of_packages"), [("approve", True), ("abort", False)])
async def test_packages_are_asked_for_behind_the_files_unless_the_person_ended_the_run(
    monkeypatch: pytest.MonkeyPatch, action: str, asked_of_packages: bool
) -> None:
    async def allow(*_given: Any) -> Any:
        return {"answers": [PersonAnswer("missing_packages", "approve")]}

    monkeypatch.setattr(box, "allow", allow)
    update = await step(classify, asked(SUMS), opening(answer={"action": action}))
    kinds = [MISSING_FILE, "missing_packages"] if asked_of_packages else [MISSING_FILE]
    assert [answer.question for answer in update["answers"]] == kinds


async def test_a_program_that_came_with_the_task_is_told_without_a_difference() -> None:
    script = opening()
    await step(classify, asked("Explain this code.", code=CODE), script)
    (told,) = script.of(CandidateWritten)
    assert (told.code, told.diff, told.parent, told.strategy) == (CODE, "", None, "")
