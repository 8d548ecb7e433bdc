"""What a busy machine does to the measured times. The machine is played here: each measurement takes the program's own
time, and what others take at that moment, drawn with a fixed seed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, cast

import pytest

from agent.examples.types import Clause
from agent.law.bench import LawBench
from agent.law.checkers import complexity, limits
from agent.law.growth import growth_function
from agent.law.measure import FIRST, LARGER, SMALLER, Effort, Measurement, Profile
from agent.law.shapes import Variant
from agent.state.findings import Standing

pytestmark = pytest.mark.asyncio(loop_scope="session")

BENCH = cast(LawBench, None)
LISTS = Variant("lists", (), True, False)
_FIT = 1 << 15
"""With more items than this, what is read is no longer in a cache."""
NUMBERS = Variant("numbers", (("ints", 0, "random"),), True, False)
SORTING = Clause("in O(n log n)", "complexity", "time", growth="n log n")
LINEAR = Clause("in O(n)", "complexity", "time", growth="n")
SECOND = Clause("within 1 s for 10^6", "time", "time", seconds=1.0, size=1_000_000)
RUNS = 200
Load = Callable[[random.Random, int, Effort], float]


def n_log_n(size: int) -> float:
    return 1e-7 * size * math.log2(size)


def squared(size: int) -> float:
    return 1e-8 * size * size


def spells(draw: random.Random, size: int, effort: Effort) -> float:
    """Now and then others take half of the machine, or most of it."""
    return draw.choice([1.0, 1.0, 2.0, 4.0]) * draw.uniform(1.0, 1.3)


def memory(draw: random.Random, size: int, effort: Effort) -> float:
    """What does not fit the cache waits for the memory that others fill, the longer the larger it is."""
    return max(1.0, size / SMALLER.most_items) ** 0.9 * draw.uniform(1.0, 1.05)


def second_look(draw: random.Random, size: int, effort: Effort) -> float:
    """Others begin while the second of three measurements goes on, and are done before the third one."""
    return (size / 64) ** 0.9 if effort is SMALLER else 1.0 if effort is LARGER else draw.uniform(1.0, 8.0)


async def judged(monkeypatch: pytest.MonkeyPatch, own: Callable[[int], float], load: Load, seed: int) -> Standing:
    draw = random.Random(seed)

    async def profile(bench: LawBench, variant: Variant, effort: Effort) -> Profile:
        sizes = [effort.most_items >> step for step in range(5, -1, -1)]
        times = [min(own(size) * load(draw, size, effort) for _ in range(effort.repetitions)) for size in sizes]
        return Profile(tuple(Measurement(size, time) for size, time in zip(sizes, times, strict=True)), None)

    async def measured(
        bench: LawBench, variant: Variant, size: int, *, seed: int = 0, seconds: float = 3.0
    ) -> Measurement:
        amount = own(size) * load(draw, size, FIRST)
        return Measurement(size, amount, error="over" if amount >= seconds else "")

    monkeypatch.setattr(complexity, "profile", profile)
    monkeypatch.setattr(complexity, "measured", measured)
    claim = growth_function("n log n")
    assert claim is not None
    found = await complexity._time(SORTING, claim, BENCH, LISTS)  # pyright: ignore[reportPrivateUsage]
    assert found is not None
    return found.standing


@pytest.mark.parametrize("load", [spells, memory, second_look])
async def test_a_program_as_fast_as_claimed_is_never_broken_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, load: Load
) -> None:
    assert "broken" not in {await judged(monkeypatch, n_log_n, load, seed) for seed in range(RUNS)}


@pytest.mark.parametrize("load", [spells, memory])
async def test_a_program_that_is_too_slow_is_never_kept_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, load: Load
) -> None:
    found = [await judged(monkeypatch, squared, load, seed) for seed in range(RUNS)]
    assert "kept" not in found
    assert "broken" in found


@pytest.mark.parametrize(("own", "standing"), [(0.9, {"kept", "open"}), (9.0, {"broken", "open"})])
async def test_stated_seconds_are_those_of_a_machine_that_is_not_busy(
    monkeypatch: pytest.MonkeyPatch, own: float, standing: set[Standing]
) -> None:
    """The fixed loop beside each call tells, not quite exactly, how busy it is."""

    async def measured(bench: Any, variant: Variant, size: int, *, seed: int = 0, seconds: float = 1.0) -> Measurement:
        slowness = draw.choice([1.0, 1.5, 3.0, 6.0])
        amount = min(own * slowness, seconds)
        return Measurement(
            size, amount, slowness=max(1.0, slowness * draw.uniform(0.8, 1.2)), error="" if amount < seconds else "over"
        )

    monkeypatch.setattr(limits, "measured", measured)
    found: set[Standing] = set()
    for seed in range(RUNS):
        draw = random.Random(seed)
        fastest = await limits._fastest(BENCH, LISTS, 1_000_000, 1.0)  # pyright: ignore[reportPrivateUsage]
        found.add(limits._timed(SECOND, fastest, 1.0, 1_000_000).standing)  # pyright: ignore[reportPrivateUsage]
    assert found <= standing


@pytest.mark.parametrize(("copied", "standing"), [(0.0, "kept"), (1e-10, "open")])
async def test_what_is_copied_at_each_step_shows_on_a_much_larger_input(
    monkeypatch: pytest.MonkeyPatch, copied: float, standing: Standing
) -> None:
    """Up to 4096 items, the loop itself takes nearly all of the time."""

    def own(size: int) -> float:
        memory = 1.0 if size < _FIT else 4.0
        return 1e-6 * size * memory + copied * size * size

    async def profile(bench: LawBench, variant: Variant, effort: Effort) -> Profile:
        return Profile(tuple(Measurement(1 << power, own(1 << power)) for power in range(7, 13)), None)

    async def measured(
        bench: LawBench, variant: Variant, size: int, *, seed: int = 0, seconds: float = 3.0
    ) -> Measurement:
        return Measurement(size, own(size), error="over" if own(size) >= seconds else "")

    monkeypatch.setattr(complexity, "profile", profile)
    monkeypatch.setattr(complexity, "measured", measured)
    claim = growth_function("n")
    assert claim is not None
    found = await complexity._time(LINEAR, claim, BENCH, NUMBERS)  # pyright: ignore[reportPrivateUsage]
    assert found is not None
    assert found.standing == standing
    assert ("size 262144 takes more than" in found.told) is (standing == "open")
