"""How often programs with the same kind of evidence were right, on stored runs; never a model's opinion."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("chances.json")
"""Made by `python -m evaluation calibrate --data DIR`, which counts; nothing in it is written by hand."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a verdict rests on, as counts."""

    clear: bool
    """Nothing stands in the way of `verified`, except perhaps that only the task's own examples speak for it."""
    failed: bool
    """A trusted check fails."""
    examples: int
    """T0 checks that pass."""
    checks: int
    """Model-written checks that pass."""
    agrees: bool
    """An independent program gives the same answers on enough inputs."""
    differs: bool
    """An independent program answers an input differently."""
    disputed: bool
    """A check fails that nobody has settled, or was set aside."""
    set_aside: int = 0
    """Model-written checks found to be wrong or undecidable."""
    few: bool = False
    """The task gives only one example."""

    def reaches(self, least_checks: int) -> bool:
        """Whether as many model-written checks pass, or an independent program stands for them."""
        return self.checks >= least_checks or self.agrees

    @property
    def kind(self) -> str:
        """The kind of evidence in words; the table is keyed by it."""
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
    """A share of right programs, 0.0 to 1.0, with its 95 % interval."""

    value: float
    low: float
    high: float
    source: str
    """What was counted, in words."""


def chance(grounds: Grounds) -> Chance | None:
    """The share for this kind of evidence; None where too few stored runs had it."""
    table = _table()
    found = table["kinds"].get(grounds.kind)
    if found is None:
        return None
    counted = f"{grounds.kind}: {found['runs']} runs on {found['problems']} problems; {table['source']}"
    return Chance(found["value"], found["low"], found["high"], counted)


@cache
def _table() -> dict[str, dict[str, dict[str, float]]]:
    return json.loads(TABLE.read_text(encoding="utf-8"))
