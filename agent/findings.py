"""What became of the demands of a task on a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Standing = Literal["kept", "broken", "open"]
"""kept: looked at and found to hold. broken: refuted beyond doubt. open: not checked, or looked at and not decided."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """How the time or the space of a program grows: as size to the power of `exponent`."""

    exponent: float
    low: float
    high: float
    """Ends of the 95 % interval of the exponent."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one clause on one program."""

    text: str
    """The task's own words."""
    kind: str
    standing: Standing
    told: str
    """What was looked at, run or measured, with its figures; where it is open: why nothing was decided."""
    scaling: Scaling | None = None


@dataclass(frozen=True, slots=True)
class Inspection:
    """What became of every clause of the task on one program."""

    candidate: str
    findings: tuple[Finding, ...]
