"""The only stop rule of the loop: what to do next, from counted facts alone."""

from __future__ import annotations

from collections.abc import Callable

from .agreement import agree
from .blame import Blame, blame_in
from .facts import CandidateFacts, CheckFacts, Decision, Facts
from .ranking import rank
from .reading import Reading
from .stuck import stuck

Rule = Callable[[Reading, CandidateFacts], Decision | None]


def decide(facts: Facts) -> Decision:
    """The next box of the diagram. Every candidate must have been executed against all checks and probes; the caller
    carries the action out, counts it in `spent`, and asks again."""
    reading = Reading(facts)
    if not facts.candidates:
        return Decision("conclude", "no program was written")
    waiting = next((c for c in facts.candidates if not c.executed), None)
    if waiting is not None:
        return Decision("run_tests", f"{waiting.id} has not been executed yet", waiting.id)
    best = reading.candidates[rank(facts)[0]]
    if facts.spent.exhausted or facts.spent.judged >= facts.spent.max_judged:
        why = facts.spent.exhausted or f"the judge was asked {facts.spent.max_judged} times"
        return Decision("conclude", f"no further step is possible: {why}", best.id)
    for rule in (_code_at_fault, _test_at_fault, _disputed, _unanchored, _untested, _unreviewed):
        decision = rule(reading, best)
        if decision is not None:
            return decision
    return Decision("conclude", "nothing is left to settle", best.id)


def _code_at_fault(reading: Reading, best: CandidateFacts) -> Decision | None:
    guilty = _guilty(reading, best)
    if guilty is None:
        return None
    check, why = guilty
    spent = reading.facts.spent
    halted = stuck(reading.facts, best.root)
    refused = best.id in spent.diagnosed and not spent.repairs.get(best.root, 0)
    if not halted and not refused:
        return Decision("diagnose", why.reason, best.id, check and check.id, "code", "repair")
    if spent.rewrites < spent.max_rewrites:
        reason = halted or "the debugger does not blame the code although it must change"
        return Decision("second_attempt", reason, best.id, check and check.id, "code", "rewrite")
    return Decision("conclude", f"stuck: {halted or why.reason}", best.id)


def _guilty(reading: Reading, best: CandidateFacts) -> tuple[CheckFacts | None, Blame] | None:
    """The first failing check for which the best candidate is to blame."""
    if best.broken:
        return None, Blame("code", "broken", f"it could not run: {best.broken}")
    for check in sorted(reading.failed(best), key=lambda c: not c.anchor):
        found = blame_in(reading, best, check)
        if found.fault == "code":
            return check, found
    return None


def _test_at_fault(reading: Reading, best: CandidateFacts) -> Decision | None:
    for check in reading.failed(best):
        found = blame_in(reading, best, check)
        if found.fault == "test" and check.ruling is None:
            return Decision("quarantine", found.reason, best.id, check.id, "test")
    return None


def _disputed(reading: Reading, best: CandidateFacts) -> Decision | None:
    spent = reading.facts.spent
    open_checks = [c for c in reading.failed(best) if blame_in(reading, best, c).by == "nobody"]
    if not open_checks:
        return None
    check = open_checks[0]
    if spent.independents < spent.max_independents and not reading.peers(best):
        why = "one program against one unconfirmed test: a second independent program settles it"
        return Decision("second_attempt", why, best.id, check.id, None, "independent")
    for check in open_checks:
        if spent.use_arbiter and check.id not in spent.arbitrated:
            why = "independent programs do not settle this test"
            return Decision("arbitrate", why, best.id, check.id, None, None, check.call)
    return _ask(reading, best, open_checks[0].call, open_checks[0].id)


def _unanchored(reading: Reading, best: CandidateFacts) -> Decision | None:
    """Without any anchor, agreement of independently written programs is the best evidence there is."""
    facts = reading.facts
    if reading.anchors:
        return None
    calls = facts.probes
    if any(agree(best, peer, calls) == 1.0 for peer in reading.peers(best)):
        return None
    if facts.spent.independents < facts.spent.max_independents:
        why = "the task gives no example: an independent program must agree first"
        return Decision("second_attempt", why, best.id, None, None, "independent")
    split = next((call for peer in reading.peers(best) for call in calls
                  if best.outputs.get(call) != peer.outputs.get(call)), None)
    return _ask(reading, best, split, None)


def _ask(reading: Reading, best: CandidateFacts, call: str | None, check: str | None) -> Decision | None:
    if reading.facts.spent.asked:
        return None
    return Decision("ask_person", "the task leaves open what is right here", best.id, check, "task", None, call)


def _untested(reading: Reading, best: CandidateFacts) -> Decision | None:
    spent = reading.facts.spent
    if not spent.use_adversary or spent.adversary_done:
        return None
    return Decision("write_adversarial_tests", "it passes, but nobody has attacked it yet", best.id)


def _unreviewed(reading: Reading, best: CandidateFacts) -> Decision | None:
    spent = reading.facts.spent
    if not spent.use_critic or spent.critic_done:
        return None
    return Decision("critic", "it passes; a last look for a failing input", best.id)
