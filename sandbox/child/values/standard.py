"""Knows the standard value types that cross by value. Their modules are imported only once such a value appears."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from copyreg import __newobj__  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from functools import partial, reduce
from typing import Any

Writer = Callable[[Any], list[Any] | None]
"""Takes a value apart; returns None for one that does not cross by value after all."""
Reader = Callable[[list[Any]], Any]

_REDUCED = {
    "builtins": "complex range slice",
    "datetime": "datetime date time timedelta timezone",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "ipaddress": "IPv4Address IPv6Address IPv4Network IPv6Network IPv4Interface IPv6Interface",
    "pathlib": "PosixPath PurePosixPath PureWindowsPath",
    "time": "struct_time",
    "urllib.parse": "ParseResult SplitResult DefragResult",
    "uuid": "UUID",
}
"""Immutable types that pickle knows how to rebuild: by a call, or by __new__ and a state."""


def _reduce(value: Any) -> list[Any]:
    make, args, *state = value.__reduce_ex__(4)
    built = make is not __newobj__
    return [built, list(args if built else args[1:]), state[0] if state else None]


def _rebuild(cls: Any, pieces: list[Any]) -> Any:
    built, args, state = pieces
    made = cls(*args) if built else cls.__new__(cls, *args)
    if state is not None:
        made.__setstate__(state)
    return made


def _match(value: Any) -> list[Any]:
    return [value.re, value.string, value.pos, value.endpos, list(value.regs)]


def _read_match(pieces: list[Any]) -> Any:
    """Returns the same match, found anew by this side's own engine. Raises ValueError if there is no such match."""
    pattern, string, start, end, regs = pieces
    for find, at in (
        (pattern.search, start),
        (pattern.match, start),
        (pattern.fullmatch, start),
        (pattern.search, regs[0][0]),
    ):
        found = find(string, at, end)
        if found is not None and list(found.regs) == regs:
            return found
    raise ValueError("a match that is none")


def _row(names: list[str], values: tuple[Any, ...]) -> Any:
    """Returns a row of a database that has these columns."""
    sqlite = _load("sqlite3")
    columns = ", ".join("null as " + '"{}"'.format(name.replace('"', '""')) for name in names)
    with contextlib.closing(sqlite.connect(":memory:")) as database:
        return sqlite.Row(database.execute(f"select {columns}"), values)


def _alias(value: Any) -> list[Any] | None:
    """Returns what is subscribed, and by what; None for a generic class of the program, which is asked itself."""
    parts: Any = value.__reduce__()[1]
    return [*parts] if _is_of_typing(parts[0]) else None


def _read_alias(pieces: list[Any]) -> Any:
    if not _is_of_typing(pieces[0]):
        raise ValueError("nothing that typing can be asked for")
    return pieces[0][pieces[1]]


def _is_of_typing(origin: Any) -> bool:
    return type(origin).__module__ == "typing"


def _listed(value: Any) -> list[Any]:
    return [list(value)]


def _viewed(kind: str, view: str, pieces: list[Any]) -> Any:
    """Returns the keys, values or items of a dict that has these, or of an ordered one."""
    parts = pieces[0]
    items: Any = parts if view == "items" else enumerate(parts) if view == "values" else dict.fromkeys(parts).items()
    made: Any = _load("collections").OrderedDict(items) if kind == "odict" else dict(items)
    return getattr(made, view)()


def _load(module: str) -> Any:
    return importlib.import_module(module)


_SPECIAL: dict[str, tuple[Writer, Reader]] = {
    "zoneinfo.ZoneInfo": (lambda v: [v.key], lambda p: _load("zoneinfo").ZoneInfo(p[0])),
    "re.Pattern": (lambda v: [v.pattern, v.flags], lambda p: _load("re").compile(p[0], p[1])),
    "re.Match": (_match, _read_match),
    "sqlite3.Row": (lambda v: [v.keys(), tuple(v)], lambda p: _row(*p)),
    "builtins.ellipsis": (lambda _: [], lambda _: ...),
    "builtins.NotImplementedType": (lambda _: [], lambda _: NotImplemented),
    "Token.MISSING": (lambda _: [], lambda _: _load("contextvars").Token.MISSING),
    "typing.ForwardRef": (lambda v: [v.__forward_arg__], lambda p: _load("typing").ForwardRef(p[0])),
    "types.UnionType": (lambda v: [*v.__args__], lambda p: reduce(lambda one, other: one | other, p)),
    "builtins.memoryview": (lambda v: [v.tobytes()], lambda p: memoryview(p[0])),
    "types.GenericAlias": (lambda v: [v.__origin__, v.__args__], lambda p: _load("types").GenericAlias(*p)),
    "builtins.property": (lambda v: [v.fget, v.fset, v.fdel, v.__doc__], lambda p: property(*p)),
    "builtins.staticmethod": (lambda v: [v.__func__], lambda p: staticmethod(p[0])),
    "builtins.classmethod": (lambda v: [v.__func__], lambda p: classmethod(p[0])),
    "builtins.mappingproxy": (lambda v: [dict(v)], lambda p: _load("types").MappingProxyType(p[0])),
}
for _sort in ("", "Union", "Literal", "Callable"):
    _SPECIAL[f"typing._{_sort}GenericAlias"] = _alias, _read_alias
for _kind in ("dict", "odict"):
    for _view in ("keys", "values", "items"):
        _SPECIAL[f"builtins.{_kind}_{_view}"] = (_listed, partial(_viewed, _kind, _view))


def module_of(cls: type) -> str:
    """Returns the module from which programs import the class; Python 3.13 defines the paths in a private module below
    it."""
    return cls.__module__.removesuffix("._local")


_MADE_BY_CLASS = 1 << 9
"""The flag of classes made by a `class` statement or by calling `type`."""


def _is_made_in_c(kind: type) -> bool:
    """Returns whether only the interpreter can have made this class; a class that a program makes could claim any
    module."""
    return not kind.__flags__ & _MADE_BY_CLASS


def writer_for(kind: type) -> tuple[str, Writer] | None:
    """Returns tag and writer of a value type; None for any other class, including one that only bears such a name."""
    module, name = module_of(kind), kind.__qualname__
    tag = f"{module}.{name}"
    writer = _SPECIAL[tag][0] if tag in _SPECIAL else _reduce if name in _REDUCED.get(module, "").split() else None
    if writer is None or not (_is_made_in_c(kind) or getattr(_load(module), name, None) is kind):
        return None
    return tag, writer


def reader_for(tag: str) -> Reader:
    """Returns the reader for a tag. Raises KeyError if the tag is unknown."""
    if tag in _SPECIAL:
        return _SPECIAL[tag][1]
    module, _, name = tag.rpartition(".")
    if name not in _REDUCED[module].split():
        raise KeyError(tag)
    cls = getattr(_load(module), name)
    return lambda pieces: _rebuild(cls, pieces)
