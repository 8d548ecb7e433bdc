"""Makes inputs of a given size. The text of this module goes into the sandbox in a folder beside the program, so it
imports only the standard library."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable
from typing import Any

Shape = tuple[Any, ...]
"""How an argument is made: a word and its parameters, which `build` reads."""


def build(shape: Shape, n: int, rng: random.Random) -> Any:
    """Returns an argument of size n."""
    word, *more = shape
    return _MAKERS[word](n, rng, *more)


def _ints(n: int, rng: random.Random, low: int, order: str) -> list[int]:
    if order == "distinct":
        return rng.sample(range(low, low + 4 * n + 4), k=n)
    made = rng.choices(range(low, low + 4 * n + 4), k=n)
    # Makes new number objects in the order of the list. Otherwise a walk through the list would jump in memory, and
    # look steeper than it is.
    return [number + 0 for number in sorted(made)] if order == "sorted" else made


def _floats(n: int, rng: random.Random) -> list[float]:
    return [rng.random() * 1000 for _ in range(n)]


def _text(n: int, rng: random.Random, letters: str) -> str:
    return "".join(rng.choices(letters, k=n))


def _words(n: int, rng: random.Random, letters: str, order: str = "random") -> list[str]:
    length = 3
    while len(letters) > 1 and len(letters) ** length < 4 * n:
        length += 1
    base = len(letters)
    if order == "distinct" and base > 1:
        numbers = rng.sample(range(base**length), n)
        return ["".join(letters[number // base**place % base] for place in range(length)) for number in numbers]
    return [_text(length, rng, letters) for _ in range(n)]


def _tiled(n: int, _rng: random.Random, value: Any) -> Any:
    return (value * (n // len(value) + 1))[:n]


def _needle(n: int, _rng: random.Random, letter: str, last: str, part: int) -> str:
    """Returns equal letters with another last one, on which a naive search compares everything."""
    return letter * (max(1, n // part) - 1) + last


def _nested(n: int, _rng: random.Random, pair: str) -> str:
    """Returns brackets inside each other; no pair closes before the middle is reached."""
    return pair[0] * (n // 2) + pair[1] * (n // 2)


def _pairs(n: int, rng: random.Random, kind: str, order: str = "random") -> list[Any]:
    """Returns short intervals, or with "wide" pairs of places in a list of n items, far from each other."""
    if order == "wide":
        ends = (sorted((rng.randrange(n), rng.randrange(n))) for _ in range(n))
        return [(low, high) if kind == "tuple" else [low, high] for low, high in ends]
    starts = rng.choices(range(4 * n + 4), k=n)
    made = [(start, start + rng.randrange(1, 9)) for start in starts]
    return made if kind == "tuple" else [list(pair) for pair in made]


def _edges(n: int, rng: random.Random, kind: str, weighted: bool, first: int, order: str = "random") -> list[Any]:
    """Returns the edges of a connected graph on n nodes: a chain, and as many more edges. They are random, or with
    "forward" make no circle."""
    more = [(node, node + 2) for node in range(n - 2)]
    more = more if order == "forward" else [(rng.randrange(n), rng.randrange(n)) for _ in range(n)]
    ends = [(node, node + 1) for node in range(n - 1)] + more
    made = [(a + first, b + first, rng.randrange(1, 10)) if weighted else (a + first, b + first) for a, b in ends]
    return made if kind == "tuple" else [list(edge) for edge in made]


def _graph(n: int, rng: random.Random, label: str, kind: str, order: str = "random") -> dict[Any, Any]:
    """Returns a graph: each node with the next one and a random one, or with "forward" the next two, which makes no
    circle. `label` stands before a node's number; "" makes the nodes numbers."""
    names: list[Any] = [f"{label}{node}" for node in range(n)] if label else list(range(n))
    if order == "forward":
        near = {names[i]: names[i + 1 : i + 3] for i in range(n)}
    else:
        near = {names[i]: [names[min(i + 1, n - 1)], names[rng.randrange(n)]] for i in range(n)}
    if kind == "weights":
        return {node: dict.fromkeys(ends, rng.randrange(1, 10)) for node, ends in near.items()}
    if kind == "pairs":
        return {node: [(end, rng.randrange(1, 10)) for end in ends] for node, ends in near.items()}
    return {node: set(ends) for node, ends in near.items()} if kind == "set" else near


def _dict(n: int, rng: random.Random, letters: str, values: Shape) -> dict[Any, Any]:
    keys: list[Any] = _words(n, rng, letters) if letters else list(range(n))
    return {key: build(values, 3, rng) for key in keys}


def _rows(n: int, rng: random.Random, low: int, high: int) -> list[list[int]]:
    return [rng.choices(range(low, high + 1), k=n) for _ in range(n)]


def _node(n: int, _rng: random.Random, label: str, place: int) -> Any:
    """Returns the first (0) or last (-1) node of a graph."""
    number = 0 if place == 0 else n - 1
    return f"{label}{number}" if label else number


def _value(_n: int, _rng: random.Random, value: Any) -> Any:
    return copy.deepcopy(value)


def _size(n: int, _rng: random.Random) -> int:
    return n


def _prime(n: int, _rng: random.Random) -> int:
    """Returns the first prime from n on: questions about a number are seldom settled early for a prime."""
    return next(number for number in itertools.count(max(n, 2)) if _is_prime(number))


def _is_prime(number: int) -> bool:
    """Tests by Miller and Rabin; these bases are enough for numbers below 3 * 10**24."""
    if number < 41:
        return number in _BASES
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in _BASES:
        power = pow(base, odd, number)
        if power not in (1, number - 1) and all(pow(power, 2**turn, number) != number - 1 for turn in range(1, twos)):
            return False
    return True


_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def _part(n: int, _rng: random.Random, part: int) -> int:
    return max(1, n // part)


def _as_tuple(n: int, rng: random.Random, inner: Shape) -> tuple[Any, ...]:
    return tuple(build(inner, n, rng))


def _as_set(n: int, rng: random.Random, inner: Shape) -> set[Any]:
    return set(build(inner, n, rng))


_MAKERS: dict[str, Callable[..., Any]] = {
    "value": _value,
    "n": _size,
    "prime": _prime,
    "part": _part,
    "ints": _ints,
    "floats": _floats,
    "text": _text,
    "words": _words,
    "tiled": _tiled,
    "needle": _needle,
    "nested": _nested,
    "pairs": _pairs,
    "edges": _edges,
    "graph": _graph,
    "dict": _dict,
    "rows": _rows,
    "node": _node,
    "tuple": _as_tuple,
    "set": _as_set,
}
