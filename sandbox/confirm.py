"""What a pass is worth: from the run in one process and the run in two, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .types import Execution

_WHOLE = ("fail", "error", "blocked", "memory")
"""How a run in two processes may end whose every check has told its outcome."""


def confirm(split: Execution, doubt: str) -> Execution:
    """A run in two processes alone. `doubt`: why its pass proves nothing; "" where only values of the tests' own side
    were compared."""
    if not split.passed:
        return split
    return replace(split, confirmed=not doubt, unconfirmed_reason=doubt)


def join(claimed: Execution, split: Execution, doubt: str, limits: Mapping[str, str]) -> Execution:
    """A pass that was claimed in one process, after the run in two. `limits`: name of a check of that run -> what its
    tests did that two processes cannot do, which says nothing about the program.

    Where every check that did not pass there met such a limit, the claim stands, unconfirmed. Where one failed on its
    own merits, neither run is believed: the answer is "unverifiable", with that check's message as the reason."""
    if split.passed:
        return replace(claimed, confirmed=not doubt, unconfirmed_reason=doubt)
    if split.status == "broken":
        return replace(claimed, unconfirmed_reason=f"the confirming run could not be made: {split.error}")
    missed = [check for check in split.checks if check.status != "pass"]
    same = {check.name for check in split.checks} == {check.name for check in claimed.checks}
    if missed and same and split.status in _WHOLE and all(check.name in limits for check in missed):
        return replace(claimed, unconfirmed_reason=limits[missed[0].name])
    refuting = [f"{check.name}: {check.message}" for check in missed if check.name not in limits]
    told = refuting[0] if refuting and split.status in _WHOLE else f"{split.status}: {split.error}"
    reason = f"the tests pass in one process with the program, but not apart from it: {told}".split("\n", 1)[0]
    return replace(split, status="unverifiable", error=reason)
