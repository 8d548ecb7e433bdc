"""Measures one call on inputs of a given size. The text of this module goes into the sandbox in a folder beside the
program, so it imports only the standard library. What it reports is compared with what the sandbox itself counts,
because the program could change the clock.

Short times are read from the thread's clock. While a timer on CPU time is set, as the sandbox does for each call, the
clock of the process moves only with the kernel's ticks."""

from __future__ import annotations

import collections
import copy
import gc
import math
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .makers import Shape, build

MOST_CALLS = 20_000
"""How many calls are made at most to add up to a measurable time."""
_MOST_AT_ONCE = 256
"""How many calls are made at most between two looks at the clock."""
_REMEMBERED = 20
"""A repeated call that is this many times quicker than the first one was answered from memory."""
_TICKS = 5e-5
"""Seconds that a single call must take to be timed, since the clock ticks in millionths."""
LOOPS = 100_000
"""Turns of the loop that shows how fast this machine is at the moment."""


def timed(function: Any, shapes: Sequence[Shape], n: int, seed: int, least: float) -> tuple[Any, ...]:
    """Times one call. Returns (seconds, bits of the largest number in the result, seconds of the fixed loop, CPU
    seconds of this process, error); the error is the exception's name, "short" for a call too short to be timed, or "".
    A call shorter than `least` is repeated; if the repetition answers from memory, the first call counts."""
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
    """Times the methods of an object filled with n items; returns what `timed` returns, with the mean seconds of the
    slowest method. An exception of any method counts, because nothing is known of its time. `plan` holds shapes for the
    constructor, (method that fills, kinds of its arguments), and [(method, kinds)] to be measured. If the constructor
    fills the object, the filling method is "", and the methods get ascending places as arguments."""
    shapes, (fill, kinds), methods = plan
    rng = random.Random(seed)
    thing = made(*[build(shape, n, rng) for shape in shapes])
    gc.disable()
    for number in range(n if fill else 0):
        getattr(thing, fill)(*[_item(kind, min(number + place, n - 1)) for place, kind in enumerate(kinds)])
    slowest, errors = 0.0, list[str]()
    for name, wanted in methods:
        calls = min(n, _CALLS_OF_A_METHOD)
        numbers = [[rng.randrange(n) for _ in wanted] for _ in range(calls)]
        given = [[_item(*one) for one in zip(wanted, each if fill else sorted(each), strict=True)] for each in numbers]
        method = getattr(thing, name)
        _, _, error = _once(method, given[0])
        if error:
            errors.append(error)
            continue
        start = time.thread_time()
        for each in given:
            method(*each)
        slowest = max(slowest, (time.thread_time() - start) / calls)
    return max(slowest, 1e-9), 0, fixed_loop(), time.process_time(), next(iter(errors), "")


def raced(clock: Callable[..., Any], programs: Sequence[Any], how: Any, most: int, seconds: float) -> tuple[Any, ...]:
    """Races two programs. Returns ([(size, CPU seconds of the first, of the second)], whether both answer the largest
    input alike, CPU seconds of this process, exception of either). Sizes are doubled until a call stands well above the
    noise; if the time explodes, they grow by less. Both run in turn on equal arguments, and each one's shortest time
    counts."""
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
"""Heats per size; CPU seconds that the calls of one program take in a heat; CPU seconds of a call after which a race
ends."""
_EXPLODING = 12.0
"""If the time grows by more than this factor between two doublings, the next one might never end."""


def _alike(mine: Any, other: Any, shapes: Sequence[Shape], size: int) -> bool:
    """Returns whether both give equal results and leave their arguments equal. Lazily drawn results are not
    compared."""
    first, second = (_prepared(each, shapes, size, 0) for each in (mine, other))
    (_, result, _), (_, wanted, _) = _once(mine, first), _once(other, second)
    if isinstance(wanted, Iterator):
        return True
    if isinstance(wanted, float) and isinstance(result, float | int):
        return math.isclose(result, wanted, rel_tol=1e-9)
    return result == wanted and first == second


_CALLS_OF_A_METHOD = 400
"""How many times each method is called at most."""


def _item(kind: str, number: int) -> Any:
    return f"k{number}" if kind == "str" else float(number) if kind == "float" else number


def spaced(function: Any, shapes: Sequence[Shape], n: int, seed: int) -> tuple[Any, ...]:
    """Measures the memory of one call. Returns (most bytes beside input and result, bytes of the result, 0.0, CPU
    seconds of this process, exception)."""
    arguments = _prepared(function, shapes, n, seed)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    _, result, error = _once(function, arguments)
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    own = max(0, after - before) if result is not None else 0
    return max(0, peak - before - own), own, 0.0, time.process_time(), error


def _prepared(function: Any, shapes: Sequence[Shape], n: int, seed: int) -> list[Any]:
    """Returns arguments of size n, after a first call on tiny ones that loads what the program loads late."""
    _once(function, [build(shape, 4, random.Random(seed + 1)) for shape in shapes])
    rng = random.Random(seed)
    arguments = [build(shape, n, rng) for shape in shapes]
    if hasattr(function, "cache_clear"):
        function.cache_clear()
    gc.collect()
    gc.disable()
    return arguments


def _once(function: Any, arguments: Sequence[Any]) -> tuple[float, Any, str]:
    """Calls once and returns CPU seconds, result, and the name of the exception. A lazy result is drawn to its end."""
    start = time.thread_time()
    try:
        result = function(*arguments)
        if isinstance(result, Iterator):
            collections.deque(result, maxlen=0)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    except Exception as error:  # noqa: BLE001 - untrusted code may raise anything
        return time.thread_time() - start, None, type(error).__name__
    return time.thread_time() - start, result, ""  # pyright: ignore[reportUnknownVariableType]


def _repeated(function: Any, arguments: list[Any], kept: list[Any], least: float) -> float:
    """Returns the mean CPU seconds of further calls, each on arguments as they were before the first one. Many calls
    are made between two readings of the clock, which ticks in millionths of a second."""
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
    """Does nothing; stands for `cache_clear` of a function without a cache."""


def _copied(arguments: Sequence[Any]) -> list[Any]:
    """Returns deep copies; a list of plain items is copied without its items."""
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
    """Returns the CPU seconds of a loop that is the same on every machine."""
    start, total = time.thread_time(), 0
    for turn in range(LOOPS):
        total += turn & 7
    return time.thread_time() - start
