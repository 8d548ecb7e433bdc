"""Which candidates behave alike on inputs that cost no model call."""

from __future__ import annotations

from .facts import CandidateFacts, Facts

_SILENT = ("", "~", "?")
"""Absent, timed out or without canonical form: equal to nothing."""


def agree(one: CandidateFacts, other: CandidateFacts, calls: tuple[str, ...]) -> float:
    """Share of calls on which both give the same value or raise the same exception; 0.0 without calls."""
    same = sum(one.outputs.get(call, "") == other.outputs.get(call, "") not in _SILENT for call in calls)
    return same / len(calls) if calls else 0.0


def clusters(facts: Facts) -> tuple[tuple[str, ...], ...]:
    """Ids of candidates with equal outputs on every probe (on every known call when there is no probe), most
    independent families first; candidates that could not run at all belong to none."""
    calls = facts.probes or tuple(sorted({call for c in facts.candidates for call in c.outputs}))
    groups: dict[tuple[str, ...], list[CandidateFacts]] = {}
    for candidate in facts.candidates:
        if not candidate.broken and candidate.executed:
            groups.setdefault(behaviour(candidate, calls), []).append(candidate)
    ordered = sorted(groups.values(), key=lambda group: -len({c.root for c in group}))
    return tuple(tuple(c.id for c in group) for group in ordered)


def behaviour(candidate: CandidateFacts, calls: tuple[str, ...]) -> tuple[str, ...]:
    """Outputs in order of the calls; a silent output never equals another candidate's."""
    if not calls:
        return (candidate.id,)
    outputs = (candidate.outputs.get(call, "") for call in calls)
    return tuple(f"{text}{candidate.id}" if text in _SILENT else text for text in outputs)
