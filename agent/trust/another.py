"""Rules by which another program is asked for, although the best one passes: what speaks for it is too little."""

from __future__ import annotations

from .blame import standing_peers, unattacked
from .corroboration import corroboration, scarcity
from .facts import CandidateFacts, Decision
from .given import changes_the_report_alone
from .reading import FactsView


def unwitnessed(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks for a slow reference when the task is hard and its small inputs can be tried out, however well its examples
    pass."""
    spent = reading.facts.spent
    if not spent.hard or spent.independents or not spent.max_independents:
        return None
    why = "the task is hard, and small inputs can be decided by a slow and obvious program"
    return Decision("second_attempt", why, best.id, None, None, "independent")


def guessed(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks for an independent program if inputs at corners show that the author had to guess, for another may guess
    differently. For given code the code itself has decided."""
    spent = reading.facts.spent
    ties = "the task does not say which of equal things is meant" if reading.facts.ties_open else ""
    state = "tests show few of the orders in which its objects can be used" if reading.facts.keeps_state else ties
    unnoticed = f"no check notices this change: {best.unpinned}" if best.unpinned else state
    why = f"it breaks off on {best.breaks_off}" if best.breaks_off else unnoticed
    asked = reading.given is None and spent.independents < spent.max_independents
    if not why or not asked or standing_peers(reading, best):
        return None
    return Decision("second_attempt", f"{why}: an independent program is asked", best.id, None, None, "independent")


def uncorroborated(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks for one independent program when the first passes the examples and nothing else speaks for it, since
    examples alone are wrong too often. Not if several programs were written or a check was ruled on: a further program
    seldom settles such doubts. With a single example there must be some program to compare with."""
    spent, scarce = reading.facts.spent, scarcity(reading)
    doubted = len(reading.facts.candidates) > 1 or any(check.ruling for check in reading.facts.checks)
    needless = bool(standing_peers(reading, best)) if scarce else doubted or spent.independents > 0
    if not reading.promises or needless or spent.independents >= spent.max_independents:
        return None
    found = corroboration(reading, best)
    if found.agrees or not found.lacks:
        return None
    why = scarce or "only the task's own examples speak for it"
    return Decision("second_attempt", f"{why}: an independent program is asked", best.id, None, None, "independent")


def unopposed(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """Asks for an independent program when something that the adversary brought cannot be compared, because it may show
    a fault. Given code is compared with what it did before."""
    spent = reading.facts.spent
    if reading.given is not None or not spent.adversary_done or standing_peers(reading, best):
        return None
    open_input = next((call for call in reading.facts.tried if call not in reading.known_calls), "")
    undecided = f"no check says what {open_input} gives, and there is no other program to compare with"
    none = "the adversary gave tests alone, and no input by which programs could be compared"
    alone = spent.tests_alone and not corroboration(reading, best).agrees
    why = unattacked(reading, best) or (undecided if open_input else none if alone else "")
    if not why or spent.independents >= spent.max_independents:
        return None
    return Decision("second_attempt", f"{why}: another one is asked", best.id, None, None, "independent")


def narrow(reading: FactsView, best: CandidateFacts) -> Decision | None:
    """A repair may have been made for the one input that was reported: another program shows what else was wrong."""
    spent, peers = reading.facts.spent, standing_peers(reading, best)
    if peers or spent.independents >= spent.max_independents or not changes_the_report_alone(reading, best):
        return None
    if spent.independents:
        return None
    why = "it does otherwise than the given program on the reported input alone: an independent program is asked"
    return Decision("second_attempt", why, best.id, None, None, "independent")
