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
            "line 2: in floating point `int(done / total * 100)` is 57 instead of 58 for done = 29 and total = 50",
        ),
        (
            "RATE = 0.29\ndef f(n):\n    return int(n * RATE * 100)",
            "line 3: in floating point `int(n * RATE * 100)` is 28 instead of 29 for n = 1",
        ),
        (
            "def f(total, people):\n    cents = int(total * 100)\n    return divmod(cents, people)",
            "line 2: in floating point `int(total * 100)` is 28 instead of 29 for total = 0.29",
        ),
    ],
)
def test_a_rounded_float_that_is_wrong_for_small_numbers_is_told_with_them(code: str, told: str) -> None:
    assert [sign.told for sign in inexact_signs(code)] == [told]


CUT = "def f(a, b):\n    return int(a / b * 100)"


@pytest.mark.parametrize(
    ("code", "given", "text"),
    [
        (CUT, "def f(a, b):\n    return int(a/b*100)", ""),
        (CUT, "def g(a, b):\n    print(int((a / b) * 100))", ""),
        (CUT, "", "Write f(a, b): it returns int(a/b * 100)."),
        (
            "def grey(r, g, b):\n    return int(0.299*r + 0.587*g + 0.114*b)",
            "",
            "Write grey(r, g, b) that returns int(0.299 * r + 0.587 * g + 0.114 * b).",
        ),
    ],
)
def test_what_the_given_program_or_the_task_says_itself_is_no_sign(code: str, given: str, text: str) -> None:
    assert inexact_signs(code)
    assert inexact_signs(code, given, text) == ()


def test_what_the_task_says_of_another_expression_takes_no_sign_back() -> None:
    assert inexact_signs(CUT, "def f(a, b):\n    return a / b * 100", "It must print(a / b * 100).")


def test_of_many_roundings_only_some_are_looked_at() -> None:
    many = "\n".join(f"    int(x * {n}.5 + y + z)" for n in range(300))
    assert inexact_signs(f"def f(x, y, z):\n{many}\n    int(x / y * 100)") == ()


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
        "def f(n):\n    return int(n * 3)",
        "def f(v):\n    n = len(v)\n    return int(n * 100) + int(len(v) * 100)",
        "def f(",
        "import math\nfrom fractions import Fraction\ndef f(p, n):\n    return math.ceil(Fraction(p) / 100 * n)",
        "import math\nimport decimal\ndef f(p, n):\n    return math.ceil(decimal.Decimal(p) / 100 * n)",
        "import math\ndef f(p: Decimal, n):\n    return math.ceil(p / 100 * n)",
        "import math\ndef f(p, n):\n    share = Fraction(p, 100)\n    return math.ceil(share / 3 * n)",
        "import math\ndef f(rad):\n    return round(rad / math.pi * 180)",
        "import math\ndef f(rad):\n    return int(rad / math.pi * 180)",
        "from math import pi\ndef f(rad):\n    return int(rad / pi * 180)",
        "import random\ndef f(n):\n    return int(random.random() / 10 * n)",
        "import random\ndef f(n):\n    x = random.random()\n    return int(x / 10 * n)",
        *(
            f"def f(done, total, xs, v, p, bill):\n    return round({formula})"
            for formula in ("done/total*100", "sum(xs)/len(xs)*100", "v*1.1", "p*0.7", "bill*1.15")
        ),
        f"def f(x):\n    return int({' + '.join(['x / 10'] * 1500)})",
        f"def f(x):\n    return int(x{'.y' * 2500} / 10 * 3)",
    ],
)
def test_what_is_exact_for_small_numbers_or_no_arithmetic_is_no_sign(code: str) -> None:
    assert inexact_signs(code) == ()
