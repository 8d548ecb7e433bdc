"""The type of a checker of clauses, and the three ways in which it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from agent.examples.types import Clause
from agent.state.findings import Finding, Scaling

if TYPE_CHECKING:
    from .bench import LawBench

Checker = Callable[[Clause, "LawBench"], Awaitable[Finding]]
"""Takes a clause and the bench and returns a finding. Nothing that the program does makes a checker raise."""


def kept(clause: Clause, told: str, scaling: Scaling | None = None) -> Finding:
    return Finding(clause.text, clause.kind, "kept", told, scaling)


def broken(clause: Clause, told: str, scaling: Scaling | None = None) -> Finding:
    return Finding(clause.text, clause.kind, "broken", told, scaling)


def left_open(clause: Clause, told: str, scaling: Scaling | None = None) -> Finding:
    return Finding(clause.text, clause.kind, "open", told, scaling)
