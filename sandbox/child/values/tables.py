"""Carries pandas tables, columns, indexes and moments by value. Does not touch pandas before it was imported or
a value of it arrives."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any, cast

Parts = tuple[str, list[Any]]


def _pandas() -> Any:
    return importlib.import_module("pandas")


def is_table(kind: type) -> bool:
    """Returns whether this is pandas' own DataFrame or Series."""
    pandas: Any = sys.modules.get("pandas")
    return any(kind is getattr(pandas, name, None) for name in ("DataFrame", "Series"))


def pack(value: Any) -> list[Any]:
    """Returns a DataFrame or Series as a new list of values that cross."""
    if value.ndim == 1:
        return [value.name, value.index, _column(value), None]
    return [value.columns, value.index, *[_column(value.iloc[:, at]) for at in range(value.shape[1])]]


def unpack(parts: list[Any]) -> Any:
    """Returns the DataFrame or Series of these parts. Raises TypeError or ValueError if they make none."""
    pandas = _pandas()
    named, index, *columns = parts
    if columns and columns[-1] is None:
        return _series(columns[0], index=index, name=named)
    frame = pandas.DataFrame({at: _series(told, index=index) for at, told in enumerate(columns)}, index=index)
    frame.columns = named
    return frame


def fill(value: Any, parts: list[Any]) -> None:
    """Gives a DataFrame or Series this content, in place."""
    fresh = unpack(parts)
    value._update_inplace(fresh)  # pandas' own in-place methods end with this call
    if value.ndim == 1:
        value.name = fresh.name


def _column(series: Any) -> list[Any]:
    """Returns [dtype, values]; the values are an array if numpy can hold them, else a list of objects."""
    dtype = str(series.dtype)
    if type(series.dtype).__module__.startswith("numpy") and series.dtype.kind != "O":
        return [dtype, series.to_numpy(copy=True)]
    if dtype == "category":
        return [dtype, [series.cat.codes.to_numpy(copy=True), series.cat.categories, bool(series.cat.ordered)]]
    if dtype == "object":
        return [dtype, list(series)]
    items = series.astype(object)
    return [dtype, [None if missing else item for item, missing in zip(items, items.isna(), strict=True)]]


def _series(told: list[Any], **named: Any) -> Any:
    """Returns a column. Its dtype is said again, because pandas guesses one for objects, even for an array of them."""
    dtype, values = told
    if dtype == "category":
        return _pandas().Series(_category(*values), **named)
    return _pandas().Series(values, dtype=str(dtype), **named)


def _category(codes: Any, categories: Any, ordered: Any) -> Any:
    return _pandas().Categorical.from_codes(codes, categories, ordered=ordered)


def take_apart(value: Any) -> Parts | None:
    """Returns tag and parts of any other pandas value; None for anything else."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is None or cast(Any, type(value)).__module__.partition(".")[0] != "pandas":
        return None
    if isinstance(value, pandas.Index):
        return _index_parts(value)
    if value is pandas.NaT or value is pandas.NA:
        return "missing", ["NaT" if value is pandas.NaT else "NA"]
    if isinstance(value, pandas.CategoricalDtype):
        return "kinds", [value.categories, value.ordered]
    if isinstance(value, pandas.api.extensions.ExtensionDtype):
        return "dtype", [str(value)]
    for name, (parts_of, _) in _VALUES.items():
        if isinstance(value, getattr(pandas, name)):
            return name, parts_of(value)
    return None


def _moment(text: Any, zone: Any, unit: Any) -> Any:
    made = _pandas().Timestamp(str(text))
    return (made if zone is None else made.tz_convert(str(zone))).as_unit(str(unit))


def _duration(number: Any, unit: Any) -> Any:
    return _pandas().Timedelta(number, unit=str(unit)).as_unit(str(unit))


def _period(ordinal: Any, frequency: Any) -> Any:
    return _pandas().Period(ordinal=int(ordinal), freq=str(frequency))


def _interval(left: Any, right: Any, closed: Any) -> Any:
    return _pandas().Interval(left, right, closed=str(closed))


_VALUES: dict[str, tuple[Callable[[Any], list[Any]], Callable[..., Any]]] = {
    "Categorical": (lambda value: [value.codes.copy(), value.categories, bool(value.ordered)], _category),
    "Timestamp": (lambda value: [value.isoformat(), None if value.tz is None else str(value.tz), value.unit], _moment),
    "Timedelta": (lambda value: [int(value.asm8.view("i8")), value.unit], _duration),
    "Period": (lambda value: [value.ordinal, value.freqstr], _period),
    "Interval": (lambda value: [value.left, value.right, value.closed], _interval),
}
"""How each class of single pandas values is taken apart and put together again."""


def _index_parts(value: Any) -> Parts:
    pandas = _pandas()
    if isinstance(value, pandas.MultiIndex):
        return "levels", [list(value.levels), [codes.copy() for codes in value.codes], list(value.names)]
    if isinstance(value, pandas.RangeIndex):
        return "range", [value.start, value.stop, value.step, value.name]
    moments = isinstance(value, pandas.DatetimeIndex | pandas.TimedeltaIndex)
    return "index", [_column(pandas.Series(value, dtype=value.dtype)), value.name, value.freqstr if moments else None]


def put_together(tag: str, parts: list[Any]) -> Any:
    """Returns the value of these parts. Raises KeyError, TypeError or ValueError if they make none."""
    if tag in ("levels", "range", "index"):
        return _index(tag, *parts)
    if tag == "missing":
        return {"NaT": _pandas().NaT, "NA": _pandas().NA}[parts[0]]
    if tag == "kinds":
        return _pandas().CategoricalDtype(*parts)
    if tag == "dtype":
        return _pandas().api.types.pandas_dtype(str(parts[0]))
    return _VALUES[tag][1](*parts)


def _index(tag: str, first: Any, *more: Any) -> Any:
    pandas = _pandas()
    if tag == "levels":
        return pandas.MultiIndex(first, *more[:1], names=more[1])
    if tag == "range":
        return pandas.RangeIndex(first, *more[:2], name=more[2])
    column = _series(first)
    made = pandas.Index(column, dtype=column.dtype, name=more[0])
    if more[1] is not None:
        made.freq = str(more[1])
    return made
