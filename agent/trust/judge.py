"""Decides what to do next once programs were executed, from counted facts alone. `agent/graph.py` holds the cases in
which an executed program is not judged."""

from __future__ import annotations

from collections.abc import Callable

from .agreement import compare, first_difference
from .another import guessed, narrow, uncorroborated, unopposed, unwitnessed
from .answers import unanswered
from .blame import Blame, blame_in, disputed, same_answer, standing_peers
from .facts import NOT_HERE, OUTPUT, CandidateFacts, CheckFacts, Decision, Facts
from .given import about_given
from .ranking import confirmed, guilty_of, rank_in, settled_in
from .reading import FactsView, contradicting, fails
from .stuck import stuck
from .thin import thin
from .word import is_word_alone

Rule = Callable[[FactsView, CandidateFacts], Decision | None]


def decide(facts: Facts) -> Decision:
    """Returns the decision: the next node, and why. A program that was not executed yet is executed first. The caller
    carries the decision out, counts it in `spent`, and asks again."""
    if not facts.candidates:
        return Decision("conclude", "no program was written")
    waiting = next((c for c in facts.candidates if not c.executed), None)
    if waiting is not None:
        return Decision("run_tests", f"{waiting.id} has not been executed yet", waiting.id)
    reading = FactsView(facts)
    best = subject_of(reading)
    if facts.spent.exhausted or facts.spent.judged >= facts.spent.max_judged:
        why = facts.spent.exhausted or f"the judge was asked {facts.spent.max_judged} times"
        return Decision("conclude", f"nothing further may be tried: {why}", best.id)
    for rule in _RULES:
        decision = rule(reading, best)
        if decision is not None:
            return decision
    return Decision("conclude", "nothing is left to settle", best.id)


def subject_of(reading: FactsView) -> CandidateFacts:
    """Returns the program that the next decision is about: the best one. For given code that is its best repair as long
    as another repair may help; a program written anew is only a witness until then."""
    order = rank_in(reading)
    best = reading.candidates[order[0]]
    own = next((reading.candidates[name] for name in order if reading.is_own(reading.candidates[name])), best)
    return best if own.id != best.id and _halted(reading, own) else own


def _code_at_fault(reading: FactsView, best: CandidateFacts) -> Decision | None:
    guilty = _guilty(reading, best)
    if guilty is None:
        return None
    check, why = guilty
    subject = check.id if check is not None else None
    if reading.facts.stays:
        return Decision("conclude", "it stays as it is: no other program is wanted", best.id, subject, "code")
    spent = reading.facts.spent
    halted = _halted(reading, best)
    if halted and (why.by == "crash" or (reading.given is not None and not _is_trusted(reading, best, check))):
        return None
    if check is not None and best.id in spent.refused and is_word_alone(reading, best, check):
        return None  # debugger and arbiter read the task differently, and programs agree: the verdict tells it
    if halted and check is not None and _is_word_against_word(reading, best, check, why):
        refused = "another program passes this check, and the debugger does not blame the code"
        return Decision("arbitrate", refused, best.id, check.id, None, None, check.call)
    if not halted:
        return Decision("diagnose", why.reason, best.id, subject, "code", "repair")
    if spent.rewrites < spent.max_rewrites and not best.broken.startswith(NOT_HERE):
        return Decision("second_attempt", halted, best.id, subject, "code", "rewrite")
    return Decision("conclude", f"stuck: {halted}", best.id, subject, "code")


def _is_word_against_word(reading: FactsView, best: CandidateFacts, check: CheckFacts, why: Blame) -> bool:
    """Returns whether the arbiter is asked about a check's input before a program is given up for that check: only one
    suite states the check, only another program speaks for it, and the debugger holds it to be wrong."""
    told = why.by == "peer" and best.id in reading.facts.spent.refused and check.call is not None
    return _may_be_put(reading, check) and told and not _is_trusted(reading, best, check)


def _is_trusted(reading: FactsView, best: CandidateFacts, check: CheckFacts | None) -> bool:
    """Returns whether more than one model speaks against the program: it could not run, breaks a clause, or fails a
    trusted check."""
    return check is None or check.id in guilty_of(reading, best)


def _halted(reading: FactsView, best: CandidateFacts) -> str:
    """Returns why no further repair of it may be tried; "" while one may."""
    return stuck(reading.facts, best.root) or _refused(reading, best)


def _unchanged(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks for a repair when the person wants given code changed and no check has shown yet what is wrong with it."""
    if not reading.is_unchanged(best) or _halted(reading, best):
        return None
    why = "a change of the given program is asked for, and it is still as it was given"
    return Decision("diagnose", why, best.id, None, "code", "repair")


def _refused(reading: FactsView, best: CandidateFacts) -> str:
    """Returns why the debugger is not asked again: having looked and repaired nothing, it would say the same."""
    spent = reading.facts.spent
    if best.id in spent.refused or (best.id in spent.diagnosed and not spent.repairs.get(best.root, 0)):
        return "the debugger does not blame the code although it must change"
    return ""


def _guilty(reading: FactsView, best: CandidateFacts) -> tuple[CheckFacts | None, Blame] | None:
    """Returns a failing check for which the best candidate is to blame, and the blame. Anchors come first, a held-out
    check comes behind others, and a crash comes last. The check is None if the program cannot run, lost a public name
    or breaks a clause."""
    if best.broken:
        return None, Blame("code", "broken", f"it {best.unusable}")
    if best.lost:
        return None, Blame("code", "broken", best.lost)
    failed = sorted(reading.failed(best), key=lambda c: (not c.anchor, c.held_out))
    found = [(check, blame_in(reading, best, check)) for check in failed]
    guilty = [(check, why) for check, why in found if why.fault == "code"]
    broken = [(None, Blame("code", "clause", words)) for words in best.breaches[:1]]
    return min([*guilty, *broken], key=lambda each: each[1].by == "crash", default=None)


def _test_at_fault(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Sets a wrong check aside, after the arbiter was asked where only programs that may share a misreading of the
    sentence which the check quotes speak against it."""
    for check in reading.failed(best):
        found = blame_in(reading, best, check)
        if found.fault == "test" and check.ruling is None:
            if found.by == "agreement" and check.is_quoted and _may_be_put(reading, check):
                why = "programs agree against a check that quotes the task"
                return Decision("arbitrate", why, best.id, check.id, None, None, check.call)
            return Decision("quarantine", found.reason, best.id, check.id, "test")
    return None


def _ambiguous(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks the person, because the arbiter found that the task does not decide the check."""
    asked = (_ask(reading, best, check.call, check.id) for check in unanswered(reading))
    return next((decision for decision in asked if decision is not None), None)


def _read_otherwise(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks the arbiter whether the task's words allow another reading, one reading at a time until one is open. Without
    that, what one reader takes a sentence to mean would lower the verdict."""
    spent, unclear = reading.facts.spent, [one for one in unanswered(reading) if one.is_reading and fails(best, one)]
    asked = [one for one in unclear if one.id in spent.arbitrated]
    if asked or not unclear or not spent.use_arbiter or len(spent.arbitrated) >= spent.max_arbitrated:
        return None
    why = "another reading of the task gives another value"
    return Decision("arbitrate", why, best.id, unclear[0].id, None, None, unclear[0].call)


def _unexplored(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks for a generator of inputs, on which programs are compared, if the evidence is thin."""
    spent = reading.facts.spent
    if spent.inputs_done or not spent.use_inputs or not (why := thin(reading, best)):
        return None
    return Decision("write_inputs", f"{why}: programs are compared on inputs that it allows", best.id)


def _disputed(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Settles a dispute between one program and unconfirmed tests: first asks for a second independent program, and the
    arbiter only if independent programs do not settle it."""
    open_checks = [check for check in disputed(reading, best) if check.origin != "arbiter"]
    if not open_checks:
        return None
    spent, clear = reading.facts.spent, settled_in(reading, best)
    first = open_checks[0]
    more = spent.independents < spent.max_independents and first.origin != "reference"
    if more and not clear:
        why = "one program against an unconfirmed test: another independent program may settle it"
        return Decision("second_attempt", why, best.id, first.id, None, "independent")
    if all(check.call is None for check in open_checks) and (concrete := _differing(reading, best)) is not None:
        return concrete  # an input can be put to the arbiter, a whole test cannot
    for check in open_checks:
        shared = check.is_quoted and any(same_answer(best, peer, check) for peer in reading.peers(best))
        if _may_be_put(reading, check) and (shared or not clear or _split(reading, check)):
            why = "independent programs do not settle this test"
            return Decision("arbitrate", why, best.id, check.id, None, None, check.call)
    return None if clear else _ask(reading, best, first.call, first.id, UNSETTLED)


def _may_be_put(reading: FactsView, check: CheckFacts) -> bool:
    spent = reading.facts.spent
    return spent.use_arbiter and len(spent.arbitrated) < spent.max_arbitrated and not _was_put(reading, check)


def _was_put(reading: FactsView, check: CheckFacts) -> bool:
    """Returns whether the arbiter was asked about the check. Checks on what given code did before count as one
    question, until the arbiter finds that one of these answers had to change: a wrong repair may be right on that one
    input, so the next one is a question of its own."""
    kept = (one for one in reading.facts.checks if one.origin == check.origin == "kept" and one.ruling != "test")
    return any(one.id in reading.facts.spent.arbitrated for one in (check, *kept))


def _differing(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks the arbiter about an input that programs answer differently and that the task allows, or may allow if no
    validator tells; one input at a time, and the person if the task leaves it open. One thing that is left open
    explains the other differences too."""
    spent = reading.facts.spent
    known = (*reading.facts.valid, *reading.known_calls) if reading.facts.valid else ()
    made = () if known else (call for call in reading.facts.probes if call != OUTPUT)
    allowed = (*known, *made, *reading.facts.tried)
    peers = standing_peers(reading, best)
    # short inputs first: a model, like a person, judges them more surely
    differing = sorted(
        {call for peer in peers for call in compare(best, peer, allowed).different}, key=lambda call: (len(call), call)
    )
    if not differing or unanswered(reading):
        return None
    if any(call in spent.arbitrated - spent.left_open for call in differing):
        # the arbiter was asked, and its answer has not settled the difference: a further question would not either
        return None
    if asked := next((call for call in differing if call in spent.left_open), None):
        return _ask(reading, best, asked, None)
    new = next((call for call in differing if call not in spent.arbitrated), None)
    if new is None or not spent.use_arbiter or len(spent.arbitrated) >= spent.max_arbitrated:
        return None
    return Decision("arbitrate", "programs answer this input differently", best.id, None, None, None, new)


def _contradicted(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks the arbiter about a check when checks of several roles contradict programs that agree."""
    spent, against = reading.facts.spent, contradicting(reading, best)
    if not spent.use_arbiter or any(check.id in spent.arbitrated for check in against):
        return None
    if (asked := next((check for check in against if check.call is not None), None)) is None:
        return None
    why = f"checks of several roles contradict programs that agree: {', '.join(one.id for one in against)}"
    return Decision("arbitrate", why, best.id, asked.id, None, None, asked.call)


def _split(reading: FactsView, check: CheckFacts) -> bool:
    """Returns whether some witness passes the check. Where every witness fails it and two of them agree, these are
    right in 94 % of cases even without anchors, so the check is put to the arbiter only if it quotes the task."""
    return any(witness.outcomes.get(check.id) == "P" for witness in reading.witnesses)


def _unanchored(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks for an independent program when the task has no anchor: agreement of independent programs is then the best
    evidence. Where only speed or form of given code is to change, that code is such a program."""
    if reading.promises or confirmed(reading, best) or about_given(reading, best).confirms:
        return None
    spent = reading.facts.spent
    if spent.independents < spent.max_independents:
        why = "no example was read from the task: an independent program must agree first"
        return Decision("second_attempt", why, best.id, None, None, "independent")
    return _ask(reading, best, first_difference(reading, best, standing_peers(reading, best)), None, UNSETTLED)


OPEN = "the task leaves open what is right here"
UNSETTLED = "nothing that could be asked or executed settles what is right here"


def _ask(
    reading: FactsView, best: CandidateFacts, call: str | None, check: str | None, why: str = OPEN
) -> Decision | None:
    if reading.facts.spent.asked:
        return None
    return Decision("ask_person", why, best.id, check, "task", None, call)


def _untested(reading: FactsView, best: CandidateFacts) -> Decision | None:
    spent = reading.facts.spent
    if not spent.use_adversary or spent.adversary_done:
        return None
    return Decision("write_adversarial_tests", "it passes, but nobody has attacked it yet", best.id)


def _unreviewed(reading: FactsView, best: CandidateFacts) -> Decision | None:
    spent = reading.facts.spent
    if not spent.use_critic or spent.critic_done:
        return None
    return Decision("critic", "it passes; a last look for a failing input", best.id)


_RULES: tuple[Rule, ...] = (
    _code_at_fault, _test_at_fault, _unexplored, _read_otherwise, _ambiguous, _disputed, _contradicted, _unchanged,
    _differing, _unanchored, unwitnessed, guessed, _untested, unopposed, narrow, uncorroborated, _unreviewed,
)  # fmt: skip
"""The rules are asked in this order; the first that answers decides."""
