"""Facts in one line each, for the tests of the policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent.state import Origin
from agent.trust import CandidateFacts, CheckFacts, Facts, Letter, Spent
from sandbox import CallOutput

DONE = Spent(adversary_done=True, critic_done=True)
"""A run in which adversary and critic have had their turn."""


def anchor(name: str = "t0", **more: Any) -> CheckFacts:
    """A promise of the task; it stands for several, where a test does not say that it is a single one."""
    return CheckFacts(name, "task", anchor=True, **{"claims": 2, **more})


FOUR, FIVE = CallOutput("value", "4"), CallOutput("value", "5")
NO_END, ERROR = CallOutput("timeout", ""), CallOutput("exception", "ValueError")


def check(name: str, origin: Origin = "spec", **more: Any) -> CheckFacts:
    return CheckFacts(name, origin, **more)


def program(
    name: str, letters: str, checks: Sequence[CheckFacts], outputs: Sequence[str] = (), **more: Any
) -> CandidateFacts:
    """`letters`: outcome of each check in order, "." for not executed. `outputs`: values on p0, p1, ... in order;
    `answers`: by call, a text for a value."""
    outcomes: dict[str, Letter] = {c.id: letter for c, letter in zip(checks, letters, strict=True) if letter in "PFET"}  # type: ignore[misc]
    told = {f"p{i}": text for i, text in enumerate(outputs)} | more.pop("answers", {})
    given = {call: CallOutput("value", one) if isinstance(one, str) else one for call, one in told.items()}
    return CandidateFacts(name, more.pop("root", name), outcomes=outcomes, outputs=given, **more)


def facts(
    checks: Sequence[CheckFacts], candidates: Sequence[CandidateFacts], spent: Spent = DONE, **more: Any
) -> Facts:
    width = max((sum(key.startswith("p") for key in c.outputs) for c in candidates), default=0)
    return Facts(tuple(checks), tuple(candidates), tuple(f"p{i}" for i in range(width)), spent, **more)
