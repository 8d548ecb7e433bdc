"""Which candidates behave alike, on inputs that cost no model call."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import CandidateFacts, Facts
from .reading import Reading

PROBE_WEIGHT = 0.25
"""Inputs of tests count four times the mutated ones: right programs differ on inputs that the task never allowed. On
the stored programs, disagreement on mutated inputs alone came from a right program in 2 of 3 cases."""
SAME = 0.95
"""Agreement from which two independent programs confirm each other (one odd input in twenty may be out of domain)."""
_SILENT = ("", "~", "?")
"""Absent, timed out or without canonical form: equal to nothing."""


def agreement(reading: Reading, one: CandidateFacts, other: CandidateFacts) -> float:
    """How alike two candidates behave, 0.0 to 1.0: on inputs of tests and on probes; where nothing can be compared by
    output, the share of checks that both pass."""
    known, probes = reading.known_calls, reading.facts.probes
    parts = [(1.0, _share(one, other, known))] if known else []
    parts += [(PROBE_WEIGHT, _share(one, other, probes))] if probes else []
    if not parts:
        return _both_pass(reading, one, other)
    return sum(weight * share for weight, share in parts) / sum(weight for weight, _ in parts)


def confirming(reading: Reading, candidate: CandidateFacts) -> tuple[CandidateFacts, ...]:
    """Witnesses of other families that behave the same."""
    return tuple(peer for peer in reading.peers(candidate) if agreement(reading, candidate, peer) >= SAME)


def clusters(facts: Facts) -> tuple[tuple[str, ...], ...]:
    """Ids of candidates with equal outputs on every probe (on every known call when there is no probe), most
    independent families first; candidates that could not run at all belong to none."""
    reading = Reading(facts)
    calls = facts.probes or reading.known_calls
    groups: dict[tuple[str, ...], list[CandidateFacts]] = {}
    for candidate in facts.candidates:
        if not candidate.broken and candidate.executed:
            groups.setdefault(_behaviour(candidate, calls), []).append(candidate)
    ordered = sorted(groups.values(), key=lambda group: -len({c.root for c in group}))
    return tuple(tuple(c.id for c in group) for group in ordered)


def first_difference(reading: Reading, one: CandidateFacts, others: Sequence[CandidateFacts]) -> str | None:
    """An input on which some other candidate answers differently, those of tests first."""
    for call in (*reading.known_calls, *reading.facts.probes):
        mine = one.outputs.get(call, "")
        if mine not in _SILENT and any(other.outputs.get(call, "") not in (*_SILENT, mine) for other in others):
            return call
    return None


def _share(one: CandidateFacts, other: CandidateFacts, calls: Sequence[str]) -> float:
    mine, theirs = one.outputs, other.outputs
    return sum(mine.get(call, "") == theirs.get(call, "") not in _SILENT for call in calls) / len(calls)


def _both_pass(reading: Reading, one: CandidateFacts, other: CandidateFacts) -> float:
    novel = [check.id for check in reading.facts.checks if not check.anchor and check.id in reading.weights]
    both = sum(one.outcomes.get(i) == other.outcomes.get(i) == "P" for i in novel)
    return both / len(novel) if novel else 0.0


def _behaviour(candidate: CandidateFacts, calls: Sequence[str]) -> tuple[str, ...]:
    """Outputs in order of the calls; a silent output never equals another candidate's."""
    if not calls:
        return (candidate.id,)
    outputs = (candidate.outputs.get(call, "") for call in calls)
    return tuple(f"{text}{candidate.id}" if text in _SILENT else text for text in outputs)
