"""Checkpoints that hold names: whatever is big in a state (a program, a suite, an execution) is stored once by content.

Without this every checkpoint repeats the whole state, and the checkpoints of a run grow with the square of its steps.
An object is written as its class and fields; one of at least LEAST_BYTES becomes a *body*, and in its place stands the
body's name, a hash of its bytes. Bodies name bodies in turn. Long lists are cut into groups of GROUP items, and a full
group is a body too: what is appended later changes the last group only. Nothing here knows what the state means.
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

LEAST_BYTES = 128
"""A name takes 19 bytes where it stands; what is shorter than this stays in place."""
GROUP = 16
KIND = "bodies"
"""The type under which the saver stores what this module wrote; what it wrote before has another and is still read."""
_NAME_BYTES = 16
_KNOWN_OBJECTS, _KNOWN_RUNS = 4096, 16
"""How many objects of how many runs are remembered, so that an unchanged one is not written again."""
_BODY, _OBJECT, _SEND, _LONG, _FOREIGN = 64, 65, 66, 67, 68
"""Codes of our msgpack extensions; langgraph's own are below 10."""
_OPTIONS = (
    ormsgpack.OPT_NON_STR_KEYS
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_UUID
    | ormsgpack.OPT_REPLACE_SURROGATES
)

Keep = Callable[[Mapping[bytes, bytes]], None]
"""Stores bodies by their names; one that is there already stays."""
Fetch = Callable[[bytes], bytes]
"""The body of a name; raises KeyError for a name that is not stored."""
Known = dict[int, tuple[object, ormsgpack.Ext]]
"""Objects of a run by identity, each as it was written. They are held, so that an identity stays theirs."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a stored object that this version of the program cannot make again: its class is gone, or has other
    fields. What else the run stored can still be read."""

    kind: str


@dataclass(frozen=True, slots=True)
class _Group:
    """A full group of a long list."""

    items: Sequence[Any]


@dataclass(frozen=True, slots=True)
class _Long:
    """A list that is written in groups."""

    items: Sequence[Any]


@dataclass(frozen=True, slots=True)
class _Text:
    """A long text."""

    text: str


class Bodies(JsonPlusSerializer):
    """A serializer that hands bodies to `keep`, before it returns what names them, and gets them from `fetch`."""

    def __init__(self, types: Iterable[tuple[str, str]], keep: Keep, fetch: Fetch) -> None:
        """`types`: (module, class name) of every class that may be revived."""
        self._types = frozenset(types)
        super().__init__(allowed_msgpack_modules=list(self._types))
        self._keep, self._fetch = keep, fetch
        self._classes: dict[tuple[str, str], type] = {}
        self._names: dict[type, tuple[str, str] | None] = {}
        self._runs: dict[str, Known] = {}
        self._known: Known = {}
        self._written: dict[bytes, bytes] = {}

    def turn_to(self, run_id: str) -> None:
        """What follows belongs to this run: an object that was written for another one is written again."""
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
        """How an object that msgpack does not know is written."""
        if isinstance(value, _Group):
            return self._body(self._pack(value.items))
        if isinstance(value, _Text):
            return self._body(self._pack(value.text))
        if isinstance(value, _Long):
            groups = [value.items[start : start + GROUP] for start in range(0, len(value.items), GROUP)]
            return ormsgpack.Ext(_LONG, self._pack([_Group(g) if len(g) == GROUP else g for g in groups]))
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
        told = {field.name: _whole(getattr(value, field.name)) for field in fields(value)}
        packed = self._pack((*name, told))
        if len(packed) < LEAST_BYTES:
            return ormsgpack.Ext(_OBJECT, packed)
        return self._body(self._pack(ormsgpack.Ext(_OBJECT, packed)))

    def _body(self, packed: bytes) -> ormsgpack.Ext:
        """Writes a body and gives its name."""
        name = hashlib.blake2b(packed, digest_size=_NAME_BYTES).digest()
        self._written[name] = packed
        return ormsgpack.Ext(_BODY, name)

    def _name_of(self, value: object) -> tuple[str, str] | None:
        """Returns module and name of a value's class where it is a dataclass that may be revived, else None."""
        kind = type(value)
        if kind not in self._names:
            name = (kind.__module__, kind.__qualname__)
            self._names[kind] = name if is_dataclass(kind) and name in self._types else None
        return self._names[kind]

    def _revived(self, code: int, data: bytes) -> Any:
        if code == _BODY:
            return self._unpack(self._fetch(data))
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
        """Raises KeyError for a class that may not be revived."""
        if name not in self._types:
            raise KeyError(f"checkpoints may not hold {'.'.join(name)}")
        if name not in self._classes:
            self._classes[name] = getattr(importlib.import_module(name[0]), name[1])
        return self._classes[name]


def _marked(value: Any) -> Any:
    """A checkpoint with its channels marked, or the value of one channel."""
    if isinstance(value, dict) and isinstance(cast("Mapping[str, Any]", value).get("channel_values"), dict):
        checkpoint = cast("dict[str, Any]", value)
        channels = {name: _whole(channel) for name, channel in checkpoint["channel_values"].items()}
        return {**checkpoint, "channel_values": channels}
    return _whole(value)


def _whole(value: Any) -> Any:
    """Lists and texts as they are to be written: in groups, and as a body of their own."""
    if isinstance(value, list):
        items = [_whole(item) if isinstance(item, str) else item for item in cast("list[Any]", value)]
        return _Long(items) if len(items) >= GROUP else items
    return _Text(value) if isinstance(value, str) and len(value) >= LEAST_BYTES else value
