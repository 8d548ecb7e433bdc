"""Detects repairs that pass only the checks that their author was shown, by the held-out checks."""

from __future__ import annotations

from .facts import CandidateFacts, CheckFacts, Facts
from .reading import FactsView, of_given_code, stands

_GAP = 0.5
"""The difference of pass rates that raises the alarm. A repair that understood the task passes held-out checks about as
often as shown ones."""


def overfit(facts: Facts, candidate_id: str) -> str:
    """Returns the alarm in words, if a repair's pass rate on checks that repairs may see is higher by at least 0.5 than
    on held-out ones; "" otherwise."""
    reading = FactsView(facts)
    return overfit_in(reading, reading.candidates[candidate_id])


def overfit_in(reading: FactsView, candidate: CandidateFacts) -> str:
    if candidate.kind != "repair":
        return ""
    generated = [c for c in reading.facts.checks if not c.anchor and not of_given_code(c)]
    written = [c for c in generated if stands(c) and c.id in candidate.outcomes]
    seen, hidden = [c for c in written if not c.held_out], [c for c in written if c.held_out]
    if not seen or not hidden:
        return ""
    passed_seen, passed_hidden = _passed(candidate, seen), _passed(candidate, hidden)
    if passed_seen / len(seen) - passed_hidden / len(hidden) < _GAP:
        return ""
    return (
        f"overfit alarm: it passes {passed_seen} of {len(seen)} checks that repairs may see, and {passed_hidden} of"
        f" {len(hidden)} held out"
    )


def _passed(candidate: CandidateFacts, checks: list[CheckFacts]) -> int:
    return sum(candidate.outcomes[check.id] == "P" for check in checks)
