"""Checks a request to make given code faster, without a number, by racing both programs."""

from __future__ import annotations

import ast

from agent.examples.types import BY_OUTPUT, Clause
from agent.law.bench import LawBench
from agent.law.measure import Race, race
from agent.law.objects import object_variant
from agent.law.shapes import variants_of
from agent.law.types import kept, left_open
from agent.session.fingerprints import fingerprint
from agent.state.findings import Finding
from llm.replies.files import split_files

FASTER, SLOWER = 1.25, 0.8
"""Ratios of CPU time in one process beyond which two programs count as different."""
_WAYS = 2
"""How many ways of making inputs grow are tried."""


async def check_faster(clause: Clause, bench: LawBench) -> Finding:
    """Races the program against the given one. The clause is never broken, because the task does not say how fast is
    fast enough."""
    given = bench.task.code
    if not given or split_files(given) is not None or bench.brief.form in ("program", *BY_OUTPUT):
        return left_open(clause, "no input of growing size could be made for both programs")
    if fingerprint(given) == fingerprint(bench.source.code):
        return left_open(clause, "not faster: it is the given program")
    if isinstance(bench.source.entry(bench.entry), ast.ClassDef):
        variants = [made] if (made := object_variant(clause, bench)) else []
    else:
        variants = [variant for variant in variants_of(bench) if variant.strong][:_WAYS]
    found = [(variant.name, await race(bench, variant)) for variant in variants]
    run = [(name, each) for name, each in found if each.rows]
    if not run:
        why = next((each.error for _, each in found if each.error), "no input of growing size could be made")
        return left_open(clause, f"could not be measured: {why}")
    return _judged(clause, run)


def _judged(clause: Clause, run: list[tuple[str, Race]]) -> Finding:
    """Judges by the inputs on which the program gains most, as long as it loses on none."""
    (best, most), (worst, least) = (choose(run, key=lambda one: one[1].ratio) for choose in (max, min))
    wrong = next((f"{name} of {each.rows[-1][0]}" for name, each in run if not each.alike), "")
    told, scalings = _told(best, most), most.scalings
    if wrong:
        return left_open(clause, f"its answer on {wrong} is not the given program's; {told}")
    if most.ratio < FASTER:
        return left_open(clause, f"not faster: measured {told}")
    if least.ratio < SLOWER:
        return left_open(clause, f"faster on one kind of input only: {told}, but {_told(worst, least)}")
    return kept(clause, told, scalings[0] if scalings else None)


def _told(name: str, found: Race) -> str:
    line = f"{found.ratio:.1f} times as fast as the given program on {name} at n = {found.rows[-1][0]}"
    if found.scalings is None:
        return line
    own, other = found.scalings
    return f"{line}, exponent {own.exponent:.2f} against {other.exponent:.2f}"
