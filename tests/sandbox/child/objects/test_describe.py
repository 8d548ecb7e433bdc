"""Which classes and functions both processes have, and how instances of any other class cross."""

# ruff: noqa: E501 - tables with short lines
from __future__ import annotations

import asyncio
import collections
import enum
import json
import math
import operator
import os
import string
import subprocess
import time
import types
import typing
import unittest.case
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from sandbox.child.objects.describe import (
    is_installed,
    is_known,
    is_standard,
    kind_of,
    known_function,
    name_of_class,
    native_parts,
    special_of,
    value_base,
)


class Point(NamedTuple):
    x: int
    y: int


class Own: ...


class OwnError(ValueError): ...


class Whole(int): ...


class Few(frozenset[int]): ...


class Meta(type): ...


class Suit(enum.Enum):
    CLUBS = 1


class Shelf(list[int]): ...


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        (int, ["builtins", "int"]), (collections.deque, ["collections", "deque"]), (ValueError, ["builtins", "ValueError"]),
        (json.JSONDecodeError, ["json.decoder", "JSONDecodeError"]),
        (subprocess.TimeoutExpired, ["subprocess", "TimeoutExpired"]),
        (asyncio.QueueEmpty, ["asyncio.queues", "QueueEmpty"]), (types.FunctionType, ["types", "LambdaType"]),
        (types.SimpleNamespace, ["types", "SimpleNamespace"]), (typing.Generic, ["typing", "Generic"]),
        (unittest.case._ShouldStop, None), (subprocess.Popen, None), (string.Formatter, None), (Own, None),  # pyright: ignore[reportAttributeAccessIssue]
        (OwnError, None), (type("int", (), {"__module__": "builtins"}), None),
    ],
)  # fmt: skip
def test_both_processes_have_values_of_python_and_its_public_exceptions(cls: type, name: list[str] | None) -> None:
    assert name_of_class(cls) == name
    assert is_known(cls) is (name is not None)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (len, ["builtins", "len"]), (math.sqrt, ["math", "sqrt"]), (operator.add, ["_operator", "add"]),
        (json.dumps, ["json", "dumps"]), (str.upper, ["builtins", "str.upper"]),
        (dict.fromkeys, ["builtins", "dict.fromkeys"]), (eval, None), (print, None), (os.getcwd, None), (time.sleep, None),
        (object.__reduce__, None), (kind_of, None), (len.__call__, None), ("len", None), (int, None),
    ],
)  # fmt: skip
def test_functions_of_python_that_only_compute_are_the_same_in_both(function: Any, name: list[str] | None) -> None:
    assert known_function(function) == name


def test_a_function_that_claims_a_name_of_python_is_none() -> None:
    def own() -> None: ...

    function: Any = own
    function.__module__, function.__qualname__ = "math", "sqrt"
    assert known_function(own) is None
    function.__module__ = 3
    assert known_function(own) is None


@pytest.mark.parametrize(
    ("cls", "kind"),
    [
        (Meta, "meta"), (OwnError, "exception"), (Suit, "enum"), (Shelf, "container"), (Whole, "value"), (Few, "value"),
        (Point, "value"), (Own, "object"), (time.struct_time, "object"), (os.stat_result, "object"),
    ],
)  # fmt: skip
def test_instances_cross_as_what_their_class_derives_from(cls: type, kind: str) -> None:
    assert kind_of(cls) == kind


@pytest.mark.parametrize(
    ("value", "base", "parts"),
    [(Whole(3), int, (3,)), (Few((3,)), frozenset, [[3]]), (Point(1, 2), tuple, ((1, 2),))],
)
def test_a_value_is_made_anew_of_its_builtin(value: Any, base: type, parts: Any) -> None:
    cls: Any = type(value)
    assert value_base(cls) is base
    assert native_parts(value) == parts


def test_modules_of_python_and_of_packages_are_told_from_the_programs() -> None:
    assert [is_standard(name) for name in ("json.decoder", "antigravity", "this", "__main__", "solution")] == [
        True, False, False, False, False,
    ]  # fmt: skip
    assert [is_installed(name) for name in ("json", "pytest", "pytest.mark", "solution")] == [True, True, True, False]


@dataclass
class Counted:
    n: int

    def __len__(self) -> int:
        return self.n


def test_a_special_method_is_found_as_the_interpreter_finds_it() -> None:
    thing: Any = Counted(2)
    thing.__dict__["__len__"] = lambda: 9
    assert special_of(thing, "__len__")() == 2
    assert special_of(thing, "__hash__") is None
    with pytest.raises(AttributeError, match="__iter__"):
        special_of(thing, "__iter__")
