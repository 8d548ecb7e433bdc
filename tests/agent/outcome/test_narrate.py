"""Each event as the line that a person reads, in a terminal and in the timeline."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from agent.events import (
    AgentEvent,
    CallMade,
    CandidateWritten,
    CheckListed,
    CheckRuled,
    ChecksRan,
    CriticSpoke,
    Diagnosed,
    Judged,
    LessonsLearned,
    MemoryRecalled,
    MutationMeasured,
    NodeFinished,
    NodeStarted,
    Noted,
    PlanMade,
    QuestionAnswered,
    QuestionAsked,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    SuiteWritten,
    TaskClassified,
    TextStreamed,
    ToolUsed,
    TournamentHeld,
)
from agent.events.conclusion import Brought, ComesFrom, Conclusion, Evidence
from agent.outcome.narrate import LINES, line_of, timeline_entry_of
from agent.state.findings import VerdictWord
from tests.tables import in_one_test


def started(**more: Any) -> RunStarted:
    told: dict[str, Any] = {
        "provider": "openai",
        "model": "gpt",
        "scripted": False,
        "config": {},
        "isolation": {"level": "walled"},
    }
    return RunStarted(task="t", **told | more)


def ran(outcomes: dict[str, str], status: str = "pass", error: str = "", **more: Any) -> ChecksRan:
    told: dict[str, Any] = {
        "messages": {}, "confirmed": False, "duration_ms": 12.4, "peak_mb": 1.0, "stdout": "", "stderr": "",
        "artifacts": (),
    }  # fmt: skip
    return ChecksRan("c1", status, outcomes, error=error, **told | more)


def call(**more: Any) -> CallMade:
    told: dict[str, Any] = {
        "provider": "openai", "model": "gpt", "input_tokens": 10, "output_tokens": 5, "cost_usd": 0.5, "seconds": 1.0,
        "prompt": "arbiter/rule v1",
    }  # fmt: skip
    return CallMade(role="arbiter", question="arbiter:1", **told | more)


def ended(verdict: VerdictWord | None, reason: str = "") -> RunFinished:
    evidence = Evidence(checks=(), quarantined=(), clauses=(), isolation={}, confirmed=False)
    told: dict[str, Any] = {"stop_reason": "", "answer": "", "candidate": None, "code": "", "tests": ""}
    return RunFinished(Conclusion(verdict=verdict, verdict_reason=reason, evidence=evidence, **told))


CHECKS = (CheckListed("spec:1.a", "a", "def a(): ...", False), CheckListed("spec:1.b", "b", "def b(): ...", True))
FORKED = ComesFrom("r1", "c2", ("code", "tests"))


@in_one_test(
    "event, line",
    [
        (TextStreamed("generator", "de"), None),
        (NodeStarted("judge"), None),
        (started(), "Run started: openai · gpt, isolation: walled"),
        (started(scripted=True, isolation={}), "Run started: scripted demo model, isolation: not known"),
        (started(comes_from=ComesFrom("r1")),
         "Run started: openai · gpt, isolation: walled: follows on from run r1"),
        (started(comes_from=FORKED), "Run started: openai · gpt, isolation: walled: forked from attempt c2 of run r1, "
         "with another code and another tests"),
        (started(comes_from=ComesFrom("r1", "c2")),
         "Run started: openai · gpt, isolation: walled: forked from attempt c2 of run r1"),
        (ended("partly_verified", "3 of 3 checks pass"),
         "Verdict: Partly verified: 3 of 3 checks pass"),
        (ended(None), "Verdict: none"),
        (RunFailed("no key", 4), "The run could not go on: no key"),
        (RunStopped(), "Stopped: nothing after this line was run"),
        (Noted("a word"), "a word"),
        (TaskClassified(task_kind="function", hard=True, signature="f(n)", examples=("assert f(1) == 2",)),
         "Task understood as: function, hard: 1 example read from the task: f(n)"),
        (TaskClassified(task_kind="script", hard=False, signature=None, examples=()),
         "Task understood as: script, simple: 0 examples read from the task"),
        (PlanMade("Add one.\nThen stop."), "Plan written: Add one."),
        (SuiteWritten("spec:1", "spec", CHECKS, header="import math"),
         "2 checks written: from the task alone, 1 held out"),
        (SuiteWritten("task", "task", CHECKS[:1], header=""), "1 check written: read from the task by code"),
        (CandidateWritten("c1", "first", None, "", "code", "", ""), "Program c1: first attempt"),
        (CandidateWritten("c2", "repair", "c1", "minimal", "code", "+ diff", "adds one"),
         "Program c2: repair, strategy minimal: adds one"),
        (MemoryRecalled((Brought("0123456789", "verified", 0.9, 2),)), "Lessons of earlier runs came along: hints for "
         "whoever changes a program; they count for no verdict: 2 lessons of run 01234567"),
        (LessonsLearned(("one", "two")), "Lessons kept: 2: one"),
        (ran({"a": "pass", "b": "fail"}, messages={"b": "3 != 2"}),
         "Program c1: 1 of 2 checks passed: 12 ms: b: 3 != 2"),
        (ran({"a": "pass"}, confirmed=True), "Program c1: 1 of 1 check passed: 12 ms, confirmed in the split runner"),
        (ran({}, "error", "SyntaxError"), "Program c1: no check was executed: SyntaxError"),
        (MutationMeasured(3, 4, ("line 2: `<` became `<=`",)),
         "3 of 4 mutants killed by the checks: line 2: `<` became `<=`"),
        (TournamentHeld(("c2", "c1"), (("c2", "c3"), ("c1",)), 7), "Ranked: c2, c1: same outputs on 7 inputs: "
         "c2 = c3 | c1"),
        (TournamentHeld(("c1",), (), 0), "Ranked: c1"),
        (call(), "Arbiter answered: openai · gpt, arbiter/rule v1, 10 + 5 tokens, $0.5000"),
        (call(input_tokens=None, output_tokens=None, cost_usd=None, notes=("asked again",)),
         "Arbiter answered: openai · gpt, arbiter/rule v1, tokens not reported, price unknown, asked again"),
        (call(input_tokens=None, cost_usd=0), "Arbiter answered: openai · gpt, arbiter/rule v1, 0 + 5 tokens"),
        (call(output_tokens=None, cost_usd=0), "Arbiter answered: openai · gpt, arbiter/rule v1, 10 + 0 tokens"),
        (ToolUsed("run", {"call": "f(\n1)", "times": 2}, "3\nand more"), "Tool run: call: f( 1), times: 2: times: 2"),
        (Diagnosed("c1", "code", "runtime", 0.85, "it adds two", "add one"),
         "Diagnosis of c1: at fault is the code: runtime, confidence 85%: it adds two"),
        (CriticSpoke("zero is forgotten", "f(0)", True), "Objection upheld: f(0): zero is forgotten"),
        (CriticSpoke("it is ugly", "", False), "Objection not upheld: it is ugly"),
        (CheckRuled("spec.a", "test", "arbiter", "it is wrong"),
         "Check spec.a: at fault is the test: it is wrong (by arbiter)"),
        (QuestionAsked("review_plan", {}), "Waiting for you: review plan"),
        (QuestionAsked("clarify", {"question": "What of zero?"}), "Waiting for you: clarify: What of zero?"),
        (QuestionAnswered("clarify", "tick", "one"), "You answered: tick: one"),
    ],
)  # fmt: skip
def test_an_event_is_told_in_a_line(event: AgentEvent, line: str | None) -> None:
    assert line_of(event) == line


@pytest.mark.parametrize(
    ("event", "tone"),
    [
        (ended("verified"), "good"), (ended("partly_verified"), "good"),
        (ended("unverified"), "warn"), (ended("failed"), "bad"),
        (ended(None), "warn"),
        (ran({"a": "pass"}), "good"), (ran({"a": "pass"}, "ok"), "good"), (ran({"a": "pass"}, "error"), "bad"),
        (ran({"a": "pass", "b": "fail"}), "bad"), (ran({}), "bad"), (Noted("x"), "warn"),
        (NodeStarted("judge"), "busy"),
        (CheckRuled("a", "test", "arbiter", "x"), "warn"), (CheckRuled("a", "code", "arbiter", "x"), "plain"),
        (CriticSpoke("x", "", True), "bad"), (CriticSpoke("x", "", False), "plain"), (RunStopped(), "warn"),
        (RunFailed("x", 1), "bad"), (QuestionAsked("clarify", {}), "warn"),
    ],
)  # fmt: skip
def test_good_and_bad_news_look_different(event: AgentEvent, tone: str) -> None:
    entry = timeline_entry_of(event)
    assert entry is not None
    assert entry.tone == tone


def test_what_is_long_is_folded_away_whole() -> None:
    def body(event: AgentEvent) -> str:
        entry = timeline_entry_of(event)
        assert entry is not None
        return entry.body

    assert (
        body(SuiteWritten("spec:1", "spec", CHECKS, header="import math"))
        == "import math\n\ndef a(): ...\n\ndef b(): ..."
    )
    assert body(CandidateWritten("c1", "first", None, "", "code", "", "")) == "code"
    assert body(CandidateWritten("c2", "repair", "c1", "", "code", "+ diff", "")) == "+ diff"
    assert body(Diagnosed("c1", "code", "runtime", 0.8, "it adds two", "add one")) == "it adds two\n\nRepair: add one"
    assert body(Diagnosed("c1", "code", "runtime", 0.8, "it adds two", "")) == "it adds two"
    assert body(ToolUsed("run", {"call": "f(1)"}, "3")) == "call: f(1)\n\n3"
    assert body(LessonsLearned(("one", "two"))) == "one\ntwo"
    assert body(ran({"a": "fail", "b": "fail"}, messages={"a": "x", "b": "y"})) == "a: x\nb: y"
    assert body(TaskClassified(task_kind="function", hard=False, signature="f(n)", examples=("a", "b"))) == "f(n)\na\nb"


def test_every_event_has_words_but_those_that_only_change_other_lines() -> None:
    assert {*get_args(AgentEvent)} - {*LINES} == {NodeFinished, TextStreamed}


def test_the_next_step_is_told_in_the_words_of_its_box() -> None:
    line = line_of(Judged("conclude", "nothing is left to settle", "c1", {}))
    assert line is not None
    assert line.startswith("Next: ")
    assert line.endswith(": nothing is left to settle")
    assert "conclude" not in line.lower().split(":")[0]
