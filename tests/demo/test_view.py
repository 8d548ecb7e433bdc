"""The fold: what the screen knows after each part of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from agent.events import (
    AgentEvent,
    CallMade,
    CandidateWritten,
    CheckRuled,
    ChecksRan,
    CriticSpoke,
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
    TextStreamed,
    ToolUsed,
    TournamentHeld,
)
from agent.events.conclusion import ModelUsage
from agent.outcome.report import usage_of
from demo.view.facts import check_facts, mutation_facts, outcomes_of, quarantine_facts, regressions
from demo.view.fold import FACTS, STREAM_KEPT, RunView, describe, fold

from . import story
from .story import fold_all


def test_a_run_goes_from_new_through_running_to_finished():
    begun = fold_all(story.beginning())
    ended = fold_all([*story.diagnosis(), *story.ending()], begun)
    assert [RunView().lifecycle, begun.lifecycle, ended.lifecycle] == ["new", "running", "finished"]


def test_a_question_makes_the_run_wait_until_it_is_answered():
    asked = fold_all([*story.beginning(), QuestionAsked("review_repair", {})])
    answered = fold(asked, QuestionAnswered("review_repair", "approve", ""))
    assert (asked.lifecycle, answered.lifecycle) == ("waiting", "running")


def test_a_stopped_run_that_goes_on_is_running_again():
    stopped = fold_all([*story.beginning(), NodeStarted("diagnose"), RunStopped()])
    resumed = fold(stopped, NodeStarted("diagnose"))
    assert (stopped.lifecycle, stopped.active, resumed.lifecycle) == ("stopped", (), "running")


def test_a_failed_run_that_goes_on_forgets_its_error():
    failed = fold_all([*story.beginning(), RunFailed("no provider", 3)])
    assert (failed.lifecycle, failed.error) == ("failed", "no provider")
    assert fold(failed, NodeStarted("write_code")).lifecycle == "running"


def test_text_is_shown_while_a_role_writes_and_vanishes_with_its_call():
    view = fold_all([TextStreamed("generator", "def "), TextStreamed("debugger", "hm"), TextStreamed("generator", "f")])
    assert view.streaming == {"generator": "def f", "debugger": "hm"}
    after = fold(view, CallMade("generator", "first", "mock", "demo", 1, 1, 0.0, 0.1))
    assert after.streaming == {"debugger": "hm"}


def test_streamed_text_is_bounded():
    view = fold_all(TextStreamed("generator", "x" * 1000) for _ in range(20))
    assert len(view.streaming["generator"]) == STREAM_KEPT


def test_two_boxes_at_work_are_closed_one_by_one():
    view = fold_all([NodeStarted("write_spec_tests"), NodeStarted("write_code"), NodeFinished("write_code", 0.5)])
    assert view.active == ("write_spec_tests",)
    assert [(entry.node, entry.tone, entry.seconds) for entry in view.timeline] == [
        ("write_spec_tests", "busy", None),
        ("write_code", "done", 0.5),
    ]


def test_every_kind_of_event_is_either_told_or_known_to_be_silent():
    told = {event.kind for event in _one_of_each() if describe(event, 0.0) is not None}
    kinds = {event.kind for event in _one_of_each()}
    assert len(kinds) == len(get_args(AgentEvent))
    assert kinds - told == {"text_streamed", "node_finished"}


def test_every_kind_of_event_changes_a_fact_or_is_known_to_be_a_line_alone():
    assert set(get_args(AgentEvent)) - set(FACTS) == {CriticSpoke, Noted, PlanMade, ToolUsed, TournamentHeld}


def test_the_scripted_demo_model_is_recognised_by_its_event():
    assert fold_all(story.beginning(scripted=True)).scripted
    assert not fold_all(story.beginning(scripted=False)).scripted


def test_checks_are_counted_from_the_executions_before_there_is_an_outcome():
    facts = check_facts(fold_all(story.beginning()))
    assert [(fact.name, fact.outcome) for fact in facts if fact.outcome == "pass"] == [("spec:1.test_unsorted", "pass")]
    assert len(facts) == 4


def test_checks_come_from_the_outcome_once_there_is_one():
    facts = check_facts(fold_all(story.whole()))
    assert [(fact.tier, fact.outcome, fact.held_out) for fact in facts] == [
        ("T0", "pass", False),
        ("T1", "pass", False),
        ("T1", "pass", True),
    ]


def test_the_latest_outcome_of_a_check_counts():
    assert outcomes_of(fold_all(story.whole()), "c2")["spec:1.test_unsorted"] == "pass"


def test_a_repair_that_breaks_a_passed_check_is_a_regression():
    view = fold_all(story.beginning())
    broken = fold_all(
        [
            CandidateWritten("c2", "repair", "c1", "", "", "", ""),
            _ran("c2", {"spec:1.test_unsorted": "error", "task.test_example_1": "fail"}),
        ],
        view,
    )
    assert regressions(broken) == {("spec:1.test_unsorted", "c2")}


def test_a_check_found_wrong_is_quarantined_with_its_reason():
    view = fold(RunView(), CheckRuled("spec:1.test_x", "test", "agreement", "two programs agree"))
    assert quarantine_facts(view) == (("spec:1.test_x", "two programs agree"),)
    assert quarantine_facts(fold(view, CheckRuled("spec:1.test_x", "code", "arbiter", "it was right"))) == ()


def test_asking_again_counts_as_a_call():
    view = fold(RunView(), CallMade("generator", "first", "p", "m", 10, 5, 0.0, 0.1, attempts=3))
    assert usage_of(view.calls).calls == 3


@pytest.mark.parametrize(("costs", "total"), [((0.25, 0.5), 0.75), ((0.25, None), None), ((0.0, 0.0), 0.0)])
def test_one_unknown_price_makes_the_whole_cost_unknown(costs: tuple[float | None, ...], total: float | None):
    view = fold_all(CallMade("generator", "first", "p", "m", 10, 5, cost, 0.1) for cost in costs)
    assert usage_of(view.calls) == ModelUsage(calls=2, input_tokens=20, output_tokens=10, cost_usd=total)


def test_mutants_are_told_from_the_outcome():
    assert mutation_facts(fold_all(story.whole())) == (7, 8)
    assert mutation_facts(fold_all(story.beginning())) is None


def _ran(candidate: str, outcomes: dict[str, str]) -> ChecksRan:
    first = next(event for event in story.beginning() if isinstance(event, ChecksRan))
    return replace(first, candidate=candidate, outcomes=outcomes, messages={})


def _one_of_each() -> list[AgentEvent]:
    extra: list[AgentEvent] = [
        PlanMade("1. sort"),
        Noted("the prompt was cut"),
        QuestionAsked("review_plan", {}),
        QuestionAnswered("review_plan", "approve", ""),
        RunStopped(),
        RunFailed("broken", 1),
    ]
    found = {event.kind: event for event in [*story.whole(), *extra]}
    assert isinstance(found["run_started"], RunStarted)
    assert isinstance(found["run_finished"], RunFinished)
    return list(found.values())
