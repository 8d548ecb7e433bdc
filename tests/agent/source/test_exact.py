"""The exact twin of a program gives what exact arithmetic gives, and otherwise what the program gives."""

from __future__ import annotations

from typing import Any

import pytest

from agent.source.exact import exact_twin

SQUARE = "def f(n):\n    return int(n ** 0.5) ** 2 == n\n"
ROOT = "import math as m\ndef f(n):\n    root = m.sqrt(n)\n    return root == int(root)\n"
DIGITS = "from math import log10\ndef f(n):\n    return int(log10(n)) + 1\n"
POWER = "import math\ndef f(n):\n    return math.log(n, 3).is_integer()\n"
CUBE = "def f(n):\n    return int(n ** (1 / 3))\n"
TRIANGLE = "from __future__ import annotations\ndef f(n):\n    return int(n * (n + 1) / 2)\n"
TENTH = "def f(n):\n    n /= 10\n    return int(n)\n"


def answer(code: str, number: int) -> Any:
    names: dict[str, Any] = {}
    exec(code, names)
    return names["f"](number)


@pytest.mark.parametrize(
    ("code", "number", "rough", "exact", "told"),
    [
        (SQUARE, (10**20 + 39) ** 2, False, True, "n ** 0.5"),
        (ROOT, (2**27 + 1) ** 2 - 1, True, False, "m.sqrt(n)"),
        (DIGITS, 10**15 - 1, 16, 15, "log10(n)"),
        (POWER, 243, False, True, "math.log(n, 3)"),
        (CUBE, 125, 4, 5, "n ** (1 / 3)"),
        (TRIANGLE, 10**9 + 7, 500000007500000000, 500000007500000028, "n * (n + 1) / 2"),
        (TENTH, 10**18 - 1, 10**17, 10**17 - 1, "n /= 10"),
    ],
)
def test_the_twin_is_right_where_floats_are_wrong(code: str, number: int, rough: Any, exact: Any, told: str) -> None:
    twin, replaced = exact_twin(code)
    assert replaced == (told,)
    assert (answer(code, number), answer(twin, number)) == (rough, exact)


@pytest.mark.parametrize("code", [SQUARE, ROOT, DIGITS, CUBE, TRIANGLE])
def test_the_twin_gives_the_same_for_small_numbers_but_where_the_float_is_wrong(code: str) -> None:
    twin, _ = exact_twin(code)
    wrong = [n for n in range(1, 300) if code is CUBE and round(n ** (1 / 3)) ** 3 == n]
    assert all(answer(code, n) == answer(twin, n) for n in range(1, 300) if n not in wrong)


def test_what_is_no_whole_number_is_computed_as_before() -> None:
    answers = "math.sqrt(2.5), 7 / 2, Path('a') / 'b', n ** 0.5"
    code = f"import math\nfrom pathlib import Path\ndef f(n):\n    return {answers}\n"
    assert answer(exact_twin(code)[0], 2) == answer(code, 2)
    with pytest.raises(ValueError, match="domain"):
        answer(exact_twin(ROOT)[0], -1)


@pytest.mark.parametrize(
    "code", ["def f(n):\n    return n // 2 + n % 3\n", "def sqrt(n):\n    return sqrt(n)\n", "def (", ""]
)
def test_a_program_without_rounding_has_no_twin(code: str) -> None:
    assert exact_twin(code) == ("", ())
