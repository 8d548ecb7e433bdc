"""Checks that a named algorithm is used, as far as the syntax tree shows a mark of it."""

from __future__ import annotations

import re

from agent.examples.types import Clause
from agent.law.bench import LawBench
from agent.law.types import broken, kept, left_open
from agent.source.algorithms import MARKS
from agent.state.findings import Finding

from .passes import check_one_pass


async def check_algorithm(clause: Clause, bench: LawBench) -> Finding:
    """Looks for the syntactic mark of an algorithm. The finding quotes the mark, because no look at the code proves an
    algorithm. A missing mark breaks the clause only for recursion, which cannot hide."""
    name = clause.names[0]
    mark = MARKS.get(name)
    if name == "laziness":
        return _is_lazy(clause, bench)
    if name == "one pass":
        return await check_one_pass(clause, bench)
    if mark is None:
        return left_open(clause, f"no look at the code can tell whether it is {name}")
    seen = mark(bench.source)
    if seen:
        return kept(clause, f"a look at its syntax tree: {seen}")
    told = f"a look at its syntax tree does not find what marks {name}"
    return broken(clause, "no function of the program calls itself") if name == "recursion" else left_open(clause, told)


def _is_lazy(clause: Clause, bench: LawBench) -> Finding:
    """Checks laziness by a passed check that gives an endless iterator: a program that first took all items would never
    return."""
    endless = next((check.id for check in bench.passed if _ENDLESS.search(check.source)), None)
    if endless is None:
        return left_open(clause, "no passed check gives it an iterator without end")
    return kept(clause, f"the passed check {endless}, which gives it an iterator without end")


_ENDLESS = re.compile(r"(?<!\w)(?<!\w\.)(?:itertools\.)?(?:count|cycle)\(")
