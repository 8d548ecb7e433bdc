"""Views on the facts: who passes the anchors, who may testify, and which checks still count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

from agent.source.uses import tells_what_is_left

from .facts import CandidateFacts, CheckFacts, Facts


@dataclass(frozen=True)
class FactsView:
    """Derived views of one Facts; built for each question and never stored."""

    facts: Facts

    @cached_property
    def checks(self) -> dict[str, CheckFacts]:
        return {check.id: check for check in self.facts.checks}

    @cached_property
    def candidates(self) -> dict[str, CandidateFacts]:
        return {candidate.id: candidate for candidate in self.facts.candidates}

    @cached_property
    def anchors(self) -> tuple[CheckFacts, ...]:
        """T0 checks that still stand; only a ruling of the person removes one."""
        return tuple(check for check in self.facts.checks if check.anchor and stands(check))

    @cached_property
    def promises(self) -> tuple[CheckFacts, ...]:
        """Anchors that say what is right. A symptom is none: it only says what is wrong."""
        return tuple(check for check in self.anchors if check.origin != "symptom")

    @cached_property
    def given(self) -> CandidateFacts | None:
        """The program that came with the task; None without one."""
        return next((candidate for candidate in self.facts.candidates if candidate.kind == "given"), None)

    def is_own(self, candidate: CandidateFacts) -> bool:
        """Returns whether it is the person's program or a repair of it; True for every program if none was given."""
        return self.given is None or candidate.root == self.given.root

    def is_unchanged(self, candidate: CandidateFacts) -> bool:
        """Returns whether it equals the given program, comments and layout aside."""
        return self.given is not None and (
            candidate.id == self.given.id or candidate.fingerprint == self.given.fingerprint != ""
        )

    @cached_property
    def witnesses(self) -> tuple[CandidateFacts, ...]:
        """Candidates that ran and pass every anchor; only their behaviour says something about a check. A slow
        reference may time out on some anchors."""
        return tuple(candidate for candidate in self.facts.candidates if self.anchored(candidate))

    @cached_property
    def voices(self) -> tuple[CandidateFacts, ...]:
        """The candidates whose agreement counts: the witnesses, or if there is none, all that could run."""
        return self.witnesses or tuple(c for c in self.facts.candidates if c.executed and not c.broken)

    @cached_property
    def weights(self) -> dict[str, float]:
        """Check id -> weight as evidence, the square root of its votes: suites repeat each other's mistakes, as
        programs do (CodeT takes the root of the programs for the same reason)."""
        return {c.id: sqrt(max(1, c.votes)) for c in self.facts.checks if stands(c) and not of_given_code(c)}

    @cached_property
    def known_calls(self) -> tuple[str, ...]:
        """Inputs that somebody wrote down as valid, each once, without inputs that the task excludes and without
        records of attributes and arguments."""
        told = (check for check in self.facts.checks if not (check.excluded or of_what_is_left(check)))
        stated = (check.call for check in told if check.call is not None)
        return tuple(dict.fromkeys(stated))

    @cached_property
    def all_calls(self) -> tuple[str, ...]:
        """Every input by which programs are compared, those of tests first."""
        return tuple(dict.fromkeys((*self.known_calls, *self.facts.valid, *self.facts.probes)))

    def anchored(self, candidate: CandidateFacts) -> bool:
        if candidate.broken or not candidate.executed:
            return False
        if candidate.kind == "reference":
            return not any(fails(candidate, check) for check in self.anchors)
        return all(candidate.outcomes.get(check.id) == "P" for check in self.anchors)

    def failed(self, candidate: CandidateFacts) -> tuple[CheckFacts, ...]:
        """Returns the checks that still stand, were executed on it and did not pass."""
        return tuple(check for check in self.facts.checks if stands(check) and fails(candidate, check))

    def peers(self, candidate: CandidateFacts) -> tuple[CandidateFacts, ...]:
        """Returns the witnesses of other families, since a candidate and its repairs count once."""
        return tuple(other for other in self.witnesses if other.root != candidate.root)

    def repeats(self, candidate: CandidateFacts) -> int:
        """Returns how many authors who had not seen the program wrote the very same one: one program all the same."""
        alike = (other for other in self.facts.candidates if other.fingerprint == candidate.fingerprint != "")
        return sum(other.id != candidate.id and other.kind in ("first", "independent", "reference") for other in alike)

    def echoes(self, check: CheckFacts) -> bool:
        """Returns whether a check that is no anchor only states once more what an anchor does: it is no further
        evidence."""
        said = check.expected is not None and not check.anchor
        return said and any(one.call == check.call and one.expected == check.expected for one in self.anchors)

    def counts(self, check: CheckFacts) -> bool:
        """Returns whether the check still stands and says something about what is right that no other one said."""
        return stands(check) and not of_given_code(check) and not self.echoes(check)

    def passed_weight(self, candidate: CandidateFacts) -> float:
        return sum(weight for check, weight in self.weights.items() if candidate.outcomes.get(check) == "P")


def contradicting(reading: FactsView, candidate: CandidateFacts) -> tuple[CheckFacts, ...]:
    """Returns model-written checks that the candidate fails and that at most the agreement of programs speaks against,
    if at least two roles wrote them: several authors may be right against programs that share a misreading."""
    against = tuple(
        check
        for check in reading.facts.checks
        if fails(candidate, check)
        and not check.anchor
        and not of_given_code(check)
        and (check.ruling is None or check.ruled_by == "agreement")
    )
    return against if len({check.origin for check in against}) > 1 else ()


def of_given_code(check: CheckFacts) -> bool:
    """Returns whether the check was recorded by running the given program. Such a check is nobody's statement of what
    is right."""
    return check.origin in ("symptom", "kept")


def of_what_is_left(check: CheckFacts) -> bool:
    """Returns whether the check records attributes of given code's objects, or arguments after its calls. Such checks
    bind repairs of the given code, not authors of other programs."""
    return check.origin == "kept" and tells_what_is_left(check.call or "")


def stands(check: CheckFacts) -> bool:
    """Returns False once the test or the task was found to be at fault."""
    return check.ruling not in ("test", "task")


def fails(candidate: CandidateFacts, check: CheckFacts) -> bool:
    return candidate.outcomes.get(check.id, "P") != "P"


def families(candidates: Iterable[CandidateFacts]) -> int:
    return len({candidate.root for candidate in candidates})
