"""What a pass is worth: from the run in one process and the run in two, and nothing else.

`doubt` is why a pass in two processes proves nothing, "" where only values of the tests' own side were compared.
`limits` tells of checks that did not pass there what their tests did that two processes cannot do; that says nothing
about the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .types import Execution

_WHOLE = ("fail", "error", "blocked", "memory")
"""How a run in two processes may end whose every check has told its outcome."""


def confirm(split: Execution, doubt: str) -> Execution:
    """Returns the execution of a split run, confirmed where it passed and there is no `doubt`."""
    return replace(split, confirmed=not doubt, unconfirmed_reason=doubt) if split.passed else split


def join(claimed: Execution, split: Execution, doubt: str, limits: Mapping[str, str]) -> Execution:
    """A pass that was claimed in one process, after the run in two. Where every check that did not pass there met a
    limit, the claim stands, unconfirmed. Where one failed on its own merits neither run is believed: the answer is
    "unverifiable", with that check's message as the reason."""
    if split.passed:
        return replace(claimed, confirmed=not doubt, unconfirmed_reason=doubt)
    if split.status == "broken":
        return replace(claimed, unconfirmed_reason=f"the confirming run could not be made: {split.error}")
    excuse = _excuse(split, limits)
    if excuse and {check.name for check in split.checks} == {check.name for check in claimed.checks}:
        return replace(claimed, unconfirmed_reason=excuse)
    by_value = [check for check in split.checks if check.status != "pass" and check.name not in limits]
    refuting = [f"{check.name}: {check.message}" for check in by_value]
    told = refuting[0] if refuting and split.status in _WHOLE else f"{split.status}: {split.error}"
    reason = f"the tests pass in one process with the program, but not apart from it: {told}".split("\n", 1)[0]
    return replace(split, status="unverifiable", error=reason)


def _excuse(split: Execution, limits: Mapping[str, str]) -> str:
    """The first limit that was met, where that explains every check that did not pass; else ""."""
    missed = [check.name for check in split.checks if check.status != "pass"]
    explained = split.status in _WHOLE and all(name in limits for name in missed)
    return limits[missed[0]] if missed and explained else ""
