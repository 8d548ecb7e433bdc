"""Checks "in a single pass": counts how often the program reads all of its argument, with an argument that counts."""

from __future__ import annotations

import ast

from agent.examples.types import Clause
from agent.law.bench import CALL_SECONDS, KnownInput, LawBench, beside, count_of
from agent.law.types import broken, kept, left_open
from agent.source.inputs import literal
from agent.source.structure import Source
from agent.state.findings import Finding

_COUNTER, _FILES = beside("walks")
_LEAST = 3
"""The fewest items of an argument that counts; to read fewer is not yet a pass."""
_WALKERS = frozenset((
    "all", "any", "sum", "min", "max", "sorted", "list", "tuple", "set", "frozenset", "dict", "map", "filter",
    "reversed", "Counter", "deque", "count", "index", "sort", "join", "copy", "reverse", "split", "replace", "find",
))  # fmt: skip
"""Functions and methods that go through their one argument or object."""


async def check_one_pass(clause: Clause, bench: LawBench) -> Finding:
    """Counts how often calls on known inputs read a whole argument. An argument that is read more than once breaks the
    clause. One that is read once keeps it only if nothing else in the program could go through a copy."""
    inputs = [given for given in bench.known if any(map(_is_long, (*given.args, *given.keywords.values())))]
    counted = await _counted(bench, inputs) if inputs else []
    most = max(counted, key=lambda each: each[1], default=None)
    if most is None:
        return left_open(clause, "no known input with a list or text to be read was answered")
    told = f"{most[0].shown(bench.entry)} reads all of its argument {count_of(most[1], 'time')}"
    if most[1] > 1:
        return broken(clause, told)
    others = _walks_in(bench.source)
    if most[1] == 1 and others == 1:
        return kept(clause, f"an argument that counts how often it is read: {told}, in the only loop there is")
    return left_open(clause, f"{told}, but a copy or its places may be gone through again: {others} loops and such")


def _is_long(value: object) -> bool:
    return isinstance(value, list | str) and len(value) >= _LEAST  # pyright: ignore[reportUnknownArgumentType]


async def _counted(bench: LawBench, inputs: list[KnownInput]) -> list[tuple[KnownInput, int]]:
    """Returns each answered input with how often the call read that argument which it read most often."""
    calls = [f"{_COUNTER}.walks({bench.entry}, {list(g.args)!r}, {dict(g.keywords)!r})" for g in inputs]
    outputs = (await bench.run(calls, CALL_SECONDS, _FILES)).outputs or ()
    read = [literal(output.text) if output.kind == "value" else None for output in outputs]
    return [(g, max(told[0], default=0)) for g, told in zip(inputs, read, strict=False) if told is not None]


def _walks_in(source: Source) -> int:
    """Returns how many loops, comprehensions, slices and calls go through what they are given."""
    found = 0
    for node in source.nodes:
        if isinstance(node, ast.For | ast.While | ast.comprehension | ast.Slice):
            found += 1
        elif isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            found += name in _WALKERS and (isinstance(node.func, ast.Attribute) or len(node.args) == 1)
            found += name in ("sorted", "sort")  # sorting goes through its copy again
        elif isinstance(node, ast.Compare):
            found += any(isinstance(op, ast.In | ast.NotIn) for op in node.ops)
    return found
