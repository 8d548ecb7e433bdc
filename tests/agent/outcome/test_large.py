"""Whole numbers beyond what floats hold are tried on every program that divides, takes roots or takes logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from agent.outcome.large import _TRIED, spoiled_by_floats  # pyright: ignore[reportPrivateUsage]
from sandbox.types import Sandbox
from tests.agent.alone import alone, written

pytestmark = pytest.mark.asyncio(loop_scope="session")

SQUARE = "Write is_square(n): whether the whole number n is a square. is_square(16) == True, is_square(15) == False"
ROOT = "import math\n\ndef is_square(n):\n    root = math.sqrt(n)\n    return root == int(root)\n"
PRIME = "def is_prime(n):\n    return n > 1 and all(n % i for i in range(2, int(n ** 0.5) + 1))\n"
HALF = "def half(n):\n    return n / 2\n"


async def told(sandbox: Sandbox, text: str, code: str, given: str | None = None) -> list[str]:
    state, program = written(text, code, given)
    return await spoiled_by_floats(state, alone(sandbox, state.task), program)


async def test_an_input_for_which_exact_arithmetic_gives_another_value_is_told(sandbox: Sandbox) -> None:
    (sentence,) = await told(sandbox, SQUARE, ROOT)
    assert sentence == (
        "is_square(18014398777917440) gives True, but would give False if `math.sqrt(n)` were computed without rounding"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"{SQUARE} n is at most 10^6.", ROOT),
        (f"{SQUARE} n is at most 1000.", ROOT),
        (f"{SQUARE} It holds that 0 <= n <= 500.", ROOT),
        (f"{SQUARE} Compare math.sqrt(n) with its whole part.", ROOT),
        ("Write is_prime(n). is_prime(7) == True, is_prime(9) == False", PRIME),
        ("Write half(n): the half of n. half(7) == 3.5, half(4) == 2.0", HALF),
    ],
)
async def test_nothing_is_told_of_numbers_that_are_excluded_or_never_answered_nor_of_float_answers(
    sandbox: Sandbox, text: str, code: str
) -> None:
    assert await told(sandbox, text, code) == []


async def test_nothing_is_told_of_what_the_given_code_does_too(sandbox: Sandbox) -> None:
    assert await told(sandbox, SQUARE, ROOT, ROOT.replace("root", "side")) == []


def power_below(number: int, base: int) -> int:
    exponent = 0
    while base ** (exponent + 1) <= number:
        exponent += 1
    return exponent


def is_cube(number: int) -> bool:
    root = round(number ** (1 / 3))
    return any((root + step) ** 3 == number for step in (-1, 0, 1))


SLIPS: dict[str, tuple[Callable[[int], object], Callable[[int], object], int]] = {
    "a cube root": (lambda n: int(n ** (1 / 3)) ** 3 == n, is_cube, 5**3),
    "a logarithm to 3": (lambda n: int(math.log(n, 3)), lambda n: power_below(n, 3), 3**5),
    "a logarithm to 10": (lambda n: int(math.log(n, 10)), lambda n: power_below(n, 10), 10**3),
    "a logarithm to 2": (lambda n: int(math.log(n, 2)), lambda n: power_below(n, 2), 2**60 - 1),
    "a product": (lambda n: int(float(n) * n), lambda n: n * n, 94906267),
    "a whole number": (lambda n: int(float(n)), lambda n: n, 2**53 + 1),
    "a square root": (lambda n: int(math.sqrt(n)), math.isqrt, (2**27 + 1) ** 2 - 1),
    "a square": (lambda n: math.sqrt(n) == int(math.sqrt(n)), lambda n: math.isqrt(n) ** 2 == n, (2**27 + 1) ** 2 - 1),
    "a half": (lambda n: int(n / 2), lambda n: n // 2, 10**18 - 1),
}  # fmt: skip
"""What floats get wrong: how it is often written, how it is exact, and the smallest number tried that shows it."""


@pytest.mark.parametrize("slip", SLIPS)
async def test_each_slip_of_floats_is_shown_by_a_number_that_is_tried(slip: str) -> None:
    rough, exact, smallest = SLIPS[slip]
    assert min(number for number in _TRIED if rough(number) != exact(number)) == smallest
