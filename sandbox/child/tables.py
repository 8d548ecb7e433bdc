"""pandas tables, columns, indexes and moments by value; pandas is only ever touched where it was imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any, cast

Parts = tuple[str, list[Any]]


def take_apart(value: Any) -> Parts | None:
    """Tag and parts of a value of pandas; None for anything else."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is None or type(value).__module__.partition(".")[0] != "pandas":
        return None
    kind: Any = cast(Any, type(value))
    if kind is pandas.DataFrame:
        columns = [_column(value.iloc[:, place]) for place in range(value.shape[1])]
        return "frame", [value.columns, value.index, columns]
    if kind is pandas.Series:
        return "series", [_column(value), value.index, value.name]
    if isinstance(value, pandas.Index):
        return _index(value, pandas)
    return _moment(value, pandas)


def _column(series: Any) -> list[Any]:
    """[dtype, values]: an array where numpy can hold them, else a list of objects."""
    dtype = str(series.dtype)
    if type(series.dtype).__module__.startswith("numpy") and series.dtype.kind != "O":
        return [dtype, series.to_numpy()]
    if dtype == "category":
        return [dtype, [series.cat.codes.to_numpy(), series.cat.categories, bool(series.cat.ordered)]]
    items = series.astype(object)
    return [dtype, [None if missing else item for item, missing in zip(items, items.isna(), strict=True)]]


def _index(value: Any, pandas: Any) -> Parts:
    if isinstance(value, pandas.MultiIndex):
        return "levels", [value.tolist(), list(value.names)]
    if isinstance(value, pandas.RangeIndex):
        return "range", [value.start, value.stop, value.step, value.name]
    frequency = getattr(value, "freqstr", None)
    return "index", [_column(value.to_series()), value.name, frequency]


def _moment(value: Any, pandas: Any) -> Parts | None:
    if value is pandas.NaT:
        return "nat", []
    if value is pandas.NA:
        return "na", []
    if isinstance(value, pandas.Timestamp):
        return "timestamp", [value.isoformat(), None if value.tz is None else str(value.tz), value.unit]
    if isinstance(value, pandas.Timedelta):
        return "timedelta", [int(value.asm8.view("i8")), value.unit]
    return None


def put_together(tag: str, parts: list[Any]) -> Any:
    """The value of these parts. Raises KeyError, TypeError or ValueError for parts that make none."""
    pandas: Any = importlib.import_module("pandas")
    if tag == "frame":
        columns, index, values = parts
        frame = pandas.DataFrame({place: _series(told, pandas).array for place, told in enumerate(values)}, index=index)
        frame.columns = columns
        return frame
    if tag == "series":
        return pandas.Series(_series(parts[0], pandas).array, index=parts[1], name=parts[2])
    return _BUILT[tag](pandas, parts)


def _series(told: list[Any], pandas: Any) -> Any:
    dtype, values = told
    if dtype == "category":
        codes, categories, ordered = values
        return pandas.Series(pandas.Categorical.from_codes(codes, categories, ordered=ordered))
    return pandas.Series(values, dtype=str(dtype))


def _read_index(pandas: Any, parts: list[Any]) -> Any:
    made = pandas.Index(_series(parts[0], pandas).array, name=parts[1])
    if parts[2] is not None:
        made.freq = str(parts[2])
    return made


def _read_timestamp(pandas: Any, parts: list[Any]) -> Any:
    text, zone, unit = parts
    made = pandas.Timestamp(str(text))
    return (made if zone is None else made.tz_convert(str(zone))).as_unit(str(unit))


def _read_levels(pandas: Any, parts: list[Any]) -> Any:
    return pandas.MultiIndex.from_tuples(parts[0], names=parts[1])


def _read_range(pandas: Any, parts: list[Any]) -> Any:
    start, stop, step, name = parts
    return pandas.RangeIndex(start, stop, step, name=name)


def _read_timedelta(pandas: Any, parts: list[Any]) -> Any:
    number, unit = parts
    return pandas.Timedelta(number, unit=str(unit)).as_unit(str(unit))


_BUILT: dict[str, Callable[[Any, list[Any]], Any]] = {
    "levels": _read_levels,
    "range": _read_range,
    "index": _read_index,
    "nat": lambda pandas, _: pandas.NaT,
    "na": lambda pandas, _: pandas.NA,
    "timestamp": _read_timestamp,
    "timedelta": _read_timedelta,
}
