"""What a call takes from the standard library means the same in every program, whatever the program imports."""

from __future__ import annotations

from typing import Any

import pytest

from agent.source.inputs import split_assert
from agent.source.parsing import expression_of
from agent.source.standard import is_value, value_of, with_imports, with_standard_names
from agent.source.values import same_value

CALLS = [
    ("f(date(2020, 5, 1))", "datetime.date(2020, 5, 1)"),
    ("f(datetime.date(2020, 5, 1))", "datetime.date(2020, 5, 1)"),
    ("f(datetime.strptime('2020', '%Y'))", "datetime.datetime(2020, 1, 1, 0, 0)"),
    ("f([Decimal('1.50'), Fraction(1, 2)])", "[Decimal('1.50'), Fraction(1, 2)]"),
    ("f(timezone.utc)", "datetime.timezone.utc"),
]


@pytest.mark.parametrize(
    "imported",
    ["", "import datetime\n", "from datetime import datetime, date\n", "import datetime as date, decimal as Decimal\n"],
)
@pytest.mark.parametrize(("call", "value"), CALLS)
def test_a_call_gives_the_same_whatever_the_program_imports(imported: str, call: str, value: str) -> None:
    code = f"{imported}def f(given):\n    return given\n"
    names: dict[str, Any] = {}
    exec(code, names)
    assert repr(eval(with_standard_names(call, code), names)) == value


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("f(2)", ""),
        ("f(date(2020, 5, 1))", "from datetime import date\n"),
        ("Counter('a').total()", "class Counter:\n    pass\n"),
        ("date(3)", "def date(days):\n    return days\n"),
        ("f(own(2))", "own = int\n"),
    ],
)
def test_what_the_program_has_or_defines_is_left_to_it(call: str, code: str) -> None:
    assert with_standard_names(call, code) == call


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("date(2020, 5, 1)", True),
        ("{'a': [datetime.timedelta(hours=-3)]}", True),
        ("(Decimal('1'), -1)", True),
        ("Path('a')", False),
        ("made(1)", False),
        ("date(today())", False),
        ("...", False),
    ],
)
def test_dates_and_decimals_are_values(text: str, value: bool) -> None:
    node = expression_of(text)
    assert node is not None
    assert is_value(node) is value


def test_a_check_may_state_a_date() -> None:
    assert split_assert("assert f(date(2020, 1, 1)) == date(2020, 1, 2)") == ("f(date(2020, 1, 1))", "date(2020, 1, 2)")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("date(2020, 5, 1)", "datetime.date(2020, 5, 1)", True),
        ("[Decimal('1.5')]", "[decimal.Decimal('1.50')]", True),
        ("date(2020, 5, 1)", "date(2020, 5, 2)", False),
        ("Decimal('1')", "1", False),
        ("date(2020, 13, 1)", "date(2020, 13, 2)", False),
    ],
)
def test_values_are_compared_however_they_are_spelled(one: str, other: str, same: bool) -> None:
    assert same_value(one, other) is same


@pytest.mark.parametrize("text", ["Fraction('1e999999999')", "-'a'", "date(2020, 13, 1)", "[" * 5000, "open('a')"])
def test_what_costs_too_much_or_means_nothing_is_no_value(text: str) -> None:
    assert value_of(text) is None


TESTS = "def test_it():\n    assert f(datetime.date(2020, 5, 1)) == Decimal('1')\n"


@pytest.mark.parametrize(
    ("tests", "code", "added"),
    [
        (TESTS, "import datetime\n", "from decimal import Decimal\n"),
        (TESTS, "from datetime import datetime\n", "from decimal import Decimal\nimport datetime\n"),
        (TESTS, "from decimal import *\nimport datetime\nclass Decimal: ...\n", ""),
        (f"from decimal import Decimal\nimport datetime\n{TESTS}", "a = 1\n", ""),
        ("def test_it():\n    assert f(2) == 3\n", "a = 1\n", ""),
        ("def test_it():\n    assert _f(2) == _g\n", "def _f(n): ...\n_h = 1\n", "from solution import _f\n"),
        ("from solution import _f\ndef test_it():\n    assert _f(2) == 3\n", "def _f(n): ...\n", ""),
    ],
)
def test_tests_get_the_imports_that_neither_they_nor_the_program_have(tests: str, code: str, added: str) -> None:
    assert with_imports(tests, code) == added + tests


def test_imports_stand_behind_those_of_the_future() -> None:
    future = "from __future__ import annotations\n"
    assert with_imports(future + TESTS, "import datetime\n") == f"{future}from decimal import Decimal\n{TESTS}"
