"""The --json object says at every moment how far the run is."""

from __future__ import annotations

import pytest

from agent.events import AgentEvent, CandidateWritten, Judged, NodeStarted, RunFailed, RunFinished, RunStopped
from agent.events.conclusion import Conclusion, Evidence
from agent.outcome.report import Report
from framework.engine import Pending, Status

QUESTION = Pending("q", "clarify", {})
CONCLUDED = Conclusion(
    verdict="failed", verdict_reason="", stop_reason="", answer="", candidate=None, code="", tests="",
    evidence=Evidence(checks=(), quarantined=(), clauses=(), isolation={}, confirmed=False),
)  # fmt: skip


@pytest.mark.parametrize(
    ("events", "asked", "status"),
    [
        ([], False, "queued"),
        ([NodeStarted("plan")], False, "running"),
        ([NodeStarted("plan")], True, "waiting"),
        ([NodeStarted("plan"), RunStopped()], False, "stopped"),
        ([NodeStarted("plan"), RunStopped(), NodeStarted("plan")], False, "running"),
        ([NodeStarted("plan"), RunFailed("no model", 3)], False, "done"),
        ([NodeStarted("plan"), RunFinished(CONCLUDED)], False, "done"),
    ],
)
def test_the_status_is_one_of_five_words(events: list[AgentEvent], asked: bool, status: str) -> None:
    report = Report("r")
    for event in events:
        report.add(event, 1.0)
    assert report.outcome(QUESTION if asked else None).status == status


@pytest.mark.parametrize(
    ("told", "word"),
    [
        ("queued", None),
        ("running", None),
        ("waiting", None),
        ("new", "unverified"),
        ("stopped", "unverified"),
    ],
)
def test_a_run_without_a_conclusion_is_unverified_once_nobody_works_on_it(told: Status, word: str | None) -> None:
    report = Report("r")
    report.add(NodeStarted("plan"), 1.0)
    assert report.outcome(told=told).verdict == word
    assert report.outcome().verdict is None, "by its events it runs"
    report.add(RunFailed("no model", 3), 2.0)
    assert report.outcome().verdict == "unverified"


def test_a_run_that_was_refused_is_over() -> None:
    assert Report("", error="no such scenario").outcome().status == "done"


def test_a_run_that_did_not_conclude_hands_back_the_best_program_that_was_judged() -> None:
    report = Report("r")
    for name in ("c1", "c2", "c3"):
        report.add(CandidateWritten(name, "first", None, "", f"code of {name}", "", ""), 1.0)
    assert report.outcome().code == "code of c3", "none was judged: the last one"
    for best in ("c1", "c2", None):
        report.add(Judged("repair", "it fails", best, {}), 2.0)
    assert (report.outcome().code, report.outcome().candidate) == ("code of c2", "c2")
