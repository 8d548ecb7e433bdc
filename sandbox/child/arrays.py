"""numpy arrays and scalars by value; numpy is only ever touched where the program has imported it."""

from __future__ import annotations

import importlib
import sys
from typing import Any

_KINDS = frozenset("biufcmMSU")


def take_apart(value: Any) -> tuple[str, list[Any]] | None:
    """Tag and parts of a value of numpy; None for anything else."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        return None
    if type(value) is numpy.ndarray:
        return _array(value)
    if isinstance(value, numpy.generic) and value.dtype.kind in _KINDS:
        return "scalar", [value.dtype.str, value.tobytes()]
    if isinstance(value, numpy.dtype) and value.kind in _KINDS:
        return "dtype", [value.str]
    return None


def _array(value: Any) -> tuple[str, list[Any]] | None:
    if value.dtype.kind in _KINDS:
        return "array", [value.dtype.str, list(value.shape), value.tobytes()]
    if value.dtype.kind == "O":
        return "objects", [list(value.shape), value.ravel().tolist()]
    return None


def put_together(tag: str, parts: list[Any]) -> Any:
    """The value of these parts. Raises KeyError, TypeError or ValueError for parts that make none."""
    numpy: Any = importlib.import_module("numpy")

    if tag == "objects":
        shape, items = parts
        flat = numpy.empty(len(items), dtype=object)
        flat[:] = items
        return flat.reshape(shape)
    dtype = numpy.dtype(str(parts[0]))
    if dtype.kind not in _KINDS:
        raise ValueError("not a plain dtype")
    if tag == "dtype":
        return dtype
    if tag == "scalar":
        return numpy.frombuffer(parts[1], dtype=dtype)[0]
    return numpy.frombuffer(parts[2], dtype=dtype).reshape(parts[1]).copy()
