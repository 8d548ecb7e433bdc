"""Makes inputs of a size and measures one call on them. Travels into the sandbox as a file beside the program, so it
needs nothing but Python; what it tells is compared with what the sandbox itself has counted.

Short times are read from the thread's clock: that of the process only moves with the kernel's ticks while a timer of
its CPU time is set, as the sandbox does for each call."""

from __future__ import annotations

import collections
import copy
import gc
import itertools
import math
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Shape = tuple[Any, ...]
"""How an argument is made: a word and its parameters, see `build`."""
MOST_CALLS = 20_000
_MOST_AT_ONCE = 256
_REMEMBERED = 20
"""A repeated call that is so many times quicker than the first was answered from memory."""
_TICKS = 5e-5
"""Seconds that a single call must take to be timed: the clock ticks in millionths."""
LOOPS = 100_000
"""Turns of the loop that tells how fast this machine is at this moment."""


def build(shape: Shape, n: int, rng: random.Random) -> Any:
    """An argument of size n."""
    word, *more = shape
    return _MAKERS[word](n, rng, *more)


def _ints(n: int, rng: random.Random, low: int, order: str) -> list[int]:
    made = rng.choices(range(low, low + 4 * n + 4), k=n)
    # new numbers in the order of the list: else a walk through it would jump in memory, and look steeper than it is
    return [number + 0 for number in sorted(made)] if order == "sorted" else made


def _floats(n: int, rng: random.Random) -> list[float]:
    return [rng.random() * 1000 for _ in range(n)]


def _text(n: int, rng: random.Random, letters: str) -> str:
    return "".join(rng.choices(letters, k=n))


def _words(n: int, rng: random.Random, letters: str) -> list[str]:
    length = 3
    while len(letters) > 1 and len(letters) ** length < 4 * n:
        length += 1
    return [_text(length, rng, letters) for _ in range(n)]


def _tiled(n: int, _rng: random.Random, value: Any) -> Any:
    return (value * (n // len(value) + 1))[:n]


def _needle(n: int, _rng: random.Random, letter: str, last: str, part: int) -> str:
    """All letters equal but the last: what makes a naive search compare everything."""
    return letter * (max(1, n // part) - 1) + last


def _nested(n: int, _rng: random.Random, pair: str) -> str:
    """Brackets inside each other: nothing matches until the middle is reached."""
    return pair[0] * (n // 2) + pair[1] * (n // 2)


def _pairs(n: int, rng: random.Random, kind: str) -> list[Any]:
    starts = rng.choices(range(4 * n + 4), k=n)
    made = [(start, start + rng.randrange(1, 9)) for start in starts]
    return made if kind == "tuple" else [list(pair) for pair in made]


def _edges(n: int, rng: random.Random, kind: str, weighted: bool, first: int) -> list[Any]:
    """A connected graph on n nodes: a chain, and as many edges again anywhere."""
    ends = [(node, node + 1) for node in range(n - 1)] + [(rng.randrange(n), rng.randrange(n)) for _ in range(n)]
    made = [(a + first, b + first, rng.randrange(1, 10)) if weighted else (a + first, b + first) for a, b in ends]
    return made if kind == "tuple" else [list(edge) for edge in made]


def _graph(n: int, rng: random.Random, label: str, kind: str) -> dict[Any, Any]:
    """Each node with the next one and one anywhere; `label`: what stands before a node's number, "" for the number."""
    names: list[Any] = [f"{label}{node}" for node in range(n)] if label else list(range(n))
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
    """The first (0) or last (-1) node of a graph."""
    number = 0 if place == 0 else n - 1
    return f"{label}{number}" if label else number


def _value(_n: int, _rng: random.Random, value: Any) -> Any:
    return copy.deepcopy(value)


def _size(n: int, _rng: random.Random) -> int:
    return n


def _prime(n: int, _rng: random.Random) -> int:
    """The first prime from n on: what is asked of a number is seldom settled early for a prime."""
    return next(number for number in itertools.count(max(n, 2)) if _is_prime(number))


def _is_prime(number: int) -> bool:
    """By Miller and Rabin; these bases are enough below 3 * 10**24."""
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


def timed(function: Any, shapes: Sequence[Shape], n: int, seed: int, least: float) -> tuple[Any, ...]:
    """(seconds of one call, bits of the largest number it gave, seconds of the fixed loop, seconds of this process, the
    exception it raised, "short" where it was too short to be timed, or ""). A call shorter than `least` is repeated;
    one that answers from memory when it is repeated counts as it was at first."""
    arguments = _prepared(function, shapes, n, seed)
    kept = _copied(arguments)
    first, result, error = _once(function, arguments)
    seconds = first
    if not error and first < least:
        rest = _repeated(function, arguments, kept, least)
        if rest < first / _REMEMBERED:
            error = "short" if first < _TICKS else ""
        else:
            seconds = rest
    return seconds, _bits(result), fixed_loop(), time.process_time(), error


def timed_object(made: Any, plan: tuple[Any, ...], n: int, seed: int, _least: float) -> tuple[Any, ...]:
    """Of an object filled with n items: (mean seconds of its slowest method, ...) as `timed` tells. The plan: shapes
    for the constructor, (method that fills, kinds of its arguments), [(method, kinds)] to be measured."""
    shapes, (fill, kinds), methods = plan
    rng = random.Random(seed)
    thing = made(*[build(shape, n, rng) for shape in shapes])
    gc.disable()
    for number in range(n):
        getattr(thing, fill)(*[_item(kind, number) for kind in kinds])
    slowest, errors = 0.0, list[str]()
    for name, wanted in methods:
        calls = min(n, _CALLS_OF_A_METHOD)
        given = [[_item(kind, rng.randrange(n)) for kind in wanted] for _ in range(calls)]
        method = getattr(thing, name)
        _, _, error = _once(method, given[0])
        if error:
            errors.append(error)
            continue
        start = time.thread_time()
        for each in given:
            method(*each)
        slowest = max(slowest, (time.thread_time() - start) / calls)
    error = errors[0] if len(errors) == len(methods) else ""
    return max(slowest, 1e-9), 0, fixed_loop(), time.process_time(), error


def raced(clock: Callable[..., Any], programs: Sequence[Any], how: Any, most: int, seconds: float) -> tuple[Any, ...]:
    """([(size, CPU seconds of the first program, of the second)], whether both answer the largest alike, seconds of
    this process, exception of either). Sizes are doubled until a call stands well above the noise, what explodes
    grows by less; both run in turn, on equal arguments, and the least time of each counts."""
    rows: list[tuple[int, float, float]] = []
    size, step = 8, 1
    while size <= most:
        begun = time.process_time()
        heats = [[clock(each, how, size, seed, _HEAT_SECONDS) for each in programs] for seed in range(_HEATS)]
        error = next((one[4] for pair in heats for one in pair if one[4] not in ("", "short")), "")
        if error:
            return rows, True, time.process_time(), error
        own, theirs = (min(pair[place][0] for pair in heats) for place in (0, 1))
        growth = max(own / rows[-1][1], theirs / rows[-1][2], 2.0) if rows else 2.0
        rows.append((size, own, theirs))
        now = time.process_time()
        if max(own, theirs) > _LONG_HEAT or now + growth * 2 * (now - begun) > seconds:
            break
        step = 8 if growth > _EXPLODING else step
        size += max(1, size // step)
    return rows, clock is timed_object or _alike(programs[0], programs[1], how, rows[-1][0]), time.process_time(), ""


_HEATS, _HEAT_SECONDS, _LONG_HEAT = 3, 0.003, 0.1
_EXPLODING = 12.0
"""Growth between two doublings from which the next one might not end."""


def _alike(mine: Any, other: Any, shapes: Sequence[Shape], size: int) -> bool:
    """Equal results, and arguments left in equal states; what is drawn lazily is not compared."""
    first, second = (_prepared(each, shapes, size, 0) for each in (mine, other))
    (_, result, _), (_, wanted, _) = _once(mine, first), _once(other, second)
    if isinstance(wanted, Iterator):
        return True
    if isinstance(wanted, float) and isinstance(result, float | int):
        return math.isclose(result, wanted, rel_tol=1e-9)
    return result == wanted and first == second


_CALLS_OF_A_METHOD = 400


def _item(kind: str, number: int) -> Any:
    return f"k{number}" if kind == "str" else float(number) if kind == "float" else number


def spaced(function: Any, shapes: Sequence[Shape], n: int, seed: int) -> tuple[Any, ...]:
    """(bytes that one call needed at most beside its input and its result, bytes of the result, 0.0, seconds of this
    process, exception)."""
    arguments = _prepared(function, shapes, n, seed)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    _, result, error = _once(function, arguments)
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    own = max(0, after - before) if result is not None else 0
    return max(0, peak - before - own), own, 0.0, time.process_time(), error


def _prepared(function: Any, shapes: Sequence[Shape], n: int, seed: int) -> list[Any]:
    """Arguments of size n, after a first call on tiny ones that loads what the program loads late."""
    _once(function, [build(shape, 4, random.Random(seed + 1)) for shape in shapes])
    rng = random.Random(seed)
    arguments = [build(shape, n, rng) for shape in shapes]
    if hasattr(function, "cache_clear"):
        function.cache_clear()
    gc.collect()
    gc.disable()
    return arguments


def _once(function: Any, arguments: Sequence[Any]) -> tuple[float, Any, str]:
    """CPU seconds, result, and the name of the exception. What is given lazily is drawn to its end."""
    start = time.thread_time()
    try:
        result = function(*arguments)
        if isinstance(result, Iterator):
            collections.deque(result, maxlen=0)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    except Exception as error:  # noqa: BLE001 - untrusted code may raise anything
        return time.thread_time() - start, None, type(error).__name__
    return time.thread_time() - start, result, ""  # pyright: ignore[reportUnknownVariableType]


def _repeated(function: Any, arguments: list[Any], kept: list[Any], least: float) -> float:
    """Mean CPU seconds of further calls, each on arguments as they were before the first; many between two looks at
    the clock, which ticks in millionths of a second."""
    is_changed = arguments != kept
    forget = getattr(function, "cache_clear", _nothing)
    spent, calls, batch = 0.0, 0, 1
    while spent < least and calls < MOST_CALLS:
        given = [_copied(kept) if is_changed else kept for _ in range(batch)]
        start = time.thread_time()
        for each in given:
            forget()
            result = function(*each)
            if isinstance(result, Iterator):
                collections.deque(result, maxlen=0)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        took = time.thread_time() - start
        spent, calls = spent + took, calls + batch
        batch = min(batch * 4, 4 if is_changed else _MOST_AT_ONCE) if took < least / 10 else batch
    return max(spent, 1e-6) / calls


def _nothing() -> None:
    """Stands for forgetting where nothing is remembered."""


def _copied(arguments: Sequence[Any]) -> list[Any]:
    """Deep copies; of long lists of plain items a copy of the list is one."""
    plain = (int, float, str)
    return [
        list(each) if isinstance(each, list) and each and isinstance(each[0], plain) else copy.deepcopy(each)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        for each in arguments
    ]


def _bits(result: Any) -> int:
    if isinstance(result, int):
        return result.bit_length()
    if isinstance(result, list | tuple) and result:
        return max(_bits(result[0]), _bits(result[-1]))  # pyright: ignore[reportUnknownArgumentType]
    return 0


def fixed_loop() -> float:
    """CPU seconds of a loop that is the same on every machine."""
    start, total = time.thread_time(), 0
    for turn in range(LOOPS):
        total += turn & 7
    return time.thread_time() - start
