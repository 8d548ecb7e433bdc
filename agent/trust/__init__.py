"""Decides what may be trusted, who is at fault, when to stop and what the verdict says: pure functions of counted
facts."""

from .agreement import clusters
from .blame import Blame, blame
from .chance import Chance, Grounds, chance
from .cheating import Sign, cheating_signs
from .corroboration import LEAST_CHECKS
from .facts import Action, CandidateFacts, CheckFacts, Decision, Facts, Letter, Spent
from .inexact import inexact_signs
from .judge import decide
from .overfit import overfit
from .ranking import accepted, rank, settled
from .sides import misplaced, undecided
from .stuck import signature, stuck
from .tiers import tiers
from .verdict import Verdict, verdict

__all__ = [
    "LEAST_CHECKS",
    "Action",
    "Blame",
    "CandidateFacts",
    "Chance",
    "CheckFacts",
    "Decision",
    "Facts",
    "Grounds",
    "Letter",
    "Sign",
    "Spent",
    "Verdict",
    "accepted",
    "blame",
    "chance",
    "cheating_signs",
    "clusters",
    "decide",
    "inexact_signs",
    "misplaced",
    "overfit",
    "rank",
    "settled",
    "signature",
    "stuck",
    "tiers",
    "undecided",
    "verdict",
]
