"""The words of a verdict, and records of whether a program meets the clauses of a task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VerdictWord = Literal["verified", "partly_verified", "unverified", "failed"]
Standing = Literal["kept", "broken", "open"]
"""kept: the clause was checked and holds. broken: it was refuted beyond doubt. open: it was not checked, or the check
did not decide."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """How the time or the memory of a program grows with the input size n: as n to the power of `exponent`."""

    exponent: float
    low: float
    high: float
    """Ends of the 95 % confidence interval of the exponent."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether one program meets one clause."""

    text: str
    """The task's own words."""
    kind: str
    standing: Standing
    told: str
    """What was looked at, run or measured, with the figures; for an open clause, why nothing was decided."""
    scaling: Scaling | None = None


@dataclass(frozen=True, slots=True)
class Inspection:
    """The findings on every clause of the task for one program."""

    candidate: str
    findings: tuple[Finding, ...]
