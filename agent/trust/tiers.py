"""Decides how much each check may be trusted: T0 anchors, T1 confirmed, T2 the rest."""

from __future__ import annotations

from collections.abc import Mapping

from agent.state import Tier

from .facts import CheckFacts, Facts
from .reading import FactsView, of_what_is_left, stands


def tiers(facts: Facts) -> Mapping[str, Tier]:
    """Returns the tier of every check, by id. Tiers are derived anew each time, because a new candidate can confirm a
    check."""
    reading = FactsView(facts)
    return {check.id: tier_of(reading, check) for check in facts.checks}


def tier_of(reading: FactsView, check: CheckFacts) -> Tier:
    if check.anchor:
        return "T0"
    if check.origin == "kept" and stands(check):
        return "T2" if of_what_is_left(check) else "T1"
    return "T1" if stands(check) and trustworthy(check) and _confirmed(reading, check) else "T2"


def trustworthy(check: CheckFacts) -> bool:
    """Returns whether the check may be trusted once a witness passes it: an anchor, a check that two suites state, a
    property that killed a mutant, or recorded behaviour of given code. Recorded attributes and arguments are not
    trusted, because they may have shown the fault itself."""
    return (
        check.anchor
        or (check.origin == "kept" and not of_what_is_left(check))
        or check.votes >= 2
        or (check.is_property and check.kills > 0)
    )


def _confirmed(reading: FactsView, check: CheckFacts) -> bool:
    """Returns whether a witness passes the check that is not of the family its author saw."""
    return any(c.root != check.against and c.outcomes.get(check.id) == "P" for c in reading.witnesses)
