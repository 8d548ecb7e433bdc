"""What the policy is told, and what it says."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from agent.trust import CandidateFacts, CheckFacts, Facts, Spent, Verdict
from agent.trust.agreement import Comparison
from agent.trust.blame import Blame
from agent.trust.chance import Chance, Grounds
from agent.trust.cheating import Sign
from agent.trust.corroboration import Corroboration
from agent.trust.given import AboutGiven
from agent.trust.inexact import Inexact
from agent.trust.reading import FactsView


@pytest.mark.parametrize(
    "kind",
    [
        *(CheckFacts, CandidateFacts, Spent, Facts, FactsView, Comparison, Corroboration),
        *(Blame, AboutGiven, Sign, Inexact, Grounds, Chance, Verdict),
    ],
)
def test_nobody_changes_what_was_counted_or_decided(kind: type[Any]) -> None:
    one = object.__new__(kind)
    for field in dataclasses.fields(kind):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(one, field.name, None)
