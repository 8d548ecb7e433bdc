"""Takes calls out of asserts and makes new inputs from them, by code alone: nothing is run and no model is asked."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from .changeable import Made, changeable_calls, unparse_call
from .layouts import Formed, Laid
from .moments import other_moment, with_other_moment
from .parsing import expression_of
from .standard import is_value

Constraint = Literal["positive", "non_negative", "non_empty", "sorted", "lowercase", "unique"]
_TRIES = 12
"""How many mutations are tried for each input that is wanted; many repeat or break a constraint."""
_MAX_CALL_CHARS = 400
"""The most characters of a mutated call. Doubling a long input again and again shows nothing new."""
_RENUMBERED = 0.5
"""How often a text with a number in it gets another number: the rest of the text stays as the task takes it."""
_PHRASES: dict[Constraint, str] = {
    "positive": r"\bpositive\s+(?:\w+\s+)?(?:integers?|numbers?|ints?|floats?|whole)",
    "non_negative": r"\bnon-?\s?negative\b|\bnatural numbers?\b",
    "non_empty": r"\bnon-?\s?empty\b|\bat least one\b",
    "sorted": r"\b(?:sorted|ordered) (?:list|array|sequence|in (?:ascending|increasing))|\bis (?:already )?sorted\b",
    "lowercase": r"\b(?:lower-?\s?case) (?:letters?|characters?|strings?|words?)",
    "unique": r"\b(?:unique|distinct) (?:\w+ )?(?:elements|integers|numbers|values|items)|\bno duplicates\b",
}


def split_assert(source: str) -> tuple[str, str] | None:
    """Returns (call, expected value) of `assert f(args) == value`, with either side first, `is True`, `not f(args)` or
    a bare call; None for any other assert. The value is a literal, a date, a decimal and the like. Raises SyntaxError
    for text that is no Python."""
    body = ast.parse(source).body
    return split_test(body[0].test) if len(body) == 1 and isinstance(body[0], ast.Assert) else None


def split_test(test: ast.expr) -> tuple[str, str] | None:
    """Does what `split_assert` does, for the asserted expression."""
    if isinstance(test, ast.Call):
        return (ast.unparse(test), "True") if _plain_call(test) else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Call):
        return (ast.unparse(test.operand), "False") if _plain_call(test.operand) else None
    return _split_comparison(test)


def _split_comparison(test: ast.expr) -> tuple[str, str] | None:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq | ast.Is):
        return None
    left, right = test.left, test.comparators[0]
    for side, value in ((left, right), (right, left)):
        call = _awaited(side)
        if isinstance(call, ast.Call) and _plain_call(call) and is_value(value):
            return ast.unparse(call), ast.unparse(value)
    return None


def _awaited(side: ast.expr) -> ast.expr:
    """Returns the call inside `asyncio.run(...)`; anything else as it is."""
    waits = isinstance(side, ast.Call) and len(side.args) == 1 and ast.unparse(side.func) == "asyncio.run"
    return side.args[0] if waits and isinstance(side, ast.Call) else side


_NEVER_CALLED = {"isinstance", "all", "any", "hasattr", "callable", "issubclass"}
"""Functions over which a bare assert states a property, not a value."""


def _plain_call(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id not in _NEVER_CALLED


def literal(text: str) -> tuple[Any] | None:
    """Returns the value of a Python literal in a tuple of one; None for anything else, for an ellipsis, and for a
    literal nested too deeply."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = ast.literal_eval(tree)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return None if any(isinstance(n, ast.Constant) and n.value is Ellipsis for n in ast.walk(tree)) else (value,)


def read_constraints(text: str) -> frozenset[Constraint]:
    """Returns what the task text says of its inputs, as far as generated inputs can respect it."""
    lowered = text.lower()
    return frozenset(name for name, pattern in _PHRASES.items() if re.search(pattern, lowered))


def mutate_calls(
    calls: Sequence[str], seed: int, limit: int = 40, constraints: Collection[Constraint] = ()
) -> tuple[str, ...]:
    """Returns at most `limit` new calls, made by one or two changes to the literal arguments of known calls. Types stay
    the same, no call repeats, and none breaks a constraint. Equal seeds give equal calls."""
    return _mutated(tuple(calls), seed, limit, frozenset(constraints))


@lru_cache(maxsize=64)
def _mutated(calls: tuple[str, ...], seed: int, limit: int, constraints: frozenset[Constraint]) -> tuple[str, ...]:
    """Makes the mutated calls. Cached, because every step of a run asks for the same."""
    rng = random.Random(seed)
    known = changeable_calls(dict.fromkeys(map(gathered, calls)))
    seen, made = {*calls, *(unparse_call(*one) for one in known)}, list[str]()
    for turn in range(limit * _TRIES if known else 0):
        name, args, keywords = known[turn % len(known)]
        changed = _mutate_arguments(args, keywords, rng)
        call = unparse_call(name, *changed)
        if call not in seen and len(call) <= _MAX_CALL_CHARS and are_allowed(changed, constraints):
            seen.add(call)
            made.append(call)
        if len(made) == limit:
            break
    return tuple(made)


Arguments = tuple[list[Any], dict[str, Any]]


def parse_call(call: str) -> tuple[str, list[Any], dict[str, Any]] | None:
    """Splits a call into its name and literal arguments; returns None when some argument is no literal."""
    try:
        node = ast.parse(call.strip(), mode="eval").body
        if not isinstance(node, ast.Call) or not (node.args or node.keywords):
            return None
        args = [ast.literal_eval(arg) for arg in node.args]
        keywords = {kw.arg: ast.literal_eval(kw.value) for kw in node.keywords if kw.arg is not None}
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if len(keywords) != len(node.keywords):
        return None
    return ast.unparse(node.func), args, keywords


def are_alike(call: str, known: Sequence[str]) -> bool:
    """Returns whether each argument has the type that it has in a known call of the same name and number of arguments;
    True when there is no such call. Whole numbers, floats and truth values count as one type."""
    mine = parse_call(gathered(call))
    others = [other for other in map(parse_call, map(gathered, known)) if mine and other and other[0] == mine[0]]
    others = [other for other in others if mine and len(other[1]) == len(mine[1])]
    if mine is None or not others:
        return True
    return all(any(_kind(arg) == _kind(other[1][place]) for other in others) for place, arg in enumerate(mine[1]))


def _kind(value: object) -> object:
    return float if isinstance(value, int | float) else type(value)


def gathered(call: str) -> str:
    """Returns the call inside `list(...)` or the like; any other expression as it is."""
    found = _GATHERING.fullmatch(call.strip())
    inner = expression_of(found.group(1)) if found else None
    return ast.unparse(inner) if isinstance(inner, ast.Call) else call


_GATHERING = re.compile(r"(?:list|tuple|sorted|set|dict)\((.+)\)", re.DOTALL)


def arguments_of(call: str) -> list[Any] | None:
    """Returns the values of a call whose arguments are all literals, in order; None for any other expression."""
    parsed = parse_call(call)
    return None if parsed is None else [*parsed[1], *parsed[2].values()]


def _mutate_arguments(args: list[Any], keywords: dict[str, Any], rng: random.Random) -> Arguments:
    args, keywords = list(args), dict(keywords)
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.choice([*range(len(args)), *keywords])
        if isinstance(place, int):
            args[place] = mutate(args[place], rng)
        else:
            keywords[place] = mutate(keywords[place], rng)
    return args, keywords


def mutate(value: Any, rng: random.Random) -> Any:
    """Returns a near value of the same type; the value itself when there is none."""
    change = _CHANGES.get(value.__class__)
    return value if change is None else change(value, rng)


def _mutate_number(value: int, rng: random.Random) -> int:
    return rng.choice([0, 1, -1, 2, 10, value + 1, value - 1, -value, value * 2, value + rng.randint(2, 9)])


def _mutate_float(value: float, rng: random.Random) -> float:
    return rng.choice([0.0, 1.0, -value, value + 0.5, value * 2, float(round(value)), value + 0.05])


def _mutate_exact(value: Any, rng: random.Random) -> Any:
    """Changes a decimal number or a fraction."""
    return rng.choice([-value, value + 1, value * 2, value / 2, value + type(value)("0.05"), type(value)(0)])


def _mutate_formed(value: Formed, rng: random.Random) -> Formed:
    """Changes a text whose form stays; leaves it where no change of several keeps the form."""
    tried = (_mutate_text(value.text, rng) for _ in range(_TRIES))
    return next((replace(value, text=text) for text in tried if value.has_form(text)), value)


def _mutate_text(text: str, rng: random.Random) -> str:
    if not text:
        return rng.choice(["a", "A b", "0"])
    if (other := with_other_moment(text, rng)) and rng.random() < _RENUMBERED:
        return other
    i, j = rng.randrange(len(text)), rng.randrange(len(text))
    if (number := re.search(r"-?\d{1,9}", text[i:])) is not None and rng.random() < _RENUMBERED:
        return f"{text[:i]}{text[i:].replace(number[0], str(mutate(int(number[0]), rng)), 1)}"
    near = [text[:i] + text[i + 1 :], text[:i] + text[j] + text[i:], text[:i], text[::-1], text + text, ""]
    return rng.choice([*near, text.upper(), text.lower(), text.swapcase(), f"{text[:i]} {text[i:]}"])


def _mutate_items(items: list[Any], rng: random.Random) -> list[Any]:
    if not items:
        return items  # nothing tells what the list may hold
    i = rng.randrange(len(items))
    changed: list[Any] = mutate(items[i], rng)
    shuffled = rng.sample(items, len(items))
    one_less = items[:i] + items[i + 1 :]
    return rng.choice(
        [[], [*items, items[i]], one_less, [*items[:i], changed, *items[i + 1 :]], shuffled, items + items[::-1]]
    )


def _mutate_mapping(value: dict[Any, Any], rng: random.Random) -> dict[Any, Any]:
    if not value:
        return value  # nothing tells what the mapping may hold
    key = rng.choice(list(value))
    if rng.random() < 0.5:
        return {k: v for k, v in value.items() if k != key}
    return {**value, key: mutate(value[key], rng)}


_CHANGES: Mapping[type, Callable[[Any, random.Random], Any]] = {
    bool: lambda truth, _: not truth,
    int: _mutate_number,
    float: _mutate_float,
    str: _mutate_text,
    bytes: lambda data, rng: _mutate_text(data.decode("latin-1"), rng).encode("latin-1", "replace"),
    list: _mutate_items,
    tuple: lambda items, rng: tuple(_mutate_items(list(items), rng)),
    set: lambda items, rng: set(_mutate_items(sorted(items, key=repr), rng)),
    dict: _mutate_mapping,
    Decimal: _mutate_exact,
    Fraction: _mutate_exact,
    date: other_moment,
    datetime: other_moment,
    timedelta: other_moment,
    Formed: _mutate_formed,
    Laid: lambda laid, rng: laid.changed(rng),
    Made: lambda made, rng: Made(made.name, *_mutate_arguments(made.args, made.named, rng)),
}
"""What changes a value of each type. Other values stay as they are."""


def are_allowed(arguments: Arguments, constraints: Collection[Constraint]) -> bool:
    values = [*arguments[0], *arguments[1].values()]
    return all(_keeps(value, constraint) for value in values for constraint in constraints)


def _keeps(value: Any, constraint: Constraint) -> bool:
    match constraint:
        case "positive" | "non_negative":
            return all(n > 0 or (n == 0 and constraint == "non_negative") for n in _numbers(value))
        case "non_empty":
            return isinstance(value, bool | int | float) or value is None or bool(value)
        case "sorted":
            return not isinstance(value, list) or _is_sorted(value)  # pyright: ignore[reportUnknownArgumentType]
        case "lowercase":
            return not isinstance(value, str) or value == value.lower()
        case "unique":
            return not isinstance(value, list) or len(set(map(repr, value))) == len(value)  # pyright: ignore


def _numbers(value: Any) -> list[float]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [value]
    if isinstance(value, list | tuple | set):
        return [n for item in value for n in _numbers(item)]  # pyright: ignore[reportUnknownVariableType]
    return []


def _is_sorted(items: list[Any]) -> bool:
    try:
        return items == sorted(items)
    except TypeError:
        return True
