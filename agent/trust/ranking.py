"""Orders candidates by evidence, so that the best one so far is returned and not simply the last one."""

from __future__ import annotations

from math import sqrt

from .agreement import CONFIRMING, agreement, checked, confirming
from .blame import blame_in
from .facts import LACKS_OUTPUT, CandidateFacts, CheckFacts, Facts
from .given import told_apart
from .reading import FactsView, of_what_is_left
from .tiers import tier_of

NEAR = 0.9
"""A candidate with less than this share of the best one's support is not accepted. On stored programs, 0.85 to 0.9
rejects fewer right ones and lets fewer wrong ones through than CodeT's best group, in all three pools."""
STATED_BY = 1 / 3
"""The share of blind suites that must state a check before its failure alone calls for another program: the only suite,
one of two, two of five. A check that one suite of five states is wrong in 96 % of its failures on a program that passes
the anchors; one that two or more state, in 82-94 %."""
_FIRST = 0.5
"""Added to the passed weight, so that agreement counts even when no check passes."""

Key = tuple[float, ...]


def accepted(facts: Facts, candidate_id: str) -> bool:
    """Returns whether every anchor was executed and passed, no ruling is against the candidate, and its support is near
    the best one's. A disputed check alone never rejects a candidate."""
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
    """Returns whether the candidate can be trusted as far as the evidence goes, so that nothing more needs to be
    written."""
    reading = FactsView(facts)
    return settled_in(reading, reading.candidates[candidate_id])


def settled_in(reading: FactsView, candidate: CandidateFacts) -> bool:
    """Returns whether the candidate can be trusted. With anchors, the candidate must pass them, and either no check
    that weighs stands against it or an independent program behaves the same. Without anchors only an independent
    program settles it, because checks alone are wrong too often."""
    if not accepted_in(reading, candidate):
        return False
    clear = not any(_weighs(reading, check) for check in reading.failed(candidate))
    return bool(reading.promises and clear) or confirmed(reading, candidate)


def confirmed(reading: FactsView, candidate: CandidateFacts) -> bool:
    """Returns whether a witness of another family behaves the same, or a checker found enough of its answers right."""
    return bool(confirming(reading, candidate)) or checked(reading, candidate) >= CONFIRMING


def _weighs(reading: FactsView, check: CheckFacts) -> bool:
    """Returns whether the check's failure is a dispute worth another program. Adversary, critic and person state a
    check once, so theirs always weigh."""
    return check.origin != "spec" or check.votes >= STATED_BY * reading.facts.suites


def support(reading: FactsView, candidate: CandidateFacts) -> float:
    """Returns sqrt(1 + agreement of other families) x (_FIRST + weight of the checks passed). Programs and checks are
    two kinds of witnesses, and neither is believed without the other (CodeT's dual agreement, made soft by comparing
    outputs)."""
    nearest: dict[str, float] = {}
    for other in reading.voices:
        if other.root != candidate.root:
            nearest[other.root] = max(nearest.get(other.root, 0.0), agreement(reading, candidate, other))
    return sqrt(1.0 + sum(nearest.values())) * (_FIRST + reading.passed_weight(candidate))


def rank(facts: Facts) -> tuple[str, ...]:
    """Returns candidate ids, best first, ordered by: could run; no slow reference while another program is sound; for
    given code, its repairs before it and before programs written anew; anchors passed; clauses kept; the mark of the
    named algorithm seen; support; witnesses last; size; order of writing. A repair that fails a trusted check never
    ranks above the family member that passed it."""
    return rank_in(FactsView(facts))


def rank_in(reading: FactsView) -> tuple[str, ...]:
    keys: dict[str, Key] = {}
    for place, candidate in enumerate(reading.facts.candidates):
        own = _merit(reading, candidate, place)
        keys[candidate.id] = max([own, *((*keys[i], 1.0) for i in _betrayed(reading, candidate, place))])
    return tuple(sorted(keys, key=lambda i: keys[i]))


def _merit(reading: FactsView, candidate: CandidateFacts, place: int) -> Key:
    anchors = sum(candidate.outcomes.get(check.id) == "P" for check in reading.anchors)
    ended = 0.5 if candidate.broken.startswith(LACKS_OUTPUT) else 1.0  # unlike a crash, the script ran to its end
    idle = ended if candidate.broken or not candidate.executed else 0.0
    unseen = sum(one.kind == "algorithm" and one.standing == "open" for one in candidate.clauses)
    seen = -float(anchors), float(len(candidate.breaches)), float(unseen), -round(support(reading, candidate), 9)
    slow = float(candidate.kind == "reference" and _has_answer(reading))
    return (idle, slow, *_foreign(reading, candidate), *seen, *_change(reading, candidate), float(place))


def _has_answer(reading: FactsView) -> bool:
    """Returns whether some program other than a slow reference fails nothing by its own fault."""
    others = (candidate for candidate in reading.facts.candidates if candidate.kind != "reference")
    return any(is_sound(reading, candidate) for candidate in others)


def _foreign(reading: FactsView, candidate: CandidateFacts) -> tuple[float, float]:
    """Ranks candidates for given code: first a changed program that fails no trusted check, and among those the
    person's own repaired program before one written anew. Returning the given program unchanged is no answer, nor is
    another program that does the same."""
    if reading.given is None:
        return 0.0, 0.0
    own = reading.is_own(candidate)
    able = is_sound(reading, candidate) and not reading.is_unchanged(candidate)
    able = able and (own or told_apart(reading, reading.given, candidate))
    return float(not able), float(not own)


def _change(reading: FactsView, candidate: CandidateFacts) -> tuple[float, float, float, float]:
    """Orders programs of equal evidence: least recorded behaviour lost, changed at all, not only asked for as a
    witness, smallest."""
    lost = sum(check.origin == "kept" for check in reading.failed(candidate))
    witness = float(candidate.kind == "independent")
    return float(lost), float(reading.is_unchanged(candidate)), witness, float(candidate.size)


def is_sound(reading: FactsView, candidate: CandidateFacts) -> bool:
    """Returns whether the candidate passes every anchor, can be used as before, breaks no clause, and fails no trusted
    check by its own fault."""
    unfit = candidate.lost or candidate.breaches
    return not unfit and reading.anchored(candidate) and not guilty_of(reading, candidate)


def _betrayed(reading: FactsView, candidate: CandidateFacts, place: int) -> list[str]:
    """Returns earlier members of its family that pass a trusted check which it fails."""
    family = [c for c in reading.facts.candidates[:place] if c.root == candidate.root]
    trusted = [c for c in reading.failed(candidate) if _is_trusted(reading, candidate, c)] if family else []
    return [member.id for member in family if any(member.outcomes.get(check.id) == "P" for check in trusted)]


def _is_trusted(reading: FactsView, candidate: CandidateFacts, check: CheckFacts) -> bool:
    """Returns whether the check counts as trusted against a repair. A repair may change recorded behaviour of the given
    program; that counts only if the repair is found at fault."""
    if check.origin == "kept":
        return not of_what_is_left(check) and blame_in(reading, candidate, check).fault == "code"
    return tier_of(reading, check) != "T2"


def guilty_of(reading: FactsView, candidate: CandidateFacts) -> tuple[str, ...]:
    """Returns the ids of trusted checks (T0, T1, or ruled) whose failure is the candidate's own fault."""
    return tuple(
        check.id
        for check in reading.failed(candidate)
        if (tier_of(reading, check) != "T2" or check.ruling == "code")
        and blame_in(reading, candidate, check).fault == "code"
    )
