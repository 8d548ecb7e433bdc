"""Serialises checkpoints so that each big part of a state (a program, a suite, an execution) is stored only once.

The savers in `framework/checkpoints` use it. Without it every checkpoint would repeat the whole state, and the
checkpoints of a run would grow with the square of its steps.

An object is written as its class and its fields. An object of at least LEAST_BYTES bytes becomes a *body*: it is stored
under its name, a hash of its bytes, and the checkpoint holds only that name. A body may name other bodies. A long list
is cut into groups of GROUP items, and each full group is a body too, so that appending to the list changes its last
group only. This module does not know what the state means.
"""

from __future__ import annotations

import hashlib
import importlib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Send

from ..engine import Unreadable

LEAST_BYTES = 128
"""The bytes of an object, and the characters of a text, from which on it becomes a body. A name takes 19 bytes where it
stands, so a body for anything much shorter would save nothing."""
GROUP = 16
"""The items of one group of a long list."""
KIND = "bodies"
"""The type name under which the saver stores what this module wrote. LangGraph's serializer uses other type names, so
older checkpoints can still be read."""
_NAME_BYTES = 16
"""The bytes of a name, which are enough that no two bodies of a run share one."""
_KNOWN_OBJECTS, _KNOWN_RUNS = 4096, 16
"""How many objects of how many runs this module remembers, so that an unchanged object is not written again."""
_BODY, _OBJECT, _SEND, _LONG, _FOREIGN, _BIG = 64, 65, 66, 67, 68, 69
"""The codes of our msgpack extension types. LangGraph's own codes are below 10."""
_OPTIONS = (
    ormsgpack.OPT_NON_STR_KEYS
    | ormsgpack.OPT_PASSTHROUGH_BIG_INT
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_UUID
    | ormsgpack.OPT_REPLACE_SURROGATES
)

Keep = Callable[[Mapping[bytes, bytes]], None]
"""Stores bodies by their names. A name that is stored already keeps its body."""
Fetch = Callable[[bytes], bytes]
"""Returns the body of a name. Raises KeyError for a name that is not stored."""
Known = dict[int, tuple[object, ormsgpack.Ext]]
"""The objects of a run by their `id()`, each with its written form. The table holds the objects themselves, so that
Python cannot give their ids to other objects."""


@dataclass(frozen=True, slots=True)
class _Apart:
    """A value that becomes a body whatever its size: a full group of a long list, or a long text."""

    value: Any


@dataclass(frozen=True, slots=True)
class _Long:
    """A list that is to be written in groups."""

    items: Sequence[Any]


class Bodies(JsonPlusSerializer):
    """A serializer that stores bodies with `keep` before it returns the bytes that name them, and loads bodies with
    `fetch`."""

    def __init__(self, types: Iterable[tuple[str, str]], keep: Keep, fetch: Fetch) -> None:
        """Takes in `types` the (module, class name) of every class that may be revived from a checkpoint."""
        self._types = frozenset(types)
        super().__init__(allowed_msgpack_modules=list(self._types))
        self._keep, self._fetch = keep, fetch
        self._classes: dict[tuple[str, str], type] = {}
        self._names: dict[type, tuple[str, str] | None] = {}
        self._runs: dict[str, Known] = {}
        self._known: Known = {}
        self._written: dict[bytes, bytes] = {}

    def turn_to(self, run_id: str) -> None:
        """Makes `run_id` the run whose objects are written from now on. An object that was written for another run is
        written again."""
        self._known = self._runs.pop(run_id, {})
        self._runs[run_id] = self._known
        if len(self._runs) > _KNOWN_RUNS:
            del self._runs[next(iter(self._runs))]

    def forget(self, run_id: str) -> None:
        """Forgets what is known to be stored for this run, so that all of it is written again."""
        self._runs.pop(run_id, {}).clear()

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        if obj is None or isinstance(obj, bytes | bytearray):
            return super().dumps_typed(obj)
        self._written = {}
        packed = self._pack(_marked(obj))
        self._keep(self._written)
        return KIND, zlib.compress(packed, 1)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        kind, packed = data
        return self._unpack(zlib.decompress(packed)) if kind == KIND else super().loads_typed(data)

    def _pack(self, value: Any) -> bytes:
        return ormsgpack.packb(value, default=self._extension, option=_OPTIONS)

    def _unpack(self, packed: bytes) -> Any:
        return ormsgpack.unpackb(packed, ext_hook=self._revived, option=ormsgpack.OPT_NON_STR_KEYS)

    def _extension(self, value: Any) -> ormsgpack.Ext:
        """Returns the extension that stands for an object which msgpack itself does not know."""
        if isinstance(value, int):  # one of more than 64 bits; hexadecimal, because decimal digits have a limit
            return ormsgpack.Ext(_BIG, f"{value:x}".encode())
        if isinstance(value, _Apart):
            return self._body(self._pack(value.value))
        if isinstance(value, _Long):
            groups = [value.items[start : start + GROUP] for start in range(0, len(value.items), GROUP)]
            return ormsgpack.Ext(_LONG, self._pack([_Apart(g) if len(g) == GROUP else g for g in groups]))
        if isinstance(value, Send) and value.timeout is None:
            return ormsgpack.Ext(_SEND, self._pack((value.node, value.arg)))
        name = self._name_of(value)
        if name is None:
            return ormsgpack.Ext(_FOREIGN, super().dumps_typed(value)[1])
        if id(value) not in self._known:
            if len(self._known) >= _KNOWN_OBJECTS:
                self._known.clear()
            self._known[id(value)] = (value, self._object(value, name))
        return self._known[id(value)][1]

    def _object(self, value: Any, name: tuple[str, str]) -> ormsgpack.Ext:
        """Returns the extension of a dataclass: its class and fields, or the name of the body that holds them."""
        told = {field.name: _whole(getattr(value, field.name)) for field in fields(value)}
        packed = self._pack((*name, told))
        if len(packed) < LEAST_BYTES:
            return ormsgpack.Ext(_OBJECT, packed)
        return self._body(self._pack(ormsgpack.Ext(_OBJECT, packed)))

    def _body(self, packed: bytes) -> ormsgpack.Ext:
        """Adds a body to what is to be stored and returns the extension that names it."""
        name = hashlib.blake2b(packed, digest_size=_NAME_BYTES).digest()
        self._written[name] = packed
        return ormsgpack.Ext(_BODY, name)

    def _name_of(self, value: object) -> tuple[str, str] | None:
        """Returns module and name of the value's class if it is a dataclass that may be revived, else None."""
        kind = type(value)
        if kind not in self._names:
            name = (kind.__module__, kind.__qualname__)
            self._names[kind] = name if is_dataclass(kind) and name in self._types else None
        return self._names[kind]

    def _revived(self, code: int, data: bytes) -> Any:
        if code == _BODY:
            return self._unpack(self._fetch(data))
        if code == _BIG:
            return int(data, 16)
        if code == _FOREIGN:
            return super().loads_typed(("msgpack", data))
        value = self._unpack(data)
        if code == _LONG:
            return [item for group in value for item in group]
        if code == _SEND:
            return Send(*value)
        module, name, told = value
        try:
            return self._class((module, name))(**told)
        except (KeyError, ImportError, AttributeError, TypeError):
            return Unreadable(f"{module}.{name}")

    def _class(self, name: tuple[str, str]) -> type:
        """Returns the class of that module and name. Raises KeyError for a class that may not be revived."""
        if name not in self._types:
            raise KeyError(f"checkpoints may not hold {'.'.join(name)}")
        if name not in self._classes:
            self._classes[name] = getattr(importlib.import_module(name[0]), name[1])
        return self._classes[name]


def _marked(value: Any) -> Any:
    """Returns a checkpoint, or the value of one channel, with its long lists and texts marked as bodies."""
    if isinstance(value, dict) and isinstance(cast("Mapping[str, Any]", value).get("channel_values"), dict):
        checkpoint = cast("dict[str, Any]", value)
        channels = {name: _whole(channel) for name, channel in checkpoint["channel_values"].items()}
        return {**checkpoint, "channel_values": channels}
    return _whole(value)


def _whole(value: Any) -> Any:
    """Returns a long list as groups and a long text as a body of its own; any other value comes back unchanged."""
    if isinstance(value, list):
        items = [_whole(item) if isinstance(item, str) else item for item in cast("list[Any]", value)]
        return _Long(items) if len(items) >= GROUP else items
    return _Apart(value) if isinstance(value, str) and len(value) >= LEAST_BYTES else value
