"""Looks up how often programs with the same kind of evidence were right in stored runs. No model's opinion is used."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("chances.json")
"""The table of shares, counted by `python -m evaluation calibrate --data DIR`; no figure in it is written by hand."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """The counts that a verdict rests on."""

    clear: bool
    """Whether nothing rules out `verified`, except perhaps that only the task's own examples speak for the program."""
    failed: bool
    """Whether a trusted check fails."""
    examples: int
    """How many T0 checks pass."""
    checks: int
    """How many model-written checks pass."""
    agrees: bool
    """Whether an independent program gives the same answers on enough inputs."""
    differs: bool
    """Whether an independent program answers an input differently."""
    disputed: bool
    """Whether some failing check is unsettled or set aside."""
    set_aside: int = 0
    """How many model-written checks were found wrong or undecidable."""
    few: bool = False
    """Whether the task gives only one example."""

    def reaches(self, least_checks: int) -> bool:
        """Returns whether so many model-written checks pass, or an independent program agrees."""
        return self.checks >= least_checks or self.agrees

    @property
    def kind(self) -> str:
        """The kind of evidence in words, which is the key of the table."""
        if self.failed:
            return "a trusted check fails"
        words = ["no example" if not self.examples else "one example passes" if self.few else "examples pass"]
        if self.checks:
            words.append("further checks pass")
        if self.differs or self.agrees:
            words.append("another program differs" if self.differs else "another program agrees")
        return ", ".join(words) + (", with a dispute" if self.disputed else "")


@dataclass(frozen=True, slots=True)
class Chance:
    """A share of right programs, 0.0 to 1.0, with its 95 % confidence interval."""

    value: float
    low: float
    high: float
    source: str
    """What was counted, in words."""


def chance(grounds: Grounds) -> Chance | None:
    """Returns the share for this kind of evidence; None if too few stored runs had it."""
    table = _table()
    found = table["kinds"].get(grounds.kind)
    if found is None:
        return None
    counted = f"{grounds.kind}: {found['runs']} runs on {found['problems']} problems; {table['source']}"
    return Chance(found["value"], found["low"], found["high"], counted)


@cache
def _table() -> dict[str, dict[str, dict[str, float]]]:
    return json.loads(TABLE.read_text(encoding="utf-8"))
