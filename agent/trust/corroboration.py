"""What speaks for a program besides the task's own examples."""

from __future__ import annotations

from dataclasses import dataclass

from .agreement import CONFIRMING, checked, compare_with, confirming
from .facts import CandidateFacts
from .reading import Reading, of_given_code, stands

LEAST_CHECKS = 1
"""Model-written checks that must pass before the task's examples are enough for `verified`. Tested by learn-then-test
on stored runs (`python -m evaluation replay`; the README says what that shows)."""


@dataclass(frozen=True, slots=True)
class Corroboration:
    """Counts of one candidate."""

    checks: int
    """Model-written checks that still stand, inputs that the person answered, and behaviour of given code that is to
    be kept: as many as it passes."""
    agrees: bool
    """An independent program answers CONFIRMING inputs as it does (all, where there are fewer), or a checker that tries
    every possibility finds as many of its answers right."""

    @property
    def enough(self) -> bool:
        return self.checks >= LEAST_CHECKS or self.agrees


def corroboration(reading: Reading, candidate: CandidateFacts) -> Corroboration:
    """Counts what speaks for `candidate` besides the task's own examples."""
    further = [c for c in reading.facts.checks if not c.anchor or c.origin == "answer" or of_given_code(c)]
    checks = sum(stands(check) and candidate.outcomes.get(check.id) == "P" for check in further)
    friends = confirming(reading, candidate)
    agreed = compare_with(reading, candidate, friends).equal if friends else 0
    agrees = bool(friends) and agreed >= min(CONFIRMING, len(reading.all_calls))
    return Corroboration(checks, agrees or checked(reading, candidate) >= CONFIRMING)
