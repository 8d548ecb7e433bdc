"""numpy arrays and scalars by value; numpy is only ever touched where the program has imported it."""

from __future__ import annotations

import importlib
import sys
from typing import Any, cast

_KINDS = frozenset("biufcmMSU")


def is_array(kind: type) -> bool:
    """Whether this is numpy's own array class."""
    numpy: Any = sys.modules.get("numpy")
    return numpy is not None and kind is getattr(numpy, "ndarray", None)


def is_plain(value: Any) -> bool:
    """Whether the array's items are bytes of a plain kind."""
    return value.dtype.kind in _KINDS


def empty(made_of: list[Any]) -> Any:
    """An array of that dtype and shape. Raises what malformed ones raise."""
    return importlib.import_module("numpy").zeros(made_of[1], dtype=_dtype(made_of[0]))


def fill(value: Any, data: bytes) -> None:
    """Give an array this content, in place. Raises ValueError for another size."""
    numpy: Any = importlib.import_module("numpy")
    value[...] = numpy.frombuffer(data, dtype=value.dtype).reshape(value.shape)


def differ(value: Any, before: Any) -> bool:
    """Whether the content has changed."""
    return value.shape != before.shape or value.tobytes() != before.tobytes()


def take_apart(value: Any) -> tuple[str, list[Any]] | None:
    """Tag and parts of another value of numpy; None for anything else."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        return None
    if is_array(cast(type[Any], type(value))) and value.dtype.kind == "O":
        return "objects", [list(value.shape), value.ravel().tolist()]
    if isinstance(value, numpy.generic) and value.dtype.kind in _KINDS:
        return "scalar", [value.dtype.str, value.tobytes()]
    if isinstance(value, numpy.dtype) and value.kind in _KINDS:
        return "dtype", [value.str]
    return None


def put_together(tag: str, parts: list[Any]) -> Any:
    """The value of these parts. Raises KeyError, TypeError or ValueError for parts that make none."""
    numpy: Any = importlib.import_module("numpy")

    if tag == "objects":
        shape, items = parts
        flat = numpy.empty(len(items), dtype=object)
        flat[:] = items
        return flat.reshape(shape)
    dtype = _dtype(parts[0])
    return dtype if tag == "dtype" else numpy.frombuffer(parts[1], dtype=dtype)[0]


def _dtype(text: Any) -> Any:
    dtype = importlib.import_module("numpy").dtype(str(text))
    if dtype.kind not in _KINDS:
        raise ValueError("not a plain dtype")
    return dtype
