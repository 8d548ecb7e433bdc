"""Writes one text per value: equal values of the plain kinds give equal text, whatever the order of their sets and
keys."""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import islice
from typing import Any, cast

from .arrays import is_standard_array
from .standard import writer_for

ITEMS_DRAWN = 10_000
"""Items that are drawn from an iterator; one with more counts as endless."""
TEXT_LIMIT = 1 << 20
"""The most characters of a canonical text."""
_DEPTH = 100


class Opaque(Exception):
    """Raised if the value has no canonical form."""


def canonical(value: object) -> str:
    """Returns the canonical text of `value`. Raises Opaque, and whatever a lazy iterator raises while it is drawn."""
    text = _text(value, 0)
    if len(text) > TEXT_LIMIT:
        raise Opaque("too long")
    return text


def _text(value: Any, depth: int) -> str:
    if depth > _DEPTH:
        raise Opaque("too deep")
    kind = cast(type[Any], type(value))
    writer = _WRITERS.get(kind)
    if writer is not None:
        return writer(value, depth + 1)
    if isinstance(value, Enum):
        return f"{kind.__name__}.{value.name}"
    if isinstance(value, BaseException):
        return f"{kind.__name__}({_joined(value.args, depth + 1)})"
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return f"{kind.__name__}({_fields(kind._fields, value, depth)})"
    if hasattr(kind, "__dataclass_fields__"):
        names = [field.name for field in kind.__dataclass_fields__.values() if field.repr and field.init]
        return f"{kind.__name__}({_fields(names, [getattr(cast(Any, value), n) for n in names], depth)})"
    return _standard(value) or _array(value, depth)


def _standard(value: Any) -> str:
    known = writer_for(cast(type[Any], type(value)))
    if known is None or known[0].startswith("builtins.memoryview"):
        return ""
    return f"Path({str(value)!r})" if known[0].startswith("pathlib.") else repr(value)


def _fields(names: Any, values: Any, depth: int) -> str:
    return ", ".join(f"{name}={_text(value, depth + 1)}" for name, value in zip(names, values, strict=True))


def _joined(values: Any, depth: int) -> str:
    return ", ".join([_text(value, depth) for value in values])


def _unordered(value: Any, depth: int) -> str:
    return "{" + ", ".join(sorted(_text(item, depth) for item in value)) + "}" if value else "set()"


def _pairs(value: Any, depth: int, arranged: Callable[[Iterable[str]], list[str]] = sorted) -> str:
    return ", ".join(arranged(f"{_text(k, depth)}: {_text(v, depth)}" for k, v in value.items()))


def _mapping(value: Any, depth: int) -> str:
    return f"{{{_pairs(value, depth)}}}"


def _drawn(value: Iterator[Any], depth: int) -> str:
    items = list(islice(value, ITEMS_DRAWN + 1))
    if len(items) > ITEMS_DRAWN:
        raise Opaque("endless")
    return f"iterator([{_joined(items, depth)}])"


def _array(value: Any, depth: int) -> str:
    """Returns the text of an array or table by its values, if the solution has imported the library; else raises
    Opaque."""
    if is_standard_array(cast(type[Any], type(value))):
        return repr(value)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return f"array({_text(value.tolist(), depth)}, dtype={value.dtype})"
    if numpy is not None and isinstance(value, numpy.generic):
        return _text(value.item(), depth) if type(value.item()) in _WRITERS else repr(value)
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.DataFrame):
        columns = ", ".join(f"{_text(k, depth)}: {_text(value[k].tolist(), depth)}" for k in value.columns)
        return f"DataFrame({{{columns}}}, index={_text(value.index.tolist(), depth)})"
    if pandas is not None and isinstance(value, pandas.Series | pandas.Index):
        index = "" if isinstance(value, pandas.Index) else f", index={_text(value.index.tolist(), depth)}"
        return f"{type(value).__name__}({_text(value.tolist(), depth)}{index})"
    raise Opaque(type(value).__name__)


_VALUES: list[Any] = []
_KEYED: dict[Any, Any] = {}
_LAZY: tuple[Any, ...] = (
    *(type(iter(())), type(iter(_VALUES)), type(reversed(_VALUES)), type(x for x in ())),
    *(map, filter, zip, enumerate, reversed),
)
_REPR: tuple[Any, ...] = (*(type(None), bool, float, str, bytes, bytearray, complex, range, slice, type(...)),)
_WRITERS: dict[type, Callable[[Any, int], str]] = {
    **dict.fromkeys(_REPR, lambda value, _: repr(value)),
    **dict.fromkeys(_LAZY, _drawn),
    int: lambda value, _: repr(value) if value.bit_length() < 4000 else hex(value),
    list: lambda value, depth: f"[{_joined(value, depth)}]",
    tuple: lambda value, depth: f"({_joined(value, depth)}{',' if len(value) == 1 else ''})",
    set: _unordered,
    frozenset: lambda value, depth: f"frozenset({_unordered(value, depth) if value else ''})",
    dict: _mapping,
    Counter: lambda value, depth: f"Counter({_mapping(value, depth)})",
    defaultdict: _mapping,
    OrderedDict: lambda value, depth: f"OrderedDict({{{_pairs(value, depth, list)}}})",
    deque: lambda value, depth: f"deque([{_joined(value, depth)}])",
    type(_KEYED.keys()): _unordered,
    type(_KEYED.values()): lambda value, depth: f"[{_joined(value, depth)}]",
    type(_KEYED.items()): _unordered,
}
