"""Carries the types that annotations are written with (`Optional[int]`, `list[str] | None`) by their parts."""

from __future__ import annotations

import sys
import types
from typing import Any

_NONE = type(None)


def take_apart(value: Any) -> list[Any] | None:
    """Returns [what is subscribed, then its arguments], with None as the first for a union by `|`. Returns None for any
    other value, and for a generic class of the program, which is asked itself."""
    if type(value) is types.UnionType:
        return [None, *map(_told, value.__args__)]
    alias = getattr(sys.modules.get("typing"), "_GenericAlias", None)
    if alias is None or not issubclass(type(value), alias):
        return None
    parts: Any = value.__reduce__()[1]
    origin, args = parts
    if not _is_of_typing(origin):
        return None
    several = args.__class__ is tuple
    return [origin, *map(_told, args if several else (args,))]


def put_together(origin: Any, *args: Any) -> Any:
    """Returns the same type in this process. Raises ValueError or TypeError if the parts make none."""
    if origin is None:
        first, *rest = (_NONE if arg is None else arg for arg in args)
        for arg in rest:
            first |= arg
        return first
    if not _is_of_typing(origin):
        raise ValueError("nothing that typing can be asked for")
    return origin[args[0] if len(args) == 1 else args]


def _told(arg: Any) -> Any:
    return None if arg is _NONE else arg


def _is_of_typing(origin: Any) -> bool:
    return type(origin).__module__ == "typing"
