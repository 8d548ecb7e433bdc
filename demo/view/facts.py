"""Counts what the verdict strip, the figures and the matrix show, from the view alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from agent.events import CandidateWritten
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


def mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def sequence(value: object) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()


def verdict_of(view: RunView) -> str:
    """Returns the verdict as every door tells it; "" while the run may still conclude."""
    if view.outcome is not None:
        return str(view.outcome["verdict"])
    return str(verdict_unconcluded("stopped")) if view.lifecycle in ("failed", "stopped") else ""


def evidence_of(view: RunView) -> Mapping[str, Any]:
    return mapping((view.outcome or {}).get("evidence"))


def check_facts(view: RunView) -> tuple[CheckFact, ...]:
    """Returns the checks of the outcome; before there is one, those that ran on the best candidate so far."""
    held = _held_out(view)
    if view.outcome is not None:
        rows = (mapping(row) for row in sequence(evidence_of(view).get("checks")))
        return tuple(
            CheckFact(
                name=str(row.get("name", "")),
                tier=str(row.get("tier", "")),
                origin=str(row.get("origin", "")),
                outcome=str(row.get("outcome", "")),
                held_out=bool(row.get("held_out", str(row.get("name", "")) in held)),
            )
            for row in rows
        )
    return _live_facts(view, held)


def _live_facts(view: RunView, held: frozenset[str]) -> tuple[CheckFact, ...]:
    current = view.best or (view.candidates[-1].candidate if view.candidates else None)
    outcomes = outcomes_of(view, current)
    return tuple(
        CheckFact(
            name=check.id,
            tier=view.tiers.get(check.id, ""),
            origin=suite.origin,
            outcome=outcomes[check.id],
            held_out=check.id in held,
        )
        for suite, check in view.checks
        if check.id in outcomes and check.id not in view.quarantined
    )


def origin_of(view: RunView, check: str) -> str:
    """Returns who stated a check; "" if the view does not hold it."""
    return next((suite.origin for suite, listed in view.checks if listed.id == check), "")


def _held_out(view: RunView) -> frozenset[str]:
    return frozenset(name for _, check in view.checks if check.held_out for name in (check.id, check.name))


def handed_back(view: RunView) -> str:
    """Returns the id of the outcome's program; before there is an outcome, the newest program's; "" for none."""
    told = str((view.outcome or {}).get("candidate") or "")
    if view.candidate(told):
        return told
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
    if view.outcome is None:
        return tuple(view.quarantined.items())
    rows = (mapping(row) for row in sequence(evidence_of(view).get("quarantined")))
    return tuple((str(row.get("name", "")), str(row.get("reason", ""))) for row in rows)


def mutation_facts(view: RunView) -> tuple[int, int] | None:
    """Returns (killed, total) of the mutants; None if they were not measured."""
    found = mapping(evidence_of(view).get("mutation"))
    if found:
        return int(found.get("killed", 0)), int(found.get("total", 0))
    return (view.mutation.killed, view.mutation.total) if view.mutation and view.outcome is None else None


def coverage_words(view: RunView) -> str | None:
    """Returns how many of the branches or lines the checks reached; None if that was not measured."""
    found = mapping(evidence_of(view).get("coverage"))
    branches, taken = found.get("branches"), found.get("branches_taken")
    if branches:
        return f"{taken}/{branches} branches"
    lines, run = found.get("lines"), found.get("lines_run")
    return f"{run}/{lines} lines" if lines else None
