"""Counts what the verdict strip, the figures and the matrix show, from the view alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agent.events import CandidateWritten
from agent.events.conclusion import Evidence
from agent.outcome.report import verdict_unconcluded
from agent.state import FAILED

from .fold import RunView


@dataclass(frozen=True, slots=True)
class CheckFact:
    """One check, with its outcome for the program that is handed back."""

    name: str
    tier: str
    origin: str
    outcome: str
    held_out: bool

    @property
    def group(self) -> str:
        return group_of(self.tier, self.origin)


def group_of(tier: str, origin: str) -> str:
    """Returns where a check is counted: by its tier, and what given code did before by itself, because no model said
    it."""
    return "kept" if origin == "kept" else tier


def verdict_of(view: RunView) -> str:
    """Returns the verdict as every door tells it; "" while the run may still conclude."""
    if view.conclusion is not None:
        return view.conclusion.verdict or ""
    return str(verdict_unconcluded("stopped")) if view.lifecycle in ("failed", "stopped") else ""


def evidence_of(view: RunView) -> Evidence | None:
    return view.conclusion.evidence if view.conclusion else None


def check_facts(view: RunView) -> tuple[CheckFact, ...]:
    """Returns the checks of the outcome; before there is one, those that ran on the best candidate so far."""
    if found := evidence_of(view):
        return tuple(CheckFact(one.name, one.tier, one.origin, one.outcome, one.held_out) for one in found.checks)
    current = view.best or (view.candidates[-1].candidate if view.candidates else None)
    outcomes = outcomes_of(view, current)
    return tuple(
        CheckFact(check.id, view.tiers.get(check.id, ""), suite.origin, outcomes[check.id], check.held_out)
        for suite, check in view.checks
        if check.id in outcomes and check.id not in view.quarantined
    )


def origin_of(view: RunView, check: str) -> str:
    """Returns who stated a check; "" if the view does not hold it."""
    return next((suite.origin for suite, listed in view.checks if listed.id == check), "")


def handed_back(view: RunView) -> str:
    """Returns the id of the outcome's program; before there is an outcome, the newest program's; "" for none."""
    if view.conclusion and view.candidate(view.conclusion.candidate):
        return view.conclusion.candidate or ""
    return view.candidates[-1].candidate if view.candidates else ""


def outcomes_of(view: RunView, candidate: str | None) -> dict[str, str]:
    """Returns the latest outcome of each check for the candidate, by check id."""
    merged: dict[str, str] = {}
    for run in view.executions:
        if run.candidate == candidate:
            merged.update(run.outcomes)
    return merged


def regressions(view: RunView) -> frozenset[tuple[str, str]]:
    """Returns the (check, candidate) pairs in which the candidate fails a check that one of its ancestors passed."""
    found: set[tuple[str, str]] = set()
    table = {one.candidate: outcomes_of(view, one.candidate) for one in view.candidates}
    for one in view.candidates:
        for ancestor in _ancestors(view, one):
            passed = (check for check, status in table.get(ancestor, {}).items() if status == "pass")
            found.update(
                (check, one.candidate) for check in passed if table[one.candidate].get(check, "pass") in FAILED
            )
    return frozenset(found)


def _ancestors(view: RunView, candidate: CandidateWritten) -> Iterable[str]:
    seen: set[str] = set()
    parent = candidate.parent
    while parent and parent not in seen:
        seen.add(parent)
        yield parent
        found = view.candidate(parent)
        parent = found.parent if found else None


def quarantine_facts(view: RunView) -> tuple[tuple[str, str], ...]:
    found = evidence_of(view)
    return tuple((one.name, one.reason) for one in found.quarantined) if found else tuple(view.quarantined.items())


def mutation_facts(view: RunView) -> tuple[int, int] | None:
    """Returns (killed, total) of the mutants; None if they were not measured."""
    found = view.conclusion.evidence.mutation if view.conclusion else view.mutation
    return (found.killed, found.total) if found else None


def coverage_words(view: RunView) -> str | None:
    """Returns how many of the branches or lines the checks reached; None if that was not measured."""
    found = view.conclusion.evidence.coverage if view.conclusion else None
    if found and found.branches:
        return f"{found.branches_taken}/{found.branches} branches"
    return f"{found.lines_run}/{found.lines} lines" if found and found.lines else None
