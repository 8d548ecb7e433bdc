"""Arrays and scalars of numpy by value, in numpy's own file format; numpy is only touched where it was imported."""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any, cast


def is_array(kind: type) -> bool:
    """Whether this is numpy's own array class."""
    return kind is getattr(sys.modules.get("numpy"), "ndarray", None)


def is_plain(value: Any) -> bool:
    """Whether the items of an array are bytes, not objects."""
    return not value.dtype.hasobject


def pack(value: Any) -> bytes:
    """An array of plain items, or a scalar, as a file of numpy's."""
    file = io.BytesIO()
    importlib.import_module("numpy").save(file, value, allow_pickle=False)
    return file.getvalue()


def unpack(data: bytes) -> Any:
    """The array in such a file. Raises ValueError for any other bytes."""
    return importlib.import_module("numpy").load(io.BytesIO(data), allow_pickle=False)


def fill(value: Any, data: bytes) -> None:
    """Give an array this content, in place. Raises ValueError for another size."""
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
