"""Checks names, order and defaults of the entry's parameters."""

from __future__ import annotations

import ast

from agent.examples.types import Clause
from agent.law.bench import LawBench
from agent.law.types import broken, kept, left_open
from agent.source.inputs import literal
from agent.state.findings import Finding


async def check_signature(clause: Clause, bench: LawBench) -> Finding:
    """Checks by a look at the syntax tree. Too few or too many parameters break the clause; other names leave it
    open."""
    name = clause.subject or bench.entry
    spec = bench.source.signature(name)
    if spec is None:
        return left_open(clause, f"the program has no function {name!r} at its top" if name else "no function is named")
    stated = [(text.partition("=")[0], text.partition("=")[2]) for text in clause.names]
    stated = [(parameter, default) for parameter, default in stated if parameter not in ("self", "cls")]
    own = bench.source.parameters(name)
    if len(stated) == 1 and stated[0][1] and stated[0][0] in own:
        return _default(clause, spec, *stated[0])
    least, most = _counts(spec, own)
    shown = f"{name}({', '.join(own)})"
    if len(stated) < least or len(stated) > most:
        return broken(clause, f"the program has {shown}")
    if [parameter for parameter, _ in stated] != list(own[: len(stated)]):
        return left_open(clause, f"the program calls its parameters otherwise: {shown}")
    for parameter, default in stated:
        if default and _default(clause, spec, parameter, default).standing != "kept":
            return _default(clause, spec, parameter, default)
    return kept(clause, f"a look at its syntax tree: {shown}")


def _counts(spec: ast.arguments, own: tuple[str, ...]) -> tuple[int, float]:
    """Returns how many arguments the entry needs at least and takes at most."""
    optional = len(spec.defaults) + sum(default is not None for default in spec.kw_defaults)
    return len(own) - optional, float("inf") if spec.vararg else len(own)


def _default(clause: Clause, spec: ast.arguments, parameter: str, stated: str) -> Finding:
    plain = [*spec.posonlyargs, *spec.args]
    positional = dict(zip([arg.arg for arg in plain[len(plain) - len(spec.defaults) :]], spec.defaults, strict=True))
    defaults = positional | {arg.arg: value for arg, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)}
    given = defaults.get(parameter)
    if given is None:
        return left_open(clause, f"{parameter} has no default in the program")
    if ast.unparse(given) == stated or (literal(stated) is not None and literal(ast.unparse(given)) == literal(stated)):
        return kept(clause, f"a look at its syntax tree: {parameter}={ast.unparse(given)}")
    return left_open(clause, f"the default of {parameter} is {ast.unparse(given)}")
