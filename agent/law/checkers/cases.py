"""What the task says of inputs of one kind is checked by an input of that kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agent.examples.types import Clause
from agent.law.bench import LawBench, parts
from agent.law.types import kept, left_open
from agent.source.inputs import literal
from agent.state import Check, Finding

from .errors import LAW


async def check_case(clause: Clause, bench: LawBench) -> Finding:
    """A passed check that states what such an input gives. How programs agree on one shows no misreading of the
    sentence, for they may share it."""
    case, number = clause.names[0], int((*clause.names[1:], "1")[0])
    telling = [check for check in bench.passed if check.origin != "kept" and _tells(check, bench, case, number)]
    if not telling:
        return left_open(clause, f"no passed check has an input of this case: {' '.join(clause.names)}")
    own = [check for check in telling if check.origin in LAW]
    return kept(clause, f"the passed check {(own or telling)[0].id}{'' if own else ', which a model wrote'}")


def _tells(check: Check, bench: LawBench, case: str, number: int) -> bool:
    return any(_CASES[case](value, number) for value in _inputs(check, bench.entry))


def _inputs(check: Check, entry: str) -> Iterator[Any]:
    """Arguments of its calls; where a call takes a name, also every other value that the check writes down."""
    tree = ast.parse(check.source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == entry]
    given = [arg for call in calls for arg in (*call.args, *(keyword.value for keyword in call.keywords))]
    told = [value for arg in given if (value := literal(ast.unparse(arg))) is not None]
    yield from (value[0] for value in told)
    if len(told) < len(given):
        shown = (literal(ast.unparse(node)) for node in ast.walk(tree) if isinstance(node, ast.expr))
        yield from (part for value in shown if value is not None for part in parts(value[0]))


def _size(value: Any) -> int | None:
    return len(value) if isinstance(value, list | tuple | str | dict | set) else None  # pyright: ignore[reportUnknownArgumentType]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_CASES: Mapping[str, Callable[[Any, int], bool]] = {
    "even count": lambda value, _: (_size(value) or 1) % 2 == 0,
    "odd count": lambda value, _: (_size(value) or 0) % 2 == 1,
    "empty": lambda value, _: _size(value) == 0,
    "negative": lambda value, _: any(_is_number(part) and part < 0 for part in parts(value)),
    "divisible by": lambda value, number: any(_is_number(part) and part % number == 0 != part for part in parts(value)),
}
"""Whether an argument is of the case, by the names that the reader of clauses gives them; with the case's number."""
