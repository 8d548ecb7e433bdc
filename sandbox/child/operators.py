"""Asks operators of the solution's classes so that an object which agrees with everything gives itself away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from .decoys import decoys, token_like

Ask = Callable[[Any], Any]
"""The operator of one object there, applied to an operand from here."""
EQUAL, UNEQUAL = "__eq__", "__ne__"
ORDERINGS = frozenset(("__lt__", "__le__", "__gt__", "__ge__"))
_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "lshift", "rshift", "and", "or", "xor")
CALCULATIONS = frozenset(f"__{prefix}{name}__" for prefix in ("", "r") for name in _BINARY)
CONTAINS = "__contains__"
OPERATORS = CALCULATIONS | ORDERINGS | {CONTAINS}
_NUMBERS = (int, float)
_ENDS: dict[type, tuple[Any, Any]] = {
    int: (-(10**300), 10**300),
    float: (-1e300, 1e300),
    str: ("", "\U0010ffff" * 4),
}
_RULES: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "__add__": (0, lambda mine, given: mine + given),
    "__radd__": (0, lambda mine, given: mine + given),
    "__sub__": (0, lambda mine, given: mine - given),
    "__rsub__": (0, lambda mine, given: mine + given),
    "__mul__": (1, lambda mine, given: mine * given),
    "__rmul__": (1, lambda mine, given: mine * given),
    "__truediv__": (1, lambda mine, given: mine / given),
}
"""Operand that leaves a number as it is, and what the operator then gives for another operand."""


class Agreeable(TypeError):
    """The object's answers do not hang together."""


def equal(ask: Ask, other: Any) -> Any:
    """Equality with a value from here; an object that also equals a decoy equals nothing."""
    for false in decoys(other):
        if _agrees(ask(false)):
            return False
    return ask(other)


def _agrees(answer: Any) -> bool:
    """Whether an answer would count as true; an object of the solution's own counts, whatever it says of itself."""
    return answer is not NotImplemented and (type(answer).__module__ != "builtins" or bool(answer))


def operate(name: str, ask: Ask, other: Any) -> Any:
    """Any other operator of OPERATORS. Raises Agreeable."""
    if name in ORDERINGS:
        return _ordered(name, ask, other)
    return _contained(ask, other) if name == CONTAINS else _calculated(name, ask, other)


def _ordered(name: str, ask: Ask, other: Any) -> Any:
    ends = _ENDS.get(cast(type[Any], type(other)))
    if ends is not None:
        low, high = ask(ends[0]), ask(ends[1])
        rising = name in ("__lt__", "__le__")
        if low is not NotImplemented and (low is not (not rising) or high is not rising):
            raise Agreeable("an object that is in order with everything")
    return ask(other)


def _contained(ask: Ask, item: Any) -> Any:
    for false in token_like(item):
        try:
            if _agrees(ask(false)):
                return False
        except TypeError:
            continue
    return ask(item)


def _calculated(name: str, ask: Ask, other: Any) -> Any:
    """The number that the object is worth is asked for before it hears of the tests' own number."""
    if type(other) not in _NUMBERS:
        return ask(other)
    neutral, rule = _RULES.get(name, (1, None))
    worth = ask(neutral) if rule is not None else None
    value = ask(other)
    if type(value) not in _NUMBERS:
        return value
    if rule is None or type(worth) not in _NUMBERS:
        raise Agreeable("a number from an object that is none")
    expected = rule(worth, other)
    if not abs(value - expected) <= 1e-9 * max(1.0, abs(expected)):
        raise Agreeable("an object that is worth another number each time")
    return value
