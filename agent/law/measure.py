"""Measures time and memory of a program in the sandbox, on inputs of growing size."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from agent.source.inputs import literal
from agent.state.findings import Scaling

from .bench import LawBench, beside
from .growth import scaling_of
from .shapes import Variant

_GIVEN = "clause_given"
_RACE_SECONDS = 12.0
"""CPU seconds that a race of two programs may take; it stops by itself at half of them."""
_WATCH, _FILES = beside("stopwatch", "makers")
"""How a call reaches the measuring module, and the files to put beside the program."""
_SIZEABLE, _ROWS_FACTOR = 1024, 10
"""Below _SIZEABLE items, the fixed cost of each call hides the growth. There the search goes on until a call takes
_ROWS_FACTOR times as long."""
CALL_SECONDS = 3.0
"""CPU seconds after which a call of the search for the largest size is given up."""
_LEAST_SECONDS = 0.02
"""Calls shorter than this many seconds are repeated until they took that long together."""
_FIRST_SIZE, _LEAST_SIZE, _SMALL = 8, 4, 32
"""The size at which the search begins; the smallest size that is measured; and the size up to which sizes are only
doubled, because a program that explodes shows it there."""
_MOST_ROWS, _MOST_NUMBER = 1 << 10, 1 << 60
"""The most rows of a square table, and the largest number of an input that grows by its value."""
_MOST_BITS = 2000
"""Numbers with more bits than this cost time by their length, which no claim of growth means."""
_CALLS_OF_A_METHOD = 40
"""At least so many calls of a method make up its measured time, so that each may be this much shorter. Filling an
object takes as many calls as it has items, which is too long on larger ones."""
_POINTS = 6
"""How many sizes one fit takes."""
_USUAL_LOOP_SECONDS = 0.004
"""Seconds that the fixed loop takes on an ordinary idle machine."""
_FORGED_FACTOR, _FORGED_SECONDS = 1.5, 0.5
"""How much more CPU time the sandbox may count than the process reports: this factor, and these seconds. With more, the
clock inside is not believed, because the program could have changed it."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How far and how often is measured."""

    repetitions: int
    seed: int
    enough_seconds: float
    """A call of this many seconds stands well above the noise when repeated, so no larger input is needed."""
    most_items: int
    """With more items than this, memory and not the program decides how the time grows."""


FIRST = Effort(2, 0, 0.01, 1 << 16)
SMALLER = Effort(5, 100, 0.001, 1 << 12)
LARGER = Effort(3, 200, 0.03, 1 << 16)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured call."""

    size: int
    amount: float
    """CPU seconds, or bytes beside input and result."""
    second: float = 0.0
    """Bits of the largest number in the result, or bytes of the result."""
    slowness: float = 1.0
    """How many times slower than an ordinary machine this one was at that moment."""
    error: str = ""
    """The exception, or another reason for no answer; "over" when its time was used up."""


async def measured(
    bench: LawBench,
    variant: Variant,
    size: int,
    *,
    seed: int = 0,
    seconds: float = CALL_SECONDS,
    what: str = "timed",
) -> Measurement:
    """Measures one call on inputs of that size, in a process of its own."""
    least = f", {_LEAST_SECONDS}" if what == "timed" else ""
    what = "timed_object" if variant.plan else what
    how = variant.plan or list(variant.shapes)
    call = f"{_WATCH}.{what}({bench.entry}, {how!r}, {size}, {seed}{least})"
    room = seconds + 1.0 + 3e-6 * size * (size if variant.square else 1)
    execution = await bench.run([call], room, _FILES, memory_mb=2048)
    output = execution.outputs[0] if execution.outputs else None
    if output is None or output.kind != "value":
        over = output is not None and output.kind == "timeout" and variant.plan is None
        return Measurement(size, seconds, error="over" if over else execution.error or str(output))
    told = literal(output.text)
    if told is None:
        return Measurement(size, 0.0, error="its clock gave no numbers")
    amount, second, loop, own, error = told[0]
    if execution.cpu_ms / 1000 > own * _FORGED_FACTOR + _FORGED_SECONDS:
        return Measurement(size, 0.0, error="the sandbox counted more time than its process tells of")
    slowness = max(1.0, loop / _USUAL_LOOP_SECONDS)
    return Measurement(size, amount, second, slowness, "over" if amount >= seconds and what == "timed" else error)


@dataclass(frozen=True, slots=True)
class Race:
    """The program and the given one on the same inputs of growing size."""

    rows: tuple[tuple[int, float, float], ...]
    """Rows of (size, CPU seconds of the program, CPU seconds of the given one)."""
    alike: bool
    """Whether both answer the largest input alike."""
    error: str = ""

    @property
    def ratio(self) -> float:
        """How many times as fast as the given program this one is on the largest input."""
        return self.rows[-1][2] / self.rows[-1][1]

    @property
    def scalings(self) -> tuple[Scaling, Scaling] | None:
        """The growth of the program and of the given one, on the largest sizes; None with fewer than three."""
        last = self.rows[-_POINTS + 1 :]
        if len(last) < 3:
            return None
        return scaling_of([(size, own) for size, own, _ in last]), scaling_of(
            [(size, other) for size, _, other in last]
        )


async def race(bench: LawBench, variant: Variant) -> Race:
    """Runs both programs in one process of the sandbox, so that a busy machine slows both."""
    how = variant.plan or list(variant.shapes)
    usual = _MOST_NUMBER if variant.by_value else FIRST.most_items << 2
    most = _MOST_ROWS if variant.square else variant.most or usual
    clock = "timed_object" if variant.plan else "timed"
    programs = f"({bench.entry}, __import__({_GIVEN!r}).{bench.entry})"
    call = f"{_WATCH}.raced({_WATCH}.{clock}, {programs}, {how!r}, {most}, {_RACE_SECONDS / 2})"
    files = {**_FILES, f"{_GIVEN}.py": (bench.task.code or "").encode()}
    execution = await bench.run([call], _RACE_SECONDS, files, memory_mb=2048)
    output = execution.outputs[0] if execution.outputs else None
    told = literal(output.text) if output is not None and output.kind == "value" else None
    if told is None:
        return Race((), alike=True, error=str(output) if output else execution.error or execution.status)
    rows, alike, own, error = told[0]
    if execution.cpu_ms / 1000 > own * _FORGED_FACTOR + _FORGED_SECONDS:
        return Race((), alike=True, error="the sandbox counted more time than its process tells of")
    return Race(tuple(rows), alike, error)


@dataclass(frozen=True, slots=True)
class Profile:
    """The measurements of a program on one way of growing inputs."""

    readings: tuple[Measurement, ...]
    """The largest answered sizes, each with the best of its repetitions."""
    stopped: Measurement | None
    """The first size that was not answered; None without one."""

    @property
    def points(self) -> list[tuple[float, float]]:
        return [(reading.size, reading.amount) for reading in self.readings]

    @property
    def scaling(self) -> Scaling | None:
        """The exponent with its interval; None with fewer than three sizes."""
        return scaling_of(self.points) if len(self.points) >= 3 else None

    @property
    def steepness(self) -> float:
        """The smaller of the exponents between the last three sizes; growth that explodes is no straight line in a
        fit."""
        points = self.points[-3:]
        if len(points) < 3:
            return 0.0
        return min(math.log(t / max(s, 1e-9)) / math.log(n / m) for (m, s), (n, t) in itertools.pairwise(points))

    @property
    def least_exponent(self) -> float:
        """The least possible exponent between the last answered size and a size that ran out of time; 0.0 without
        one."""
        if self.stopped is None or self.stopped.error != "over" or not self.readings:
            return 0.0
        last = self.readings[-1]
        return math.log(self.stopped.amount / max(last.amount, 1e-7)) / math.log(self.stopped.size / last.size)


async def profile(bench: LawBench, variant: Variant, effort: Effort) -> Profile:
    """Doubles sizes until a call stands well above the noise, then measures the largest sizes several times. The
    shortest time of each counts, because it has the fewest disturbances."""
    seen, stopped = await _search(bench, variant, effort)
    if not seen:
        return Profile((), stopped)
    last = max(seen)
    best: list[Measurement] = []
    for size in _spread(last):
        tries = [seen[size]] if size in seen else []
        turns = range(len(tries), effort.repetitions)
        tries += [await measured(bench, variant, size, seed=effort.seed + turn) for turn in turns]
        answered = [reading for reading in tries if not reading.error]
        best += [min(answered, key=lambda reading: reading.amount)] if answered else []
    return Profile(tuple(best), stopped)


def _spread(last: int) -> list[int]:
    """Returns sizes up to the last one: halves of it, or closer ones if there would be too few."""
    halves = [last >> step for step in range(_POINTS - 1, -1, -1) if last >> step >= _LEAST_SIZE]
    if len(halves) >= _POINTS - 1:
        return halves
    low = max(2, min(_LEAST_SIZE, last // 2))
    ratio = (last / low) ** (1 / (_POINTS - 1))
    return sorted({round(low * ratio**step) for step in range(_POINTS)})


async def _search(
    bench: LawBench, variant: Variant, effort: Effort
) -> tuple[dict[int, Measurement], Measurement | None]:
    """Searches for the largest input worth measuring. Returns what was answered on the way, and the first size that was
    not answered."""
    most = _MOST_NUMBER if variant.by_value else _MOST_ROWS if variant.square else effort.most_items
    most = min(most, variant.most) if variant.most else most
    enough = effort.enough_seconds / (_CALLS_OF_A_METHOD if variant.plan else 1)
    size, seen = _FIRST_SIZE, dict[int, Measurement]()
    while size <= most:
        reading = await measured(bench, variant, size, seed=effort.seed)
        if reading.error not in ("", "short"):
            return seen, reading
        if reading.second > _MOST_BITS and seen:
            break
        seen |= {} if reading.error else {size: reading}
        if reading.amount >= (enough if size >= _SIZEABLE else enough * _ROWS_FACTOR):
            break
        size *= 2 if reading.amount > enough / 30 or size < _SMALL else 16 if size > 1 << 20 else 4
    return seen, None


async def space(bench: LawBench, variant: Variant) -> Profile:
    """Measures the bytes beside input and result, at five sizes; once each, as they are the same on every machine."""
    sizes = [1 << power for power in ((4, 5, 6, 7, 8) if variant.square else (10, 11, 12, 13, 14))]
    readings: list[Measurement] = []
    for size in sizes:
        reading = await measured(bench, variant, size, what="spaced")
        if reading.error:
            return Profile(tuple(readings), reading)
        readings.append(reading)
    return Profile(tuple(readings), None)
