"""What a checker of clauses is, and the three ways in which it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from agent.examples.types import Clause
from agent.findings import Finding, Scaling

if TYPE_CHECKING:
    from .bench import LawBench

Checker = Callable[[Clause, "LawBench"], Awaitable[Finding]]
"""Never raises for what the program does."""


def kept(clause: Clause, told: str, scaling: Scaling | None = None) -> Finding:
    return Finding(clause.text, clause.kind, "kept", told, scaling)


def broken(clause: Clause, told: str, scaling: Scaling | None = None) -> Finding:
    return Finding(clause.text, clause.kind, "broken", told, scaling)


def left_open(clause: Clause, told: str, scaling: Scaling | None = None) -> Finding:
    return Finding(clause.text, clause.kind, "open", told, scaling)
