"""Whole numbers beyond what floats hold are tried on every program that divides, takes roots or takes logarithms."""

from __future__ import annotations

import pytest

from agent.outcome.large import spoiled_by_floats
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
