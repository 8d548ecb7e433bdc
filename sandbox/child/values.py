"""Standard value types that cross by value: how each is taken apart and put together again."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PosixPath, PurePath, PurePosixPath
from typing import Any, cast
from uuid import UUID
from zoneinfo import ZoneInfo

Writer = Callable[[Any], tuple[str, list[Any]]]
Reader = Callable[[list[Any]], Any]


def _moment(value: datetime) -> tuple[str, list[Any]]:
    stamp = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
    return "datetime", [*stamp, value.tzinfo, value.fold]


def _read_moment(pieces: list[Any]) -> datetime:
    *stamp, zone, fold = pieces
    return datetime(*stamp, tzinfo=zone, fold=fold)


def _read_time(pieces: list[Any]) -> time:
    *clock, zone, fold = pieces
    return time(*clock, tzinfo=zone, fold=fold)


def _read_timezone(pieces: list[Any]) -> timezone:
    offset, name = pieces
    return timezone(offset) if name is None else timezone(offset, name)


def _timezone_name(value: timezone) -> str | None:
    name = value.tzname(None)
    return None if name.startswith("UTC") else name


def _complex(pieces: list[Any]) -> complex:
    real, imaginary = pieces
    return complex(real, imaginary)


def _array(pieces: list[Any]) -> Any:
    made = cast(Any, array)(pieces[0])
    made.frombytes(pieces[1])
    return made


_KEYED: dict[Any, Any] = {}
WRITERS: dict[type, Writer] = {
    complex: lambda v: ("complex", [v.real, v.imag]),
    range: lambda v: ("range", [v.start, v.stop, v.step]),
    slice: lambda v: ("slice", [v.start, v.stop, v.step]),
    type(...): lambda _: ("ellipsis", []),
    type(NotImplemented): lambda _: ("notimplemented", []),
    Decimal: lambda v: ("decimal", [str(v)]),
    Fraction: lambda v: ("fraction", [v.numerator, v.denominator]),
    datetime: _moment,
    date: lambda v: ("date", [v.year, v.month, v.day]),
    time: lambda v: ("time", [v.hour, v.minute, v.second, v.microsecond, v.tzinfo, v.fold]),
    timedelta: lambda v: ("timedelta", [v.days, v.seconds, v.microseconds]),
    timezone: lambda v: ("timezone", [v.utcoffset(None), _timezone_name(v)]),
    ZoneInfo: lambda v: ("zone", [v.key]),
    UUID: lambda v: ("uuid", [v.hex]),
    PosixPath: lambda v: ("path", [str(v)]),
    PurePosixPath: lambda v: ("purepath", [str(v)]),
    re.Pattern: lambda v: ("pattern", [v.pattern, v.flags]),
    array: lambda v: ("array", [v.typecode, v.tobytes()]),
    memoryview: lambda v: ("memory", [v.tobytes()]),
    type(_KEYED.keys()): lambda v: ("keys", [list(v)]),
    type(_KEYED.values()): lambda v: ("values", [list(v)]),
    type(_KEYED.items()): lambda v: ("items", [list(v)]),
}
READERS: dict[str, Reader] = {
    "complex": _complex,
    "range": lambda p: range(*p),
    "slice": lambda p: slice(*p),
    "ellipsis": lambda _: ...,
    "notimplemented": lambda _: NotImplemented,
    "decimal": lambda p: Decimal(p[0]),
    "fraction": lambda p: Fraction(p[0], p[1]),
    "datetime": _read_moment,
    "date": lambda p: date(*p),
    "time": _read_time,
    "timedelta": lambda p: timedelta(*p),
    "timezone": _read_timezone,
    "zone": lambda p: ZoneInfo(p[0]),
    "uuid": lambda p: UUID(p[0]),
    "path": lambda p: Path(p[0]),
    "purepath": lambda p: PurePath(p[0]),
    "pattern": lambda p: re.compile(p[0], p[1]),
    "array": _array,
    "memory": lambda p: memoryview(p[0]),
    "keys": lambda p: dict.fromkeys(p[0]).keys(),
    "values": lambda p: dict(enumerate(cast(list[Any], p[0]))).values(),
    "items": lambda p: dict(p[0]).items(),
}
