"""Best so far: candidates are ordered by evidence, and the last one is never returned because it is last."""

from __future__ import annotations

from math import sqrt

from .agreement import CONFIRMING, agreement, checked, confirming
from .blame import blame_in
from .facts import LACKS_OUTPUT, CandidateFacts, CheckFacts, Facts
from .given import told_apart
from .reading import FactsView, of_what_is_left
from .tiers import tier_of

NEAR = 0.9
"""A candidate with less than this share of the best one's support is not accepted. On stored programs 0.85 to 0.9
rejects fewer right ones and lets fewer wrong ones through than the best CodeT group does, in all three pools."""
STATED_BY = 1 / 3
"""Share of the blind suites that must state a check before its failure alone calls for another program: the only suite,
one of two, two of five. A novel check that one suite of five states is wrong in 96 % of its failures on a program that
passes the anchors, one that two or more state in 82-94 %."""
_FIRST = 0.5
"""Keeps agreement meaningful where no check passes."""

Key = tuple[float, ...]


def accepted(facts: Facts, candidate_id: str) -> bool:
    """Every anchor was executed on it and passed, no ruling is against it, and its support is near that of the best
    candidate; a disputed check alone never rejects."""
    reading = FactsView(facts)
    return accepted_in(reading, reading.candidates[candidate_id])


def accepted_in(reading: FactsView, candidate: CandidateFacts) -> bool:
    if not reading.anchored(candidate) or candidate.breaches or _ruled_against(reading, candidate):
        return False
    best = max(support(reading, witness) for witness in reading.witnesses)
    return support(reading, candidate) >= NEAR * best


def _ruled_against(reading: FactsView, candidate: CandidateFacts) -> bool:
    return any(check.ruling == "code" for check in reading.failed(candidate))


def settled(facts: Facts, candidate_id: str) -> bool:
    """Nothing needs to be written to trust it as far as the evidence goes."""
    reading = FactsView(facts)
    return settled_in(reading, reading.candidates[candidate_id])


def settled_in(reading: FactsView, candidate: CandidateFacts) -> bool:
    """With anchors: it passes them and no check that weighs stands against it, or an independent program behaves the
    same. Without any anchor only the latter settles it: checks alone are wrong too often."""
    if not accepted_in(reading, candidate):
        return False
    clear = not any(_weighs(reading, check) for check in reading.failed(candidate))
    return bool(reading.promises and clear) or confirmed(reading, candidate)


def confirmed(reading: FactsView, candidate: CandidateFacts) -> bool:
    """A witness of another family behaves the same, or a checker found enough of its answers right."""
    return bool(confirming(reading, candidate)) or checked(reading, candidate) >= CONFIRMING


def _weighs(reading: FactsView, check: CheckFacts) -> bool:
    """Its failure is a dispute worth another program; the adversary, critic and person state theirs once."""
    return check.origin != "spec" or check.votes >= STATED_BY * reading.facts.suites


def support(reading: FactsView, candidate: CandidateFacts) -> float:
    """sqrt(families that agree, in parts) x weight of the checks passed: programs and checks as two kinds of
    witnesses, neither believed without the other (dual agreement, made soft by comparing outputs)."""
    nearest: dict[str, float] = {}
    for other in reading.voices:
        if other.root != candidate.root:
            nearest[other.root] = max(nearest.get(other.root, 0.0), agreement(reading, candidate, other))
    return sqrt(1.0 + sum(nearest.values())) * (_FIRST + reading.passed_weight(candidate))


def rank(facts: Facts) -> tuple[str, ...]:
    """Candidate ids, best first: could run, no slow reference while another program is sound, of given code the
    repaired before the unchanged and before any written anew, anchors passed, clauses kept, support, witnesses last,
    size, order of writing. A repair that breaks a trusted check never stands above the family member that passed it."""
    return rank_in(FactsView(facts))


def rank_in(reading: FactsView) -> tuple[str, ...]:
    keys: dict[str, Key] = {}
    for place, candidate in enumerate(reading.facts.candidates):
        own = _merit(reading, candidate, place)
        keys[candidate.id] = max([own, *((*keys[i], 1.0) for i in _betrayed(reading, candidate, place))])
    return tuple(sorted(keys, key=lambda i: keys[i]))


def _merit(reading: FactsView, candidate: CandidateFacts, place: int) -> Key:
    anchors = sum(candidate.outcomes.get(check.id) == "P" for check in reading.anchors)
    ended = 0.5 if candidate.broken.startswith(LACKS_OUTPUT) else 1.0  # it ran to its end, which a crash did not
    idle = ended if candidate.broken or not candidate.executed else 0.0
    seen = -float(anchors), float(len(candidate.breaches)), -round(support(reading, candidate), 9)
    slow = float(candidate.kind == "reference" and _has_answer(reading))
    return (idle, slow, *_foreign(reading, candidate), *seen, *_change(reading, candidate), float(place))


def _has_answer(reading: FactsView) -> bool:
    """Whether some program that is no slow reference fails nothing by its own fault."""
    others = (candidate for candidate in reading.facts.candidates if candidate.kind != "reference")
    return any(is_sound(reading, candidate) for candidate in others)


def _foreign(reading: FactsView, candidate: CandidateFacts) -> tuple[float, float]:
    """Where code was given: a changed program that fails no trusted check comes first; among equals the person's own,
    repaired, before any that was written anew. Handing back what was handed in is no answer, nor is a stranger's
    program that does the same."""
    if reading.given is None:
        return 0.0, 0.0
    own = reading.is_own(candidate)
    able = is_sound(reading, candidate) and not reading.is_unchanged(candidate)
    able = able and (own or told_apart(reading, reading.given, candidate))
    return float(not able), float(not own)


def _change(reading: FactsView, candidate: CandidateFacts) -> tuple[float, float, float, float]:
    """What tells programs of equal evidence apart: recorded behaviour that is lost, no change at all, that it was asked
    for as a witness only, size."""
    lost = sum(check.origin == "kept" for check in reading.failed(candidate))
    witness = float(candidate.kind == "independent")
    return float(lost), float(reading.is_unchanged(candidate)), witness, float(candidate.size)


def is_sound(reading: FactsView, candidate: CandidateFacts) -> bool:
    """Passes every anchor, can be used as before, breaks no clause, and no trusted check fails by its fault."""
    unfit = candidate.lost or candidate.breaches
    return not unfit and reading.anchored(candidate) and not guilty_of(reading, candidate)


def _betrayed(reading: FactsView, candidate: CandidateFacts, place: int) -> list[str]:
    """Earlier members of its family that pass a trusted check which it does not."""
    family = [c for c in reading.facts.candidates[:place] if c.root == candidate.root]
    trusted = [c for c in reading.failed(candidate) if _is_trusted(reading, candidate, c)] if family else []
    return [member.id for member in family if any(member.outcomes.get(check.id) == "P" for check in trusted)]


def _is_trusted(reading: FactsView, candidate: CandidateFacts, check: CheckFacts) -> bool:
    """A repair may well change what was recorded of the given program: only as far as the fault is found to be its
    own does that speak against it."""
    if check.origin == "kept":
        return not of_what_is_left(check) and blame_in(reading, candidate, check).fault == "code"
    return tier_of(reading, check) != "T2"


def guilty_of(reading: FactsView, candidate: CandidateFacts) -> tuple[str, ...]:
    """Ids of trusted checks (T0, T1, or ruled) whose failure is the candidate's own fault."""
    return tuple(
        check.id
        for check in reading.failed(candidate)
        if (tier_of(reading, check) != "T2" or check.ruling == "code")
        and blame_in(reading, candidate, check).fault == "code"
    )
