"""Whole numbers that floating point makes wrong are seen; what is exact for small numbers is not complained of."""

from __future__ import annotations

import pytest

from agent.trust import inexact_signs
from tests.tables import in_one_test


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


@in_one_test(
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


A_B = "for a = 29 and b = 50"


@in_one_test(
    "expression, told",
    [
        ("math.floor(a / b * 100)", f"57 instead of 58 {A_B}"), ("math.trunc(a / b * 100)", f"57 instead of 58 {A_B}"),
        ("math.ceil(a / b * 100)", "56 instead of 55 for a = 11 and b = 20"),
        ("int(a / b * 100, 10)", ""), ("int(a / b * 100, base=10)", ""), ("int(*[a / b * 100])", ""),
        ("int(2 * (a / b) * 50)", f"57 instead of 58 {A_B}"),
        ("int(100 * a)", "28 instead of 29 for a = 0.29"), ("int(a.x * 100)", "28 instead of 29 for a.x = 0.29"),
        ("int(a * 10)", ""), ("int(a * 100 + b)", ""), ("int(a * b * 100)", ""), ("int(len(a) * 100)", ""),
        ("int(a * 0.57)", "56 instead of 57 for a = 100"), ("int(a * 100.0)", ""), ("int(0.29 * 100)", ""),
        ("int(a / 7 * 7 * 0.5)", "60 instead of 61 for a = 122"),
        ("int(a / 3 * b)", "116 instead of 117 for a = 13 and b = 27"),
        ("int(a / b * b)", "14 instead of 15 for a = 15 and b = 22"), ("int(a / a * 100)", ""),
        ("int(a / (b - 3) * 100)", "459 instead of 460 for a = 23 and b = 8"),
        ("int(a / 10 * b * c)", "20 instead of 21 for a = 7 and b = 6 and c = 5"),
        ("int(a / 100 * b * c)", ""), ("int(a * 0.7 * b * c * d)", ""),
        ("int(a[0] / a[1] * 100)", "57 instead of 58 for a[0] = 29 and a[1] = 50"),
        ("int(a.count(1) / len(a) * 100)", "57 instead of 58 for a.count(1) = 29 and len(a) = 50"),
        ("int(sum(a) / int(b) * 100)", "57 instead of 58 for sum(a) = 29 and int(b) = 50"),
        ("int(g(a) / b * 100)", ""), ("int(lib.x / lib.y * 100)", ""), ("int(lib.x.z / b * 100)", ""),
        ("int(-a / 10 * 3)", ""), ("int(a / 10 % 3)", ""), ("int(True / 10 * a * 3)", ""),
        (f"int(a / b * 100{' + 0' * 27})", f"57 instead of 58 {A_B}"), (f"int(a / b * 100{' + 0' * 28})", ""),
    ],
)  # fmt: skip
def test_sums_and_products_of_up_to_three_whole_numbers_are_tried(expression: str, told: str) -> None:
    signs = inexact_signs(f"import lib.more\ndef f(a, b, c, d):\n    return {expression}\n")
    assert [sign.told for sign in signs] == ([f"line 3: in floating point `{expression}` is {told}"] if told else [])


@pytest.mark.parametrize(
    ("code", "signs"),
    [
        ("def f(a, b):\n    p = a / b\n    q = p * 100\n    r = q + 0\n    s = r + 0\n    return int(s)", 1),
        ("def f(a, b):\n    p = a / b\n    q = p * 100\n    r = q\n    s = r + 0\n    t = s + 0\n    return int(t)", 0),
        ("R = 0.29\ndef f(a, R):\n    return int(a * R * 100)", 0),
        ("R = 0.29\ndef f(a):\n    for R in a:\n        print(int(a * R * 100))", 0),
        ("R = 0.29\ndef f(a):\n    def g(n):\n        R = n\n    return int(a * R * 100)", 1),
        ("def f(a):\n    def g(n):\n        R = 0.29\n    return int(a * R * 100)", 0),
        ("def f(a, b):\n    def g(a, b):\n        return int(a / b * 100)\n    return g(a, b)", 1),
        ("async def f(a, b):\n    return int(a / b * 100)", 1),
        ("def f(a, b):\n    return int(a / b * 100) + int(a / b * 100)", 1),
        ("def f(a, b):\n    return int(a / b * 100) + int(b / a * 100)", 2),
        ("def f(a, b):\n" + "    int(a)\n" * 19 + "    return int(a / b * 100)", 1),
        ("def f(a, b):\n" + "    int(a)\n" * 20 + "    return int(a / b * 100)", 0),
    ],
)
def test_a_name_stands_for_what_it_is_set_to_in_its_function_once_or_in_the_module(code: str, signs: int) -> None:
    assert len(inexact_signs(code)) == signs


@pytest.mark.parametrize(
    "exact",
    [
        *("import decimal", "import fractions as f", "from decimal import getcontext", "from fractions import gcd"),
        *("x = Decimal(1)", "x = numbers.Fraction"),
    ],
)
def test_a_program_that_knows_exact_numbers_is_left_alone(exact: str) -> None:
    assert inexact_signs(f"import os\nfrom re import match\n{CUT}")
    assert inexact_signs(f"{exact}\n{CUT}") == ()
