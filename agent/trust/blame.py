"""Decides who is at fault when a candidate fails a check: the code, the test, or nobody yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.state import Fault

from .agreement import Comparison, compare
from .answers import implied
from .choice import only_chooses
from .facts import CandidateFacts, CheckFacts, Facts
from .reading import FactsView, fails, families, of_what_is_left, stands
from .telling import by_chance_told

By = Literal[
    "passes", "broken", "ruling", "chance", "anchor", "limits", "answer", "peer", "agreement", "clause", "crash",
    "left", "foreign", "nobody",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Blame:
    """The fault, who or what decided it, and why. `fault` unknown with `by` nobody is a dispute; with `by` passes there
    is no failure."""

    fault: Fault
    by: By
    reason: str


_FOREIGN = Blame("unknown", "foreign", "what is left behind is told of the given program only")


def blame(facts: Facts, candidate_id: str, check_id: str) -> Blame:
    """Returns who is at fault for one candidate's failure of one check. Raises KeyError for unknown ids."""
    reading = FactsView(facts)
    return blame_in(reading, reading.candidates[candidate_id], reading.checks[check_id])


def disputed(reading: FactsView, candidate: CandidateFacts) -> tuple[CheckFacts, ...]:
    """Returns the checks that the candidate fails and for which neither code nor test has been found at fault."""
    return tuple(c for c in reading.failed(candidate) if blame_in(reading, candidate, c).by == "nobody")


def blame_in(reading: FactsView, candidate: CandidateFacts, check: CheckFacts) -> Blame:
    if candidate.broken:
        return Blame("code", "broken", f"it {candidate.unusable}")
    if not fails(candidate, check):
        return Blame("unknown", "passes", "it passes this check or never met it")
    if check.ruling is not None and check.ruling != "unknown":
        return Blame(check.ruling, "ruling", f"settled before: the {check.ruling} is at fault")
    told = _about_the_check(check)
    if told is not None:
        return told
    if of_what_is_left(check):
        own = candidate.root == check.against
        return (
            Blame("code", "left", "attributes, or arguments after a call, are no longer what they were")
            if own
            else _FOREIGN
        )
    answer = implied(reading, check.call)
    if answer is not None and answer != check.expected and candidate.outputs.get(check.call or "") == answer:
        return Blame("test", "answer", "the person's answer to another input decides this one as the program does")
    return _by_testimony(reading, candidate, check)


def _about_the_check(check: CheckFacts) -> Blame | None:
    """Returns what the check itself decides, whatever the programs do; None if it decides nothing by itself."""
    if check.drawn:
        return Blame("test", "chance", by_chance_told(check.call or check.id))
    if check.anchor:
        return Blame("code", "anchor", "the task itself promises this")
    if check.excluded:
        return Blame("test", "limits", f"the task does not allow this input: “{check.excluded}”")
    return None


def set_aside_by_chance(reading: FactsView) -> tuple[str, ...]:
    """Returns sentences on the anchors that were set aside because chance decides what they call."""
    aside = (check for check in reading.facts.checks if check.anchor and check.drawn and not stands(check))
    return tuple(by_chance_told(check.call or check.id) for check in aside)


def _by_testimony(reading: FactsView, candidate: CandidateFacts, check: CheckFacts) -> Blame:
    """Decides by independent programs that pass the anchors. They speak for the check if they pass it, and for the
    candidate if they give its output. On stored programs: with as many for the check as for the candidate, the test
    is right in 74-97 %; with none for the check and two for the candidate, it is wrong in 98-100 %; between these,
    it is open (41-85 %). Without any anchor no test is dropped: the programs may share a misreading that only the
    test shows."""
    peers = reading.peers(candidate)
    passing = [p for p in peers if p.root != check.against and p.outcomes.get(check.id) == "P"]
    agreeing = [p for p in peers if same_answer(candidate, p, check)]
    for_test, for_code = families(passing), 1 + families(agreeing)
    if for_test >= for_code:
        return Blame("code", "peer", f"{passing[0].id}, written independently, passes it")
    anchors = reading.anchors if check.origin == "kept" else reading.promises
    if agreeing and not passing and anchors and reading.anchored(candidate):
        return Blame("test", "agreement", f"{agreeing[0].id}, written independently, gives the same other answer")
    if check.id in candidate.crashed and not agreeing:
        return Blame("code", "crash", "it breaks off on this input")
    return Blame("unknown", "nobody", "independent programs have not settled it")


def same_answer(one: CandidateFacts, other: CandidateFacts, check: CheckFacts) -> bool:
    """Returns whether both fail the check with the same output, and that is another one than the check states; without
    a comparable call, whether both fail its assertion."""
    if not fails(other, check):
        return False
    if check.call is None or check.call not in one.outputs or check.call not in other.outputs:
        return one.outcomes.get(check.id) == other.outcomes.get(check.id) == "F"
    given, stated = one.outputs[check.call], check.expected
    return given.comparable and given == other.outputs[check.call] and given != stated


UNATTACKED = "no adversary has tried it with anything that could be run"


def standing_peers(reading: FactsView, judged: CandidateFacts) -> tuple[CandidateFacts, ...]:
    """Returns the witnesses of other families, without those that a check has shown to be wrong which the judged
    program passes: their differences say nothing. A check that only chooses among equal things, where the task does not
    say which, shows no program to be wrong."""
    against = ((peer, convicting(reading, judged, peer)) for peer in reading.peers(judged))
    return tuple(peer for peer, checks in against if not checks or only_chooses(reading, judged, peer, checks))


def convicting(reading: FactsView, judged: CandidateFacts, peer: CandidateFacts) -> list[CheckFacts]:
    """Returns the checks that the peer fails by its own fault and the judged program passes."""
    failed = [check for check in reading.failed(peer) if judged.outcomes.get(check.id) == "P"]
    return [check for check in failed if blame_in(reading, peer, check).fault == "code"]


def refuted_on(reading: FactsView, judged: CandidateFacts) -> str:
    """Returns, in words, an input on which a refuted peer differs from the judged program; "" if there is none. The
    author of the refuting check may share the judged program's misreading, so the person is told."""
    standing = standing_peers(reading, judged)
    for peer in (peer for peer in reading.peers(judged) if peer not in standing):
        for call in (check.call for check in convicting(reading, judged, peer)):
            if call and compare(judged, peer, [call]).different:
                return f", for instance {call}: {judged.outputs[call]} / {peer.outputs[call]}"
    return ""


def difference_on(
    reading: FactsView, judged: CandidateFacts, peers: Sequence[CandidateFacts], found: Comparison
) -> str:
    """Returns the shortest input on which they differ, if possible one that a test, an adversary or the validator holds
    to be allowed; "" if they do not differ."""
    if not (peers and found.different):
        return ""
    held = (reading.known_calls, reading.facts.tried, reading.facts.valid, found.different)
    call = min(next(filter(None, ([c for c in found.different if c in calls] for calls in held))), key=len)
    theirs = next(peer.outputs[call] for peer in peers if compare(judged, peer, [call]).different)
    return f"{call.strip('<>')}: {judged.outputs[call]} / {theirs}"


def unattacked(reading: FactsView, judged: CandidateFacts) -> str:
    """Returns, in words, why the adversary could not have shown the program to be wrong; "" when it could."""
    spent = reading.facts.spent
    compared = spent.inputs_tried and (reading.given is not None or standing_peers(reading, judged))
    ruled = (one for one in reading.facts.checks if one.call in reading.facts.tried and one.origin == "arbiter")
    compared = compared or any(stands(one) and not fails(judged, one) for one in ruled)
    if not spent.unattacked or compared:
        return ""
    alone = "an adversary gave inputs only, and there is no other program to compare the answers with"
    return alone if spent.inputs_tried else UNATTACKED
