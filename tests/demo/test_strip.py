"""The strip over a run: the verdict's word, one sentence and what was counted, and the same counts in the proof."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from agent.events import AgentEvent, CheckListed, RunFailed, RunFinished, RunStopped, SuiteWritten
from agent.events.conclusion import Evidence
from agent.law.kept import kept_suite
from agent.state import AgentState, Candidate, Task
from agent.state.findings import VerdictWord
from demo.panels.bar import meters_panel
from demo.panels.folds import folds_panel
from demo.panels.matrix import matrix
from demo.panels.strip import verdict_strip
from demo.panels.timeline import timeline_panel
from demo.view.names import check_words
from sandbox.types import CallOutput

from . import story
from .reading import text_of
from .story import fold_all, shot_of


def test_the_strip_tells_verdict_reason_and_counts():
    words = text_of(verdict_strip(shot_of(story.whole())))
    for expected in (
        "Verified",
        "Your example passes, 2 more checks pass, 1 wrong check was set aside.",
        "1/1 your examples",
        "2/2 confirmed",
    ):
        assert expected in words


def test_what_given_code_did_before_is_neither_the_models_own_nor_a_wrong_check():
    """Where it was recorded and then changed, the given code was wrong."""
    shot = shot_of([_recorded(event) for event in story.whole()])
    words = text_of(verdict_strip(shot))
    assert "Your example passes, on 2 of 3 other inputs it does what your code did, nothing is disputed." in words
    assert "2/2 as before" in words
    assert "confirmed" not in words
    rows = text_of(matrix(shot.view))
    assert "As before" in rows
    assert "changed" in rows
    assert "set aside" not in rows
    assert "Confirmed" not in rows


def test_recorded_behaviour_is_named_by_what_the_given_code_did():
    code = "def area(w, h):\n    if w < 0:\n        raise ValueError\n    return w * h"
    run = 'run_program("2 3")'
    outputs = {
        "area(0, 2)": CallOutput("value", "0"),
        "area(-1, 2)": CallOutput("exception", "ValueError"),
        run: CallOutput("value", "{'stdout': '6', 'exit_code': 0}"),
    }
    suite = kept_suite(AgentState(task=Task("Mend it.", code)), Candidate("c1", code, "given", None, "c1"), outputs)
    assert suite
    listed = SuiteWritten(
        "kept", "kept", tuple(CheckListed(one.id, one.name, one.source, False) for one in suite.checks), ""
    )
    view = fold_all([listed])
    assert [check_words(view, check.id) for check in suite.checks] == [
        "area(0, 2) == 0",
        "area(-1, 2) raises ValueError",
        run,
    ]


def _recorded(event: AgentEvent) -> AgentEvent:
    if isinstance(event, SuiteWritten) and event.origin == "spec":
        return replace(event, origin="kept")
    if isinstance(event, RunFinished):
        found = event.conclusion.evidence
        checks = tuple(replace(one, origin="kept") if one.origin == "spec" else one for one in found.checks)
        return replace(event, conclusion=replace(event.conclusion, evidence=replace(found, checks=checks)))
    return event


@pytest.mark.parametrize(
    ("verdict", "word"),
    [
        ("verified", "Verified"),
        ("partly_verified", "Partly verified"),
        ("unverified", "Unverified"),
        ("failed", "Failed"),
    ],
)
def test_each_verdict_has_its_word(verdict: VerdictWord, word: str):
    events = [*story.beginning(), RunFinished(replace(story.outcome(), verdict=verdict))]
    assert f"<h2>{word}</h2>" in verdict_strip(shot_of(events))


@pytest.mark.parametrize("end", [RunStopped(), RunFailed("no model answered", 3)])
def test_a_run_that_broke_off_is_unverified(end: AgentEvent):
    assert "<h2>Unverified</h2>" in verdict_strip(shot_of([*story.beginning(), end], "stopped"))


def test_a_failed_verdict_is_not_green():
    events = [*story.beginning(), RunFinished(replace(story.outcome(), verdict="failed"))]
    assert "tone-bad" in verdict_strip(shot_of(events))


def test_before_the_end_no_verdict_is_shown():
    strip = verdict_strip(shot_of(story.beginning(), "running"))
    assert "tone-busy" in strip
    assert not re.search(r"<h2>(Verified|Partly|Unverified|Failed)", strip)


def test_an_outcome_without_executed_checks_counts_none():
    evidence = Evidence(checks=(), quarantined=(), clauses=(), isolation={}, confirmed=False)
    empty = replace(story.outcome(), verdict="unverified", evidence=evidence)
    shot = shot_of([*story.beginning(), RunFinished(empty)])
    assert "no example of yours" in text_of(verdict_strip(shot))
    assert "Checks passed 0 of 0" in text_of(folds_panel(shot.view))


def test_a_run_of_a_real_model_has_no_scripted_badge():
    shot = shot_of([*story.beginning(scripted=False), RunFinished(story.outcome())])
    drawn = meters_panel(shot.view) + verdict_strip(shot) + timeline_panel(shot.view)
    assert "cripted demo model" not in drawn
    assert "ollama · demo" in drawn
