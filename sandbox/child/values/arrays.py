"""Arrays by value: numpy's, and its scalars, in its own file format; those of the module `array` as their bytes. Either
is only touched where it was imported."""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any, cast

_MAGIC = b"\x93"
"""With this a file of numpy's begins, and no type code."""


def is_array(kind: type) -> bool:
    """Whether this is numpy's own array class, or the standard library's."""
    return kind is getattr(sys.modules.get("numpy"), "ndarray", None) or is_standard_array(kind)


def is_standard_array(kind: type) -> bool:
    return kind is getattr(sys.modules.get("array"), "array", None)


def is_plain(value: Any) -> bool:
    """Whether the items of an array are bytes, not objects."""
    return is_standard_array(cast(type[Any], type(value))) or not value.dtype.hasobject


def pack(value: Any) -> bytes:
    """An array of plain items, or a scalar, as bytes."""
    if is_standard_array(cast(type[Any], type(value))):
        return value.typecode.encode() + value.tobytes()
    file = io.BytesIO()
    importlib.import_module("numpy").save(file, value, allow_pickle=False)
    return file.getvalue()


def unpack(data: bytes) -> Any:
    """The array of such bytes. Raises ValueError for any others."""
    if data.startswith(_MAGIC):
        return importlib.import_module("numpy").load(io.BytesIO(data), allow_pickle=False)
    return importlib.import_module("array").array(data[:1].decode(), data[1:])


def fill(value: Any, data: bytes) -> None:
    """Give an array this content, in place. Raises ValueError or TypeError for what does not fit."""
    if is_standard_array(cast(type[Any], type(value))):
        value[:] = unpack(data)
    else:
        value[...] = unpack(data)


def take_apart(value: Any) -> tuple[str, Any] | None:
    """Tag and content of another value of numpy; None for anything else."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        return None
    if is_array(cast(type[Any], type(value))) and value.dtype.kind == "O":
        return "objects", [list(value.shape), value.ravel().tolist()]
    if isinstance(value, numpy.generic) and is_plain(value):
        plain = value.dtype.names is None and value.nbytes  # a file each would cost a list of many scalars too much
        return ("scalar", [value.dtype.str, value.tobytes()]) if plain else ("record", pack(value))
    if isinstance(value, numpy.dtype) and not value.hasobject:
        return "dtype", pack(numpy.empty(0, value))
    return None


def put_together(tag: str, content: Any) -> Any:
    """The value of this content. Raises KeyError, TypeError or ValueError for content that makes none."""
    numpy: Any = importlib.import_module("numpy")
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
