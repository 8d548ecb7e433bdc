"""The verdict: one of four words, each with reasons that can be counted again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.state import VerdictWord

from .agreement import confirming
from .blame import disputed
from .facts import CandidateFacts, Facts
from .ranking import guilty_of, rank_in
from .reading import Reading, stands
from .tiers import tier_of, trustworthy


@dataclass(frozen=True, slots=True)
class Verdict:
    word: VerdictWord
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Tally:
    """What was executed on the judged candidate, by tier."""

    t0: int
    t0_passed: int
    t1: int
    t1_passed: int
    blamed: tuple[str, ...]
    open: tuple[str, ...]
    contested: tuple[str, ...]
    agreeing: int
    differing: int


def verdict(
    facts: Facts,
    *,
    confirmed: bool,
    candidate: str | None = None,
    unconfirmed_reason: str = "",
    signs: Sequence[str] = (),
) -> Verdict:
    """Verdict on `candidate` (default: the best). `confirmed`: the split runner repeated the pass. `signs`: sentences
    about cheating found in the code; any of them rules out `verified`."""
    reading = Reading(facts)
    if not facts.candidates:
        return Verdict("failed", ("no program was written",))
    judged = reading.candidates[candidate or rank_in(reading)[0]]
    if judged.broken:
        return Verdict("failed", (f"the program could not run: {judged.broken}",))
    tally = _count(reading, judged)
    counted = _sentences(tally)
    if tally.blamed:
        return Verdict("failed", (*(f"{name} fails and the code is at fault" for name in tally.blamed), *counted))
    if tally.t0 and not tally.open:
        doubts = [*signs, *(f"{name} fails and nobody has settled it" for name in tally.contested)]
        doubts += [] if confirmed else [unconfirmed_reason or "the pass could not be confirmed"]
        return Verdict("partly_verified" if doubts else "verified", (*counted, *doubts))
    if tally.t0:
        return Verdict("unverified", (*counted, *signs))
    if tally.agreeing and not tally.open and not tally.differing:
        return Verdict("partly_verified", (*counted, "the task gives no example to check against", *signs))
    return Verdict("unverified", (*counted, "nothing that can be trusted was executed", *signs))


def _count(reading: Reading, judged: CandidateFacts) -> _Tally:
    by_tier: dict[str, list[bool]] = {"T0": [], "T1": [], "T2": []}
    for check in reading.facts.checks:
        if stands(check) and check.id in judged.outcomes:
            by_tier[tier_of(reading, check)].append(judged.outcomes[check.id] == "P")
    missing = [c.id for c in reading.facts.checks if stands(c) and trustworthy(c) and c.id not in judged.outcomes]
    contested = [check.id for check in disputed(reading, judged)]
    weighty = [i for i in contested if _weighs(reading, judged, i)]
    peers = {peer.root for peer in reading.peers(judged)}
    same = {peer.root for peer in confirming(reading, judged)}
    return _Tally(
        t0=len(by_tier["T0"]),
        t0_passed=sum(by_tier["T0"]),
        t1=len(by_tier["T1"]),
        t1_passed=sum(by_tier["T1"]),
        blamed=guilty_of(reading, judged),
        open=(*missing, *weighty),
        contested=tuple(i for i in contested if i not in weighty),
        agreeing=len(same),
        differing=len(peers - same),
    )


def _weighs(reading: Reading, judged: CandidateFacts, check_id: str) -> bool:
    """A dispute that leaves the program itself in doubt: two suites state the check, or a peer passes it."""
    peers = reading.peers(judged)
    return trustworthy(reading.checks[check_id]) or any(peer.outcomes.get(check_id) == "P" for peer in peers)


def _sentences(tally: _Tally) -> tuple[str, ...]:
    lines = [f"{tally.t0_passed} of {tally.t0} checks of the task itself pass"]
    if tally.t1:
        lines.append(f"{tally.t1_passed} of {tally.t1} confirmed checks pass")
    if tally.agreeing or tally.differing:
        total = tally.agreeing + tally.differing
        lines.append(f"{tally.agreeing} of {total} independent programs give the same outputs on generated inputs")
    lines += [f"{name} is not settled" for name in tally.open]
    return tuple(lines)
