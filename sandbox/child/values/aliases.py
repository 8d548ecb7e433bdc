"""Types that annotations are written with (`Optional[int]`, `list[str] | None`) cross by what they are made of."""

from __future__ import annotations

import sys
import types
from typing import Any

_NONE = type(None)


def take_apart(value: Any) -> list[Any] | None:
    """[what is subscribed, None for a union by |; with what]; None for any other value, and for a generic class of the
    program's own, which is asked itself."""
    if type(value) is types.UnionType:
        return [None, *map(_told, value.__args__)]
    alias = getattr(sys.modules.get("typing"), "_GenericAlias", None)
    if alias is None or not isinstance(value, alias):
        return None
    parts: Any = value.__reduce__()[1]
    origin, args = parts
    if not _is_of_typing(origin):
        return None
    several = args.__class__ is tuple
    return [origin, *map(_told, args if several else (args,))]


def put_together(origin: Any, *args: Any) -> Any:
    """The same type here. Raises ValueError or TypeError for what is none."""
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
