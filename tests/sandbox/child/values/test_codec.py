"""Plain values come out of the codec as they went in, exact types included."""

from __future__ import annotations

import datetime
import json
import math
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.child.values.codec import DecodeError, ValueCodec
from sandbox.child.values.shared import SharedContainers


def _refuse(value: Any) -> Any:
    raise TypeError(type(value).__name__)


def crossed(value: Any) -> Any:
    """`value`, encoded on one side and decoded on another."""
    there = ValueCodec(SharedContainers(0), _refuse, {})
    here = ValueCodec(SharedContainers(1), _refuse, {"g": lambda names: {"list": list}[names]})
    return here.decode(json.loads(json.dumps(there.encode(value))))


def same(a: Any, b: Any) -> bool:
    """Equal all the way down, and of the same types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)
    if isinstance(a, dict):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a.items(), b.items(), strict=True))
    if isinstance(a, list | tuple | deque):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.decimals(allow_nan=False)
    | st.complex_numbers(allow_nan=False) | st.fractions() | st.dates() | st.datetimes() | st.times() | st.timedeltas()
    | st.uuids()
)  # fmt: skip
KEYS = st.none() | st.booleans() | st.integers() | st.text() | st.tuples(st.integers(), st.text())
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(KEYS, inner)
        | st.tuples(inner, inner)
        | st.sets(KEYS)
        | st.frozensets(KEYS)
        | st.lists(inner).map(deque)
    ),
    max_leaves=20,
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_values_come_out_as_they_went_in(value):
    assert same(crossed(value), value)


@pytest.mark.parametrize(
    "value",
    [
        2**100000,
        -(2**5000),
        -0.0,
        math.inf,
        "\ud800",
        b"\x00" * 10000,
        bytearray(b"ab"),
        range(1, 9, 2),
        slice(1, None, 2),
        ...,
        Counter("aab"),
        OrderedDict(b=1, a=2),
        deque([1], maxlen=2),
        Decimal("1.10"),
        Fraction(1, 3),
        uuid.UUID(int=7),
        Path("a/b"),
        PurePosixPath("a"),
        datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2), "X")),
        {1: {2: (3, [4, {5}])}},
        [[]] * 3,
    ],
    ids=lambda value: type(value).__name__,
)
def test_special_values_come_out_as_they_went_in(value):
    assert same(crossed(value), value)


def test_a_default_dict_keeps_filling_itself():
    there = ValueCodec(SharedContainers(0), lambda _: {"g": "list"}, {})
    here = ValueCodec(SharedContainers(1), _refuse, {"g": lambda _: list})
    made = here.decode(json.loads(json.dumps(there.encode(defaultdict(list, a=[1])))))
    assert made["new"] == []
    assert made["a"] == [1]


def test_one_list_in_two_places_stays_one():
    row = [0]
    grid = crossed([row, row])
    assert grid[0] is grid[1]


def test_a_list_that_holds_itself_crosses():
    loop: list[Any] = []
    loop.append(loop)
    made = crossed(loop)
    assert made[0] is made


def test_a_subclass_is_never_taken_for_its_builtin():
    for kind in (int, str, float, list, dict, tuple):
        with pytest.raises(TypeError):
            crossed(type("Sub", (kind,), {})())


@pytest.mark.parametrize("data", [{"no such tag": 1}, {}, {"t": 1}, {"@": 9}, {"-": ["z", None, []]}, {"i": "x"}])
def test_what_is_no_encoding_is_refused(data):
    with pytest.raises((DecodeError, KeyError, TypeError, ValueError)):
        ValueCodec(SharedContainers(0), _refuse, {}).decode(data)
