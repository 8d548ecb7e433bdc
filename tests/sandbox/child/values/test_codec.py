"""Plain values come out of the codec as they went in, exact types included."""

from __future__ import annotations

import contextlib
import contextvars
import datetime
import ipaddress
import json
import math
import re
import sqlite3
import time
import types
import typing
import urllib.parse
import uuid
import zoneinfo
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.child.values.codec import DecodeError, ValueCodec
from sandbox.child.values.shared import SharedContainers
from tests.tables import in_one_test


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


@in_one_test(
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
        NotImplemented,
        contextvars.Token.MISSING,
        typing.ForwardRef("Node"),
        memoryview(b"ab"),
        types.MappingProxyType({1: 2}),
        {1: 2, 3: 4}.keys(),
        {1: 2, 3: 4}.items(),
        OrderedDict({1: 2, 3: 4}).keys(),
        OrderedDict({1: 2, 3: 4}).items(),
        re.compile("a.b", re.DOTALL),
        zoneinfo.ZoneInfo("Europe/Berlin"),
        ipaddress.ip_address("10.0.0.1"),
        ipaddress.ip_network("10.0.0.0/8"),
        ipaddress.ip_interface("10.0.0.1/8"),
        ipaddress.ip_address("::1"),
        ipaddress.ip_network("::/8"),
        ipaddress.ip_interface("::1/8"),
        PureWindowsPath("a\\b"),
        time.gmtime(0),
        urllib.parse.urlparse("http://a.b/c?d#e"),
        urllib.parse.urlsplit("http://a.b/c?d#e"),
        urllib.parse.urldefrag("http://a.b/c?d#e"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_special_values_come_out_as_they_went_in(value):
    assert same(crossed(value), value)


@pytest.mark.parametrize("kind", [dict, OrderedDict])
def test_the_values_of_a_dict_come_out_in_their_order(kind: Any) -> None:
    values = kind({1: "a", 2: "b", 3: "a"}).values()
    assert (list(crossed(values)), type(crossed(values))) == (["a", "b", "a"], type(values))


@pytest.mark.parametrize(
    "match",
    [
        re.compile("(b)(x)?").search("abcb"), re.compile("b").search("abcb", 2, 4), re.compile("b+").match("abb", 1),
        re.compile("b+?").fullmatch("abb", 1), re.compile("^|b").search("abcb", 1),
    ],
)  # fmt: skip
def test_a_match_comes_out_as_it_was_found(match: Any) -> None:
    made = crossed(match)
    assert (made.regs, made.pos, made.string, made.re) == (match.regs, match.pos, match.string, match.re)


def test_a_match_of_several_comes_out_where_it_was_found() -> None:
    assert [crossed(match).span() for match in re.finditer("b", "abcb")] == [(1, 2), (3, 4)]


def test_a_match_that_is_none_is_refused() -> None:
    pattern = ValueCodec(SharedContainers(0), _refuse, {}).encode(re.compile("b"))
    with pytest.raises(ValueError, match="a match that is none"):
        ValueCodec(SharedContainers(1), _refuse, {}).decode({"re.Match": [pattern, "abc", 0, 3, [{"t": [0, 1]}]]})


def test_a_row_of_a_database_keeps_its_columns() -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.row_factory = sqlite3.Row
        row = database.execute('select 1 as a, \'x\' as "b""c"').fetchone()
    made = crossed(row)
    assert (type(made), dict(made)) == (sqlite3.Row, {"a": 1, 'b"c': "x"})


def test_a_class_that_bears_a_known_name_is_no_value_of_that_name() -> None:
    posing = type("Decimal", (), {"__module__": "decimal"})
    with pytest.raises(TypeError, match="Decimal"):
        crossed(posing())


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
