"""Standard value types that cross by value; the module of a type is only touched once such a value appears."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, cast

Writer = Callable[[Any], list[Any]]
Reader = Callable[[list[Any]], Any]
Table = dict[str, tuple[Writer, Reader]]
"""Name of a type within its module -> how it is taken apart and put together."""


def _read_moment(pieces: list[Any]) -> Any:
    *stamp, zone, fold = pieces
    return _load("datetime").datetime(*stamp, tzinfo=zone, fold=fold)


def _read_time(pieces: list[Any]) -> Any:
    *clock, zone, fold = pieces
    return _load("datetime").time(*clock, tzinfo=zone, fold=fold)


def _read_timezone(pieces: list[Any]) -> Any:
    offset, name = pieces
    made = _load("datetime").timezone
    return made(offset) if name is None else made(offset, name)


def _timezone(value: Any) -> list[Any]:
    name = value.tzname(None)
    return [value.utcoffset(None), None if name.startswith("UTC") else name]


def _moment(value: Any) -> list[Any]:
    stamp = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
    return [*stamp, value.tzinfo, value.fold]


def _read_array(pieces: list[Any]) -> Any:
    made = _load("array").array(pieces[0])
    made.frombytes(pieces[1])
    return made


def _load(module: str) -> Any:
    return importlib.import_module(module)


TABLES: dict[str, Table] = {
    "datetime": {
        "datetime": (_moment, _read_moment),
        "date": (lambda v: [v.year, v.month, v.day], lambda p: _load("datetime").date(*p)),
        "time": (lambda v: [v.hour, v.minute, v.second, v.microsecond, v.tzinfo, v.fold], _read_time),
        "timedelta": (lambda v: [v.days, v.seconds, v.microseconds], lambda p: _load("datetime").timedelta(*p)),
        "timezone": (_timezone, _read_timezone),
    },
    "decimal": {"Decimal": (lambda v: [str(v)], lambda p: _load("decimal").Decimal(p[0]))},
    "fractions": {"Fraction": (lambda v: [v.numerator, v.denominator], lambda p: _load("fractions").Fraction(*p))},
    "uuid": {"UUID": (lambda v: [v.hex], lambda p: _load("uuid").UUID(p[0]))},
    "zoneinfo": {"ZoneInfo": (lambda v: [v.key], lambda p: _load("zoneinfo").ZoneInfo(p[0]))},
    "pathlib": {
        "PosixPath": (lambda v: [str(v)], lambda p: _load("pathlib").Path(p[0])),
        "WindowsPath": (lambda v: [str(v)], lambda p: _load("pathlib").Path(p[0])),
        "PurePosixPath": (lambda v: [str(v)], lambda p: _load("pathlib").PurePosixPath(p[0])),
        "PureWindowsPath": (lambda v: [str(v)], lambda p: _load("pathlib").PureWindowsPath(p[0])),
    },
    "re": {"Pattern": (lambda v: [v.pattern, v.flags], lambda p: _load("re").compile(p[0], p[1]))},
    "array": {"array": (lambda v: [v.typecode, v.tobytes()], _read_array)},
    "builtins": {
        "complex": (lambda v: [v.real, v.imag], lambda p: complex(p[0], p[1])),
        "range": (lambda v: [v.start, v.stop, v.step], lambda p: range(*p)),
        "slice": (lambda v: [v.start, v.stop, v.step], lambda p: slice(*p)),
        "ellipsis": (lambda _: [], lambda _: ...),
        "NotImplementedType": (lambda _: [], lambda _: NotImplemented),
        "memoryview": (lambda v: [v.tobytes()], lambda p: memoryview(p[0])),
        "dict_keys": (lambda v: [list(v)], lambda p: dict.fromkeys(p[0]).keys()),
        "dict_values": (lambda v: [list(v)], lambda p: dict(enumerate(cast(list[Any], p[0]))).values()),
        "dict_items": (lambda v: [list(v)], lambda p: dict(p[0]).items()),
    },
}


def writer_for(kind: type) -> tuple[str, Writer] | None:
    """Tag and writer of a value type; None for any other class, also one that only bears such a name."""
    module, name = kind.__module__, kind.__qualname__
    found = TABLES.get(module, {}).get(name)
    if found is None:
        return None
    genuine = module == "builtins" or getattr(_load(module), name, None) is kind
    return (f"{module}.{name}", found[0]) if genuine else None


def reader_for(tag: str) -> Reader:
    """Raises KeyError for an unknown tag."""
    module, _, name = tag.partition(".")
    return TABLES[module][name][1]
