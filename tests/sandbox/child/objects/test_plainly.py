"""Expressions are computed as Python computes them, or not at all where code of the program would run."""

# ruff: noqa: E501 - tables with short lines
from __future__ import annotations

import ast
from collections import OrderedDict
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox.child.objects.plainly import Expressions, Unclear, plain


class Own:
    """A class of the program."""

    def __len__(self) -> int:
        return 3


class OwnInt(int): ...


THING = SimpleNamespace(n=5, s="a-b", d={"k": 1, "j": [2]}, own=Own())
NAMES: dict[str, Any] = {
    "self": THING,
    "x": 3,
    "xs": [3, 1, 2],
    "own": Own(),
    "owns": [Own()],
    "sum": 1,
    "small": OwnInt(1),
}


def attribute(name: str) -> Any:
    return vars(THING)[name]


def expressions() -> Expressions:
    return Expressions(THING, {**NAMES}, attribute)


def computed(text: str) -> Any:
    return expressions().visit(ast.parse(text, mode="eval").body)


PLAIN = [
    "1", "x", "self.n", "int", "x + self.n", "x - 1", "x * 2", "x / 2", "x // 2", "x % 2", "x | 4", "-x", "+x", "not x",
    "x == 3", "x != 3", "x < 3", "x <= 3", "x > 3", "x >= 3", "1 < x < 5", "5 < x < 9", "x is None", "x is not None",
    "3 in xs", "3 not in xs", "1 if x else 2", "1 if not x else 2", "x and 0 and 7", "x and 7", "0 or '' or 'z'", "0 or ''",
    "xs[0]", "self.d['k']", "(x, 1)", "[x, 1]", "{x, 1}", "{x: 1, 'a': self.n}", "[i * 2 for i in xs if i > 1 if i < 3]",
    "{i % 2 for i in xs}", "len(xs)", "len(self.s)", "isinstance(x, int)", "isinstance(x, (int, str))",
    "isinstance(own, int)", "abs(-x)", "min(xs)", "max(1, x)", "round(2.5)", "any(i > 2 for i in xs)", "all([i > 2 for i in xs])",
    "sorted(xs)", "list(range(x))", "type(x)", "type(x) is int", "str(x)", "tuple(xs)", "dict(self.d)", "frozenset(xs)",
    "self.s.upper()", "self.s.split('-')", "'%d' % x", "self.d.get('k')", "list(self.d.keys())", "list(self.d.values())",
    "list(self.d.items())", "math.isnan(x)", "math.sqrt(4)", "int | str", "x is not own", "own is None",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_expression_is_what_python_makes_of_it(text: str) -> None:
    import math

    names = {name: value for name, value in NAMES.items() if name != "sum"}
    expected = eval(text, {"math": math, **names})
    told = computed(text)
    assert told == expected
    assert type(told) is type(expected)


UNCLEAR = [
    "y", "print", "print(x)", "open('a')", "sum(xs)", "self.none", "other.n", "self.own.n", "len(owns[0])", "own + 1",
    "own == 1", "own < 1", "-own", "own in xs", "xs == owns", "sorted(owns)", "str(own)", "[own][0]", "xs[own]", "{own}",
    "{own: 1}", "{**self.d}", "isinstance()", "self.s.format(x)", "self.s.format_map(x)", "self.s.__len__()",
    "self.d.pop('k')", "self.d.update({})", "xs.append(1)", "xs.sort()", "x.bit_length()", "sorted(xs, key=len)",
    "lambda: 1", "f'{x}'", "[*xs]", "small + 1", "1 if own else 2", "own and 1", "own or 1", "not own", "[i for i in own]",
    "[i for i in xs if own]", "math.nothing(x)", "xs[1:]", "await x", "x ** 2", "~x", "x << 1", "type(x, y)", "type()",
    "x(1)", "[a for a in xs for b in xs]", "[a for a, b in self.d.items()]", "any(owns)", "list(owns)",
]  # fmt: skip


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_could_run_code_of_the_program_is_not_computed(text: str) -> None:
    with pytest.raises((Unclear, KeyError, TypeError, ValueError, AttributeError)):
        computed(text)


def test_names_of_a_loop_pass_with_it() -> None:
    values = expressions()
    assert values.visit(ast.parse("[x for x in xs]", mode="eval").body) == [3, 1, 2]
    assert values.names == NAMES


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("xs", [3, 1, 2]),
        ("'ab'", ["a", "b"]),
        ("range(2)", [0, 1]),
        ("self.d", ["k", "j"]),
        ("self.d.values()", [1, [2]]),
    ],
)
def test_a_loop_goes_through_builtin_collections_only(text: str, items: list[Any]) -> None:
    assert expressions().items(ast.parse(text, mode="eval").body) == items
    for other in ("x", "own", "self"):
        with pytest.raises(Unclear):
            expressions().items(ast.parse(other, mode="eval").body)


@pytest.mark.parametrize("value", [1, "a", None, [1, (2, {"a": {3}})], {"a": [1]}.values(), range(2), frozenset((1,))])
def test_a_plain_value_holds_nothing_of_the_program(value: Any) -> None:
    assert plain(value) is value


@pytest.mark.parametrize(
    "value", [Own(), OwnInt(1), [Own()], (1, [Own()]), {"a": Own()}, {"a": [OwnInt(1)]}, OrderedDict(), int, print]
)
def test_any_other_value_is_not_plain(value: Any) -> None:
    with pytest.raises(Unclear):
        plain(value)
