"""What a run concludes with: counted facts, sentences from counts, and nothing of another program than the returned one."""

# ruff: noqa: E501 - tables with a sentence in a line
from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from agent.checks.execution import Run
from agent.counting.counted import facts_of
from agent.events.conclusion import Conclusion
from agent.nodes.intake import brief_of
from agent.outcome.evidence import Closing, conclusion_of
from agent.outcome.final import ENDED as BY_PERSON
from agent.state import AgentState, Decision, Mutation, Ruling, Task
from agent.state.findings import Finding
from agent.state.recalled import Recalled
from agent.trust import Verdict
from sandbox.types import Isolation
from tests.agent.nodes.scripted import ENDED, FAILED, PASSED, TEXT, candidate, check, state, suite

FIRST, BEST = candidate(), candidate("c2", "def f(n): return n + 1", "independent")
LAW = suite(check("a", "task"))
SPEC = suite(check("a"), check("b"), check("c", sentence="It returns n plus one."), check("d", held_out=True))
WALLS = Isolation("limits", *["open"] * 6)
CLOSING = Closing(BEST, Verdict("verified", ("all 2 checks pass", "so it is")), True, None, None, WALLS, "")


def run(name: str, group: Any, **outcomes: Any) -> Run:
    return Run(name, group.id, ENDED, True, {f"{group.id}.{check}": how for check, how in outcomes.items()})


def of(**more: Any) -> AgentState:
    runs = [
        run("c1", LAW, a=FAILED), run("c2", LAW, a=PASSED), run("c1", SPEC, a=PASSED, b=PASSED, c=PASSED),
        run("c2", SPEC, a=PASSED, b=FAILED, c=FAILED),
    ]  # fmt: skip
    rulings = [Ruling("spec.b", "code", "arbiter", "f is wrong"), Ruling("spec.b", "test", "arbiter", "it is wrong")]
    return state(LAW, SPEC, **{"candidates": [FIRST, BEST], "runs": runs, "rulings": rulings} | more)


def concluded(given: AgentState | None = None, clauses: Any = None, **more: Any) -> Conclusion:
    given = given or of()
    facts = facts_of(given)
    if clauses:
        facts = replace(facts, candidates=tuple(replace(one, clauses=clauses[one.id]) for one in facts.candidates))
    return conclusion_of(given, facts, replace(CLOSING, **more))


def test_the_files_of_the_last_run_are_told_by_name_and_type() -> None:
    files = (SimpleNamespace(name="p.png", mime="image/png", data=b""), SimpleNamespace(name="a", mime="text/csv"))
    last: Any = SimpleNamespace(
        artifacts=files, drawings=(), pictures=(), lacks="", left=(), fate="ok", execution=replace(ENDED, stdout="3")
    )
    told = concluded(shown=last).artifacts
    assert [(one.name, one.mime) for one in told] == [("p.png", "image/png"), ("a", "text/csv")]
    assert concluded().artifacts == ()


def test_each_check_that_counts_is_told_as_it_ended_on_the_returned_program() -> None:
    evidence = concluded().evidence
    told = [(one.name, one.tier, one.outcome, one.message, one.held_out, one.sentence) for one in evidence.checks]
    assert told == [
        ("task.a", "T0", "pass", "", False, ""), ("spec.a", "T2", "pass", "", False, ""),
        ("spec.c", "T2", "fail", "f(1) gave 3", False, "It returns n plus one."),
        ("spec.d", "T2", "not executed", "", True, ""),
    ]  # fmt: skip
    assert [(one.name, one.reason) for one in evidence.quarantined] == [("spec.b", "arbiter: it is wrong")]
    assert [one.outcome for one in concluded(best=FIRST).evidence.checks] == ["fail", "pass", "pass", "not executed"]
    assert {one.outcome for one in concluded(best=None).evidence.checks} == {"not executed"}


def test_tests_that_nothing_settled_are_handed_over_as_skipped_with_the_reason() -> None:
    tests = concluded().tests
    assert "set aside: arbiter: it is wrong" in tests
    assert tests.count("not passed (fail), and not settled who is at fault") == 1
    assert tests.count("not passed (not executed), and not settled") == 1
    assert concluded(best=None).tests == ""


def test_clauses_are_those_of_the_returned_program() -> None:
    by = Finding("adds one", "returns", "kept", "task.a")
    left = Finding("quickly", "speed", "open", "nothing measured it")
    found = {"c1": (replace(by, told="another"),), "c2": (by, left)}
    told = [(one.text, one.standing, one.checked_by, one.note) for one in concluded(clauses=found).evidence.clauses]
    assert told == [
        ("adds one", "kept", "task.a", ""), ("quickly", "open", None, "nothing measured it"),
    ]  # fmt: skip
    task = Task(f"{TEXT} Do not change the argument.")
    clauses = concluded(of(task=task, brief=brief_of(task)), best=None).evidence.clauses
    assert {(one.standing, one.checked_by) for one in clauses} == {("open", None)}
    assert all("nothing was looked at" in one.note for one in clauses)


@pytest.mark.parametrize(
    ("word", "reasons", "said"),
    [
        ("verified", ("all pass",), "The program does what the task's own checks demand. All pass."),
        ("partly_verified", ("so far",), "The program passes what could be checked; not everything could be checked or confirmed. So far."),
        ("unverified", ("f(1) differs", "more"), "Whether the program is right is not settled. f(1) differs; more."),
        ("unverified", (BY_PERSON,), "The person ended the run; the program is the best found until then, and it is not right yet. Ended by the person."),
        ("failed", ("task.a fails",), "The program is the best found, and it still fails. task.a fails."),
    ],
)  # fmt: skip
def test_the_answer_begins_with_the_verdict_in_a_sentence(word: Any, reasons: tuple[str, ...], said: str) -> None:
    alone = of(candidates=[BEST], rulings=[])
    assert concluded(alone, verdict=Verdict(word, reasons)).answer == said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "2 programs were written; this is c2, written independently of the first."),
        ({"candidates": [candidate("c0", kind="given"), BEST]}, "1 program was written; this is c2, written independently of the first."),
        ({"problems": ["no quote.", "no quote.", "late"]}, "Note: no quote. Note: late."),
        ({"recalled": [Recalled("r", "t", "verified", 0.5, ("one",))]}, "1 lesson of 1 earlier run came along as hints."),
        ({"recalled": [Recalled("r", "t", "verified", 0.5, ("one", "two"))] * 2}, "4 lessons of 2 earlier runs came along as hints."),
        ({"recalled": [Recalled("r", "t", "verified", 0.5, ())]}, "written independently of the first."),
    ],
)  # fmt: skip
def test_what_else_was_counted_is_told(more: Any, said: str) -> None:
    assert concluded(of(rulings=[], **more)).answer.endswith(said)


@pytest.mark.parametrize(
    ("kind", "how"),
    [("first", "the first attempt"), ("reference", "a slow and obvious program"), ("repair", "a repair of c1"),
     ("rewrite", "written anew after a failure")],
)  # fmt: skip
def test_how_the_program_came_about_is_told(kind: Any, how: str) -> None:
    best = replace(BEST, kind=kind, parent="c1")
    assert f"this is c2, {how}." in concluded(of(candidates=[FIRST, best]), best=best).answer


def test_without_a_program_the_reason_is_told() -> None:
    none = of(candidates=[], runs=[], rulings=[])
    for more, verdict, said in (
        ({}, "no program was written", "No program could be written: no model gave a usable program."),
        ({"problems": ["no key", "no net"]}, "no program was written", "No program could be written: no key; no net."),
        ({}, BY_PERSON, "The person ended the run before a program was written."),
    ):
        done = concluded(replace(none, **more), best=None, verdict=Verdict("failed", (verdict,)))
        assert (done.answer, done.code, done.candidate, done.files) == (said, "", None, None)


@pytest.mark.parametrize(
    ("exhausted", "decisions", "best", "reason", "reached"),
    [
        ("budget: 5 calls", [Decision("conclude", "it passes")], BEST, "budget: 5 calls", True),
        ("provider: no key", [], BEST, "provider: no key", False),
        ("", [Decision("diagnose", "it fails"), Decision("conclude", "it passes")], BEST, "it passes", False),
        ("", [], BEST, "nothing is left to do", False),
        ("", [], None, "no program was written", False),
    ],
)
def test_why_the_run_ended_is_told(exhausted: str, decisions: Any, best: Any, reason: str, reached: bool) -> None:
    done = concluded(of(decisions=decisions), exhausted=exhausted, best=best)
    assert (done.stop_reason, done.budget_reached) == (reason, reached)


def test_facts_of_the_end_go_into_the_evidence() -> None:
    found = Mutation("c2", 3, 4, ("line 1",), ("task.a",))
    done = concluded(mutation=found, style="formatted", unnamed=("Be quick.",))
    assert (done.verdict, done.verdict_reason, done.code) == ("verified", "all 2 checks pass; so it is", BEST.code)
    told = done.evidence
    assert told.mutation is not None
    assert (told.mutation.killed, told.mutation.total, told.mutation.survivors) == (3, 4, ("line 1",))
    assert (told.confirmed, told.style, told.unnamed, told.isolation["level"]) == (
        True,
        "formatted",
        ("Be quick.",),
        "limits",
    )
