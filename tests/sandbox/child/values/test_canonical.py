"""Equal values give equal text, and the text tells values apart; so outputs of two programs can be compared."""

# ruff: noqa: E501 - tables with short lines
from __future__ import annotations

import array
import enum
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sandbox.child.values.canonical import Opaque, canonical
from tests.tables import in_one_test


class Point(NamedTuple):
    x: int
    y: set[int]


class Suit(enum.Enum):
    CLUBS = 1


@dataclass
class Card:
    suit: Suit
    seen: list[int] = field(default_factory=list[int], repr=False)
    made: int = field(default=0, init=False)


KEYS = {"b": 1, "a": 2}
TEXTS: list[tuple[Any, str]] = [
    (None, "None"), (True, "True"), (-0.0, "-0.0"), (1e300, "1e+300"), ("é\n", "'é\\n'"), (b"\xff", "b'\\xff'"),
    (..., "Ellipsis"), (range(3), "range(0, 3)"), (slice(1, None), "slice(1, None, None)"), (1 + 2j, "(1+2j)"),
    (2**3998, str(2**3998)), (2**3999, hex(2**3999)), (bytearray(b"a"), "bytearray(b'a')"),
    ([1, [2]], "[1, [2]]"), ((), "()"), ((1,), "(1,)"), ((1, 2), "(1, 2)"),
    (set(), "set()"), ({2, 10, 1}, "{1, 10, 2}"), (frozenset(), "frozenset()"), (frozenset((2, 1)), "frozenset({1, 2})"),
    (KEYS, "{'a': 2, 'b': 1}"), (defaultdict(int, KEYS), "{'a': 2, 'b': 1}"),
    (OrderedDict(KEYS), "OrderedDict({'b': 1, 'a': 2})"), (Counter("ab"), "Counter({'a': 1, 'b': 1})"),
    (deque([2, 1]), "deque([2, 1])"), (KEYS.keys(), "{'a', 'b'}"), (KEYS.values(), "[1, 2]"),
    (KEYS.items(), "{('a', 2), ('b', 1)}"), ({}.keys(), "set()"),
    (iter([1, 2]), "iterator([1, 2])"), (map(str, (1, 2)), "iterator(['1', '2'])"), ((x for x in "ab"), "iterator(['a', 'b'])"),
    (Suit.CLUBS, "Suit.CLUBS"), (KeyError("a", {2, 1}), "KeyError('a', {1, 2})"), (Point(1, {2, 1}), "Point(x=1, y={1, 2})"),
    (Card(Suit.CLUBS), "Card(suit=Suit.CLUBS)"), (Path("/a"), "Path('/a')"), (Decimal("1.0"), "Decimal('1.0')"),
    (date(2024, 2, 29), "datetime.date(2024, 2, 29)"), (array.array("i", [1]), "array('i', [1])"),
]  # fmt: skip


@in_one_test("value, text", TEXTS)
def test_each_kind_of_value_has_its_text(value: Any, text: str) -> None:
    assert canonical(value) == text


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def round_and_round(value: Any) -> Any:
    if isinstance(value, BaseException):
        value.args = (value,)
    elif isinstance(value, list):
        value.append(value)
    else:
        value.seen = value.suit = value
    return value


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (object(), "object"), (memoryview(b"a"), "memoryview"), (print, "builtin"), (count(), "count"),
        (iter([0] * 10_001), "endless"), ("a" * ((1 << 20) - 1), "too long"), (nested(101), "too deep"),
        *((round_and_round(value), "too deep") for value in ([], ValueError(), Card(Suit.CLUBS))),
    ],
    ids=["object", "memory", "function", "lazy", "endless", "long", "deep", "list", "exception", "dataclass"],
)  # fmt: skip
def test_what_has_no_text_is_opaque(value: Any, why: str) -> None:
    with pytest.raises(Opaque, match=why):
        canonical(value)


def test_as_much_as_is_allowed_has_a_text() -> None:
    assert canonical(nested(100)) == "[" * 100 + "1" + "]" * 100
    assert canonical(iter([0] * 10_000)).count("0") == 10_000
    assert len(canonical("a" * ((1 << 20) - 2))) == 1 << 20


def test_arrays_and_numbers_of_numpy_are_told_by_their_values_and_kind() -> None:
    if "numpy" not in sys.modules:
        pytest.importorskip("numpy")
    numpy: Any = sys.modules["numpy"]
    assert canonical(numpy.array([[1, 2]])) == "array([[1, 2]], dtype=int64)"
    assert canonical([numpy.float64(1.5), numpy.bool_(True)]) == "[1.5, True]"
    assert "2024-02-29" in canonical(numpy.datetime64("2024-02-29"))
