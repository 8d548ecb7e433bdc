"""Handles a request to refactor, simplify or shorten given code."""

from __future__ import annotations

from agent.examples.types import Clause
from agent.law.bench import LawBench
from agent.law.types import left_open
from agent.session.fingerprints import fingerprint
from agent.state.findings import Finding


async def check_form(clause: Clause, bench: LawBench) -> Finding:
    """Counts the lines before and after. The clause is never kept, because which form is better is a matter of taste.
    What the program does is compared elsewhere."""
    given, code = bench.task.code or "", bench.source.code
    if fingerprint(given) == fingerprint(code):
        return left_open(clause, "it is the given program")
    before, after = (sum(bool(line.strip()) for line in each.splitlines()) for each in (given, code))
    return left_open(clause, f"it has {after} lines, the given program {before}; which reads better nobody can count")
