"""Checks what the task says of inputs of one kind by an input of that kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agent.examples.types import Clause
from agent.law.bench import LawBench, is_number, parts
from agent.law.passed import shown_by
from agent.source.inputs import literal
from agent.state import Check
from agent.state.findings import Finding


async def check_case(clause: Clause, bench: LawBench) -> Finding:
    """Looks for a passed check that states the result for such an input. Agreement of programs on such an input is not
    used, because they may share a misreading of the sentence."""
    telling = [check for check in bench.passed if check.origin != "kept" and _tells(check, bench, clause)]
    return shown_by(clause, telling, f"no passed check has an input of this case: {' '.join(clause.names)}")


def _tells(check: Check, bench: LawBench, clause: Clause) -> bool:
    case, number = clause.names[0], int((*clause.names[1:], "1")[0])
    greater = [int(one.names[1]) for one in bench.brief.clauses if one.names[:1] == (case,) and one.names[1:]]
    greater = [other for other in greater if other > number]  # the year 2000 shows nothing of "by 4 but not by 100"
    return any(
        _CASES[case](value, number) and not any(_CASES[case](value, other) for other in greater)
        for value in _inputs(check, bench, clause)
    )


def _inputs(check: Check, bench: LawBench, clause: Clause) -> Iterator[Any]:
    """Yields what the check's calls give to the parameter that the sentence names; if it names none, to the only one
    that may be meant."""
    tree = ast.parse(check.source)
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != bench.entry:
            continue
        given = dict(zip(bench.parameters, call.args, strict=False))
        given |= {keyword.arg or "": keyword.value for keyword in call.keywords}
        values = {name: list(_values(arg, tree)) for name, arg in given.items()}
        named = clause.named(name for name in values if name != "a")
        sized = clause.names[0] in _OF_SIZE
        fit = [name for name, told in values.items() if not told or any(_may_be(value, sized) for value in told)]
        meant = named or (fit if len(fit) == 1 else [*values] if len(values) == 1 else [])
        yield from (value for name in meant for value in values[name])


def _values(arg: ast.expr, tree: ast.AST) -> Iterator[Any]:
    """Yields the literal, or the literals that the check assigns to the name."""
    told: list[ast.expr] = [arg]
    if isinstance(arg, ast.Name):
        told = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [arg.id]:
                told.append(node.value)
            elif isinstance(node, ast.For | ast.comprehension) and ast.unparse(node.target) == arg.id:
                told += node.iter.elts if isinstance(node.iter, ast.List | ast.Tuple) else []
    yield from (value[0] for node in told if (value := literal(ast.unparse(node))) is not None)


def _may_be(value: Any, sized: bool) -> bool:
    return _size(value) is not None if sized else any(map(is_number, parts(value)))


def _size(value: Any) -> int | None:
    return len(value) if isinstance(value, list | tuple | str | dict | set) else None  # pyright: ignore[reportUnknownArgumentType]


_OF_SIZE = ("even count", "odd count", "empty")
_CASES: Mapping[str, Callable[[Any, int], bool]] = {
    "even count": lambda value, _: (_size(value) or 1) % 2 == 0,
    "odd count": lambda value, _: (_size(value) or 0) % 2 == 1,
    "empty": lambda value, _: _size(value) == 0,
    "zero": lambda value, _: any(is_number(part) and part == 0 for part in parts(value)),
    "fraction": lambda value, _: any(isinstance(part, float) for part in parts(value)),
    "text": lambda value, _: any(isinstance(part, str) for part in parts(value)),
    "truth value": lambda value, _: any(isinstance(part, bool) for part in parts(value)),
    "nothing": lambda value, _: any(part is None for part in parts(value)),
    "negative": lambda value, _: any(is_number(part) and part < 0 for part in parts(value)),
    "divisible by": lambda value, number: any(
        number and is_number(part) and part % number == 0 != part for part in parts(value)
    ),
}
"""Case, as the reader of clauses names it -> whether an argument belongs to it, given the case's number."""
