"""Whole numbers that floating point makes wrong are seen; what is exact for small numbers is not complained of."""

from __future__ import annotations

import pytest

from agent.trust import inexact_signs


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "import math\ndef f(v, p):\n    return sorted(v)[math.ceil(p / 100 * len(v)) - 1]",
            "line 3: in floating point `math.ceil(p / 100 * len(v))` is 8 instead of 7 for p = 28 and len(v) = 25",
        ),
        (
            "from math import ceil\ndef f(v, p):\n    n = len(v)\n    rank = (p / 100) * n\n    return ceil(rank)",
            "line 5: in floating point `ceil(rank)` is 8 instead of 7 for p = 28 and n = 25",
        ),
        (
            "def f(done, total):\n    return int(done / total * 100)",
            "line 2: in floating point `int(done / total * 100)` is 459 instead of 460 for done = 23 and total = 5",
        ),
    ],
)
def test_a_rounded_float_that_is_wrong_for_small_numbers_is_told_with_them(code: str, told: str) -> None:
    assert [sign.told for sign in inexact_signs(code)] == [told]


@pytest.mark.parametrize(
    "code",
    [
        "import math\ndef f(v, p):\n    return math.ceil(p * len(v) / 100)",
        "def f(n):\n    return int(n * (n + 1) / 2)",
        "def f(c):\n    return round(c * 9 / 5 + 32)",
        "def f(t, p):\n    s = sum(p)\n    return [int(t * x / s) for x in p]",
        "import random\ndef f():\n    return int(random.random() * 6) + 1",
        "def f(p, n):\n    return -(-p * n // 100)",
        "def f(n):\n    n = n / 10\n    n = n * 7\n    return int(n)",
        "def f(s):\n    return int(s)",
        "def f(",
    ],
)
def test_what_is_exact_for_small_numbers_or_no_arithmetic_is_no_sign(code: str) -> None:
    assert inexact_signs(code) == ()
