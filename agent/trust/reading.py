"""Facts read once: who passes the anchors, who may testify, and which checks still count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from .facts import CandidateFacts, CheckFacts, Facts


@dataclass(frozen=True)
class Reading:
    """Derived views of one Facts; built per question, never stored."""

    facts: Facts

    @cached_property
    def checks(self) -> dict[str, CheckFacts]:
        return {check.id: check for check in self.facts.checks}

    @cached_property
    def candidates(self) -> dict[str, CandidateFacts]:
        return {candidate.id: candidate for candidate in self.facts.candidates}

    @cached_property
    def anchors(self) -> tuple[CheckFacts, ...]:
        """T0 checks that still stand; only a ruling (the person's) removes one."""
        return tuple(check for check in self.facts.checks if check.anchor and stands(check))

    @cached_property
    def witnesses(self) -> tuple[CandidateFacts, ...]:
        """Candidates that ran and pass every anchor: the only ones whose behaviour says something about a check."""
        return tuple(candidate for candidate in self.facts.candidates if self.anchored(candidate))

    def anchored(self, candidate: CandidateFacts) -> bool:
        return not candidate.broken and all(candidate.outcomes.get(check.id) == "P" for check in self.anchors)

    def failed(self, candidate: CandidateFacts) -> tuple[CheckFacts, ...]:
        """Checks that still stand, were executed on it and did not pass."""
        return tuple(check for check in self.facts.checks if stands(check) and fails(candidate, check))

    def peers(self, candidate: CandidateFacts) -> tuple[CandidateFacts, ...]:
        """Witnesses of other families: a candidate and its repairs count once."""
        return tuple(other for other in self.witnesses if other.root != candidate.root)


def stands(check: CheckFacts) -> bool:
    """False once the test or the task was found to be at fault."""
    return check.ruling not in ("test", "task")


def fails(candidate: CandidateFacts, check: CheckFacts) -> bool:
    return candidate.outcomes.get(check.id, "P") != "P"


def families(candidates: Iterable[CandidateFacts]) -> int:
    return len({candidate.root for candidate in candidates})
