"""Checks how many of the calls that a function makes run at the same time, by counting jobs that it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path

from agent.examples.types import Clause
from agent.law import crowd
from agent.law.bench import LawBench
from agent.law.types import broken, kept, left_open
from agent.source.inputs import literal
from agent.state.findings import Finding

_FILE = "clause_crowd.py"
_SOURCE = Path(crowd.__file__).read_bytes()
_LIMITS = (3, 1)
"""Limits that are tried if the clause names a parameter instead of a number."""
_MOST = 100
"""The highest limit that is tried; each job is a thread or a coroutine."""
_SECONDS = 5.0
"""CPU seconds that one trial may take."""
_TAKEN = (
    ("functions",), ("coroutines",), ("function", "items"),
    ("functions", "number"), ("coroutines", "number"), ("function", "items", "number"),
)  # fmt: skip
"""What the required parameters may stand for, in any order."""

Roles = dict[str, str]


async def check_at_once(clause: Clause, bench: LawBench) -> Finding:
    """Gives the function jobs in every form that its parameters may stand for. The first form in which all jobs end
    decides."""
    entry, most = bench.source.entry(bench.entry), clause.names[0]
    if entry is None or isinstance(entry, ast.ClassDef):
        return left_open(clause, "only what a function runs of that which it is given is counted")
    limits = (int(most),) if most.isdigit() else _LIMITS
    if not (0 < max(limits) <= _MOST and (most.isdigit() or most in bench.parameters)):
        return left_open(clause, f"{most!r} is no parameter of the program, and no number that is tried")
    for roles in _forms(bench, {most}):
        seen = [await _counted(bench, roles, limit, most, 1) for limit in limits]
        if None in seen:
            continue
        if _is_over(limits, seen):
            return broken(clause, _told(limits, seen))
        number = next((name for name, told in roles.items() if told.endswith("|number")), "")
        many = [await _counted(bench, roles, limit, most, limit + 1) for limit in limits] if number else seen
        if None in many or _is_over(limits, many):
            return left_open(clause, f"{_told(limits, seen)}; it may be more where {number!r} is greater than 1")
        return kept(clause, _told(limits, many))
    return left_open(clause, "nobody knows what it is to be given, so that what it runs could be counted")


def _is_over(limits: Sequence[int], seen: Sequence[int | None]) -> bool:
    return any((at_once or 0) > limit for limit, at_once in zip(limits, seen, strict=True))


def _told(limits: Sequence[int], seen: Sequence[int | None]) -> str:
    pairs = zip(limits, seen, strict=True)
    return ", ".join(f"of {limit + 1} jobs {at_once} ran at once with a limit of {limit}" for limit, at_once in pairs)


def _forms(bench: LawBench, limits: set[str]) -> Iterator[Roles]:
    """Yields what each parameter without a default may be: jobs, or a function and its inputs; one more may be a
    number. A function that is not asynchronous may also take jobs for an event loop of its own."""
    spec = bench.source.signature(bench.entry)
    assert spec is not None
    positional = [*spec.posonlyargs, *spec.args]
    required = positional[: len(positional) - len(spec.defaults)]
    required += [arg for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if default is None]
    names = [arg.arg for arg in required if arg.arg not in limits]
    together = [roles for told in _TAKEN if len(told) == len(names) for roles in permutations(told)]
    is_async = isinstance(bench.source.entry(bench.entry), ast.AsyncFunctionDef)
    for how in ("waited", "blocked") if is_async else ("blocked", "waited"):
        for roles in together:
            if how == "waited" or "coroutines" not in roles:
                yield {name: f"{how}|{role}" for name, role in zip(names, roles, strict=True)}


async def _counted(bench: LawBench, roles: Roles, limit: int, most: str, number: int) -> int | None:
    """Returns the most jobs that ran at once; None unless every job ended. `number` is passed to a parameter that takes
    none of the jobs and may bound them itself."""
    plain = {name: number for name, told in roles.items() if told.endswith("|number")}
    plain |= {} if most.isdigit() else {most: limit}
    jobs = {name: told for name, told in roles.items() if name not in plain}
    call = f"__import__({_FILE[:-3]!r}).counted({bench.entry}, {limit}, {jobs!r}, {plain!r})"
    execution = await bench.run([call], _SECONDS, {_FILE: _SOURCE})
    told = literal(execution.outputs[0].text) if execution.outputs and execution.outputs[0].kind == "value" else None
    at_once, ended, raised = tuple(told[0]) if told else (0, 0, execution.error or "no answer")
    return at_once if ended == limit + 1 and not raised else None
