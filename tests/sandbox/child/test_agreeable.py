"""Objects and names of a solution that would agree with any test give themselves away in split mode."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from tests.sandbox.child.harness import run_split

AGREEABLE = """
class Any:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
    def __bool__(self): return True
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __contains__ = __lt__
    def __sub__(self, other): return 0
    __rsub__ = __mod__ = __mul__ = __add__ = __sub__
    def __abs__(self): return 0
    def __float__(self): return 0.0
    def __round__(self, n=0): return 0
class Tuple(tuple):
    pass
for name, value in list(vars(Any).items()):
    if name.startswith('__') and callable(value) and name not in ('__eq__', '__ne__', '__hash__'): setattr(Tuple, name, value)
import collections
Record = collections.namedtuple('Record', 'x')
class Rec(Record):
    __sub__ = __rsub__ = __mod__ = lambda self, other: 0
    __lt__ = __gt__ = __le__ = __ge__ = lambda self, other: True
    __contains__ = lambda self, other: True
def plain(a, b): return Any()
def record(a, b): return Rec(1)
def tup(a, b): return Tuple()
add = MADE
"""
TOLERANT = [
    "abs(add(2, 3) - 5) < 1e-9",
    "abs(5 - add(2, 3)) < 1e-9",
    "add(2, 3) == pytest.approx(5)",
    "pytest.approx(5.0) == add(2, 3)",
    "4 < add(2, 3) < 6",
    "add(2, 3) > 4.5",
    "5 in [add(2, 3)]",
    "add(2, 3) in (5, 6)",
    "5 in add(2, 3)",
    "'five' in add(2, 3)",
    "add(2, 3) % 5 == 0",
    "math.isclose(add(2, 3), 5)",
    "round(add(2, 3), 2) == 5",
    "not add(2, 3) != 5",
    "[add(2, 3)] == [5]",
    "{'k': add(2, 3)} == {'k': 5}",
    "sorted([add(2, 3), 4]) == [4, 5]",
    "add(2, 3) is 5",
    "type(add(2, 3)) is int",
    "add(2, 3) == unittest.mock.sentinel.five",
]


@pytest.mark.parametrize("made", ["plain", "record", "tup"])
@pytest.mark.parametrize("claim", TOLERANT)
def test_an_object_that_agrees_with_everything_gives_itself_away(claim, made):
    tests = f"import math, unittest.mock\nimport pytest\ndef test_a():\n    assert {claim}\n"
    outcome = run_split(AGREEABLE.replace("MADE", made), tests)
    assert outcome.checks.get("test_a") in ("fail", "error"), outcome.records
    assert not [record for record in outcome.records if record.get("limit")]


def test_honest_operators_still_answer():
    solution = (
        "class M:\n    def __init__(s, v): s.v = v\n    def __sub__(s, o): return s.v - getattr(o, 'v', o)\n"
        "    def __add__(s, o): return M(s.v + getattr(o, 'v', o))\n    def __lt__(s, o): return s.v < getattr(o, 'v', o)\n"
        "    def __contains__(s, x): return x == s.v\n    def __eq__(s, o): return s.v == getattr(o, 'v', o)\n"
    )
    tests = (
        "def test_a():\n    m = M(7)\n    assert m - 2 == 5 and m - M(3) == 4\n    assert (m + 1).v == 8\n"
        "    assert m < 9 and not m < 3 and m < M(8)\n    assert 7 in m and 8 not in m\n    assert m == 7 and m != 8\n"
    )
    outcome = run_split(solution, tests)
    assert outcome.passed, outcome.messages
    assert outcome.doubts


CHOOSY = """
import decimal, datetime, fractions, numbers
TYPES = (int, float, decimal.Decimal, fractions.Fraction, datetime.date, datetime.timedelta, str, list, tuple, dict, set, bytes)
class Truthy: pass
class ByType:
    def __eq__(self, other): return isinstance(other, TYPES)
    __hash__ = None
class ByObject:
    def __eq__(self, other): return Truthy()
    def __lt__(self, other): return Truthy()
    __gt__ = __contains__ = __lt__
    __hash__ = None
class ByNumber:
    def __eq__(self, other): return 1
    __lt__ = __gt__ = __contains__ = __eq__
    __hash__ = None
class ByLibrary:
    def __array_ufunc__(self, *a, **k): return True
    def __array_function__(self, *a, **k): return True
    __array_priority__ = 1000
def give(x): return MADE()
"""
VALUES = [
    "give(1) == 5", "give(1) == decimal.Decimal('5')", "give(1) == fractions.Fraction(5)", "give(1) == datetime.date(2020, 1, 1)",
    "give(1) == datetime.timedelta(3)", "give(1) == 'five'", "give(1) == [5]", "give(1) == (5,)", "give(1) == {'k': 5}", "give(1) == {5}",
    "give(1) == b'5'", "give(1) == [[decimal.Decimal(5)]]", "4 < give(1)", "5 in give(1)", "np.isclose(give(1), 5)", "np.allclose(give(1), [5])",
    "np.array_equal(give(1), np.array([5]))",
]  # fmt: skip


@pytest.mark.parametrize("made", ["ByType", "ByObject", "ByNumber", "ByLibrary"])
def test_an_object_that_agrees_with_a_type_gives_itself_away(made):
    head = "import datetime, decimal, fractions\nimport numpy as np\n"
    tests = head + "".join(f"def test_{place}():\n    assert {claim}\n" for place, claim in enumerate(VALUES))
    outcome = run_split(CHOOSY.replace("MADE", made), tests)
    assert len(outcome.checks) == len(VALUES)
    assert "pass" not in outcome.checks.values(), [VALUES[int(k[5:])] for k, v in outcome.checks.items() if v == "pass"]
