"""Tells where the arbiter's word stands alone. It is one model's opinion: it neither fails nor verifies anything."""

from __future__ import annotations

from .facts import CandidateFacts, CheckFacts
from .reading import FactsView, fails
from .tiers import tier_of


def is_word_alone(reading: FactsView, judged: CandidateFacts, check: CheckFacts) -> bool:
    """Returns whether only the arbiter blames the code: the check is not trusted and no peer passes it."""
    passed = any(peer.outcomes.get(check.id) == "P" for peer in reading.peers(judged))
    return check.ruled_by == "arbiter" and tier_of(reading, check) == "T2" and not passed


def outvoted(reading: FactsView, judged: CandidateFacts) -> list[str]:
    """Returns a sentence for each check that the program passes by a repair alone: only the arbiter's word stands
    against several authors who had not seen the check and gave something else."""
    told: list[str] = []
    for check in reading.facts.checks:
        by_word = check.ruling == "code" and check.ruled_by == "arbiter" and tier_of(reading, check) == "T2"
        if not by_word or fails(judged, check):
            continue
        against = {one.root for one in reading.facts.candidates if fails(one, check)}
        if judged.root in against and len(against) > 1 and all(one.root in against for one in reading.peers(judged)):
            authors = f"{len(against)} authors who had not seen it gave something else"
            told.append(f"{check.id} was held to be right by the arbiter alone: {authors}")
    return told
