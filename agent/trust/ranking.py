"""Best so far: candidates are ordered by evidence, and the last one is never returned because it is last."""

from __future__ import annotations

from math import sqrt

from .agreement import agree
from .blame import blame_in
from .facts import CandidateFacts, Facts
from .reading import Reading, stands
from .tiers import tier_of


def accepted(facts: Facts, candidate_id: str) -> bool:
    """It ran, every anchor passed, and no failing check is blamed on it; a disputed check alone never rejects."""
    reading = Reading(facts)
    return accepted_in(reading, reading.candidates[candidate_id])


def accepted_in(reading: Reading, candidate: CandidateFacts) -> bool:
    if not candidate.executed or not reading.anchored(candidate):
        return False
    return all(blame_in(reading, candidate, check).fault != "code" for check in reading.failed(candidate))


def rank(facts: Facts) -> tuple[str, ...]:
    """Candidate ids, best first: anchors passed, confirmed checks passed, agreement times checks passed, size."""
    reading = Reading(facts)
    order = sorted(range(len(facts.candidates)), key=lambda i: (*_merit(reading, facts.candidates[i]), i))
    return tuple(facts.candidates[i].id for i in order)


def _merit(reading: Reading, candidate: CandidateFacts) -> tuple[float, ...]:
    anchors = sum(candidate.outcomes.get(check.id) == "P" for check in reading.anchors)
    return (bool(candidate.broken), -anchors, -support(reading, candidate), candidate.size)


def support(reading: Reading, candidate: CandidateFacts) -> float:
    """sqrt(agreeing families) x (0.5 + checks passed): measured best of 22 selectors."""
    calls = reading.facts.probes
    nearest: dict[str, float] = {candidate.root: 1.0}
    for other in reading.witnesses:
        if other.root != candidate.root:
            nearest[other.root] = max(nearest.get(other.root, 0.0), agree(candidate, other, calls))
    passed = sum(_weight(reading, check.id) for check in reading.facts.checks
                 if stands(check) and candidate.outcomes.get(check.id) == "P")
    return sqrt(sum(nearest.values())) * (0.5 + passed)


def _weight(reading: Reading, check_id: str) -> float:
    return 2.0 if tier_of(reading, reading.checks[check_id]) == "T1" else 1.0
