"""Carries arrays by value: numpy's arrays and scalars in numpy's own file format, those of the module `array` as bytes.
Neither module is touched before it was
imported or a value of it arrives."""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any, cast

_MAGIC = b"\x93"
"""The first byte of numpy's file format, which is no type code of the module `array`."""


def is_array(kind: type) -> bool:
    """Returns whether this is numpy's own array class, or the standard library's."""
    return kind is getattr(sys.modules.get("numpy"), "ndarray", None) or is_standard_array(kind)


def is_standard_array(kind: type) -> bool:
    return kind is getattr(sys.modules.get("array"), "array", None)


def is_plain(value: Any) -> bool:
    """Returns whether the items of an array are bytes, not objects."""
    return is_standard_array(cast(type[Any], type(value))) or not value.dtype.hasobject


def pack(value: Any) -> bytes:
    """Returns an array of plain items, or a scalar, as bytes."""
    if is_standard_array(cast(type[Any], type(value))):
        return value.typecode.encode() + value.tobytes()
    file = io.BytesIO()
    importlib.import_module("numpy").save(file, value, allow_pickle=False)
    return file.getvalue()


def unpack(data: bytes) -> Any:
    """Returns the array of such bytes. Raises ValueError for any other bytes."""
    if data.startswith(_MAGIC):
        return importlib.import_module("numpy").load(io.BytesIO(data), allow_pickle=False)
    return importlib.import_module("array").array(data[:1].decode(), data[1:])


def fill(value: Any, data: bytes) -> None:
    """Gives an array this content, in place. Raises ValueError or TypeError if it does not fit."""
    if is_standard_array(cast(type[Any], type(value))):
        value[:] = unpack(data)
        return
    fixed, value.flags.writeable = is_fixed(value), True
    value[...] = unpack(data)
    value.flags.writeable = not fixed


def is_fixed(value: Any) -> bool:
    """Returns whether nobody may write to an array."""
    return not is_standard_array(cast(type[Any], type(value))) and not value.flags.writeable


def fix(value: Any) -> None:
    """Makes an array one that nobody may write to."""
    value.flags.writeable = False


def take_apart(value: Any) -> tuple[str, Any] | None:
    """Returns tag and content of any other numpy value; None for anything else."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        return None
    if value is getattr(sys.modules.get("numpy.ma"), "masked", None):
        return "masked", None
    if is_array(cast(type[Any], type(value))) and value.dtype.kind == "O":
        return "objects", [list(value.shape), value.ravel().tolist()]
    kind = cast(type[Any], type(value))  # an object's `__class__` may be answered by a program
    if issubclass(kind, numpy.generic) and is_plain(value):
        # a file for each would make a list of many scalars too costly
        plain = value.dtype.names is None and value.nbytes
        return ("scalar", [value.dtype.str, value.tobytes()]) if plain else ("record", pack(value))
    if issubclass(kind, numpy.dtype) and value.kind == "O":
        return "objects' dtype", None
    if issubclass(kind, numpy.dtype) and not value.hasobject:
        return "dtype", pack(numpy.empty(0, value))
    return None


def put_together(tag: str, content: Any) -> Any:
    """Returns the value of this content. Raises KeyError, TypeError or ValueError if it makes none."""
    numpy: Any = importlib.import_module("numpy")
    if tag == "masked":
        return numpy.ma.masked
    if tag == "objects' dtype":
        return numpy.dtype(object)
    if tag == "scalar":
        return numpy.frombuffer(content[1], dtype=str(content[0]))[0]
    if tag != "objects":
        made = unpack(content)
        return made.dtype if tag == "dtype" else made[()]
    shape, items = content
    flat = numpy.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        flat[place] = item
    return flat.reshape(shape)
