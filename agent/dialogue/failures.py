"""Selects what a model may be told about a failing program: trusted failures only, and never a held-out check."""

from __future__ import annotations

from agent.counting.counted import facts_of, outcomes_so_far, runs_of
from agent.state import AgentState, Check
from agent.trust import blame


def failing_checks(state: AgentState, candidate: str) -> list[Check]:
    """Returns the checks that the candidate fails by its own fault, the task's own first, without held-out ones."""
    facts = facts_of(state)
    failed = {key for key, outcome in outcomes_so_far(state, candidate).items() if outcome.failed}
    shown = [check for suite in state.suites for check in suite.checks if check.id in failed and not check.held_out]
    blamed = [check for check in shown if blame(facts, candidate, check.id).fault == "code"]
    return sorted(blamed, key=lambda check: check.origin not in ("person", "task", "answer"))


def shown_checks(state: AgentState) -> list[Check]:
    """Returns the checks that a role may see beside the code: those that are neither held out nor set aside."""
    set_aside = {ruling.check for ruling in state.rulings if ruling.fault in ("test", "task")}
    checks = [check for suite in state.suites for check in suite.checks]
    return [check for check in checks if not check.held_out and check.id not in set_aside]


def breaches_of(state: AgentState, candidate: str) -> list[str]:
    """Returns what the candidate breaks beyond doubt without failing a check: names that a repair removed from given
    code, and clauses of the task that were measured on it."""
    own = next((one for one in facts_of(state).candidates if one.id == candidate), None)
    return [*([own.lost] if own.lost else []), *own.breaches] if own else []


def failure_report(state: AgentState, candidate: str) -> list[str]:
    """Returns one text for each failure that is the code's fault and for each breach that `breaches_of` tells. If there
    is none, returns how the executions themselves ended, in at most three texts."""
    outcomes = outcomes_so_far(state, candidate)
    told = [f"{check.name}: {outcomes[check.id].message}".strip() for check in failing_checks(state, candidate)]
    told += breaches_of(state, candidate)
    if told:
        return told
    # Only runs without any reported check are told in their own words: the words of another run might be those of a
    # held-out check.
    silent = (run for run in runs_of(state, candidate) if not run.reported)
    runs = [run for run in silent if run.execution.status not in ("pass", "ok")]
    ended = [f"{run.execution.status}: {run.execution.error}" for run in runs if run.execution.error]
    lacking = [run.lacks for run in runs_of(state, candidate) if run.lacks]
    return list(dict.fromkeys([*ended, *lacking]))[:3]
