"""The one rule for when the evidence is too thin, so that a run pays for more than tests, program and adversary."""

from __future__ import annotations

from .agreement import compare_with
from .blame import standing_peers, unattacked
from .corroboration import scarcity
from .facts import CandidateFacts
from .reading import FactsView, contradicting


def thin(reading: FactsView, best: CandidateFacts) -> str:
    """Returns why more evidence is worth model calls (valid inputs, a second blind suite, a slow reference, further
    turns of the adversary); "" if the task's examples and what ran on them are enough."""
    if not reading.anchors:
        return "no example was read from the task"
    if reading.facts.spent.hard:
        return "the task is hard and its examples are few"
    peers = standing_peers(reading, best)
    if compare_with(reading, best, peers).different:
        return "independent programs differ"
    if peers and (short := scarcity(reading) or unattacked(reading, best)):
        return short
    if contradicting(reading, best):
        return "checks of several roles contradict the programs"
    return ""
