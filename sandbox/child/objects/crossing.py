"""Encodes and decodes what is no plain value: objects by number, classes by description, exceptions by their parts."""

from __future__ import annotations

import enum
import importlib
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from sys import getrefcount
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
)
from typing import Any, cast

from ..values import arrays, tables
from ..values.codec import DecodeError, ValueCodec
from ..values.shared import SharedContainers
from . import raising
from .build import build
from .describe import describe, kind_of, known_function, name_of_class, native_parts, value_base
from .handle import NUMBER, SIDE, Handle, Mirror, new_handle, own_method
from .methods import function, shared_with
from .mirrors import Mirrors
from .overriding import may_pose
from .stubs import flags_of, look_at, unbegun

_CALLED = (MethodType, BuiltinFunctionType, MethodWrapperType)
STREAMS: dict[str | None, Callable[[Any], Any]] = {
    None: iter,
    "map": lambda items: map(lambda item: item, items),
    "filter": lambda items: filter(lambda _: True, items),
}
"""How to make a stand-in for an iterator of the other side, by its kind: a map or a filter stays one, None is any other
iterator."""
LAST_REFERENCES = 2
"""What `getrefcount` counts for a value that only the list or dict around it holds."""
LOOKED_AT_ONCE = 64
"""Lent objects that each message may pay for: looking whether they are still held costs a few microseconds per call."""
_STREAMED = ("builtins", "itertools", "_csv")
"""Modules whose iterators offer nothing but their items."""


def identity(value: Any) -> Any:
    """Returns what tells an object from all others that live. A method is made anew at each look-up, so the result
    names its object and its function."""
    if type(value) is MethodType:
        return id(value.__self__), id(value.__func__)
    if type(value) is BuiltinFunctionType and not isinstance(value.__self__, ModuleType | None):
        return id(value.__self__), value.__name__
    return id(value)


class Crossing:
    """Encodes and decodes on one side. A side that must be careful overrides `permit`, `known_global` and the hooks."""

    prunes = False
    """Whether this side decides when a shared container is forgotten and a lent object let go; only the tests' side
    does."""

    def __init__(self, first: int) -> None:
        self.exports: dict[int, Any] = {}
        self.files: tuple[str, ...] = ()
        self._numbers: dict[int, int] = {}
        self._next = first
        self._still_held: set[int] = set()
        """Numbers of objects that the other side believes to be held here."""
        self._messages = 0
        """Messages sent since `let_go` last looked for objects that are no longer held."""
        self._told: set[int] = set()
        self._classes: dict[int, type] = {}
        self.mirrors = Mirrors()
        self.is_looked_at = False
        """Whether code on the other side looks at functions (signatures, docstrings), so that more is told of each."""
        self.codec = ValueCodec(SharedContainers(first, _look_at), self.foreign, self._hooks())

    def _hooks(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "~": lambda number: self.exports[number],
            "M": self._read_bound,
            "h": self._read_handle,
            "f": self._read_function,
            "k": lambda number: self._classes[number],
            "K": self._read_class,
            "0": lambda _: raising.some_traceback(),
            "g": lambda names: self.known_global(*names),
            "e": self._read_member,
            "n": self._read_value,
            "x": lambda content: raising.put_together(content, self.codec),
            "m": importlib.import_module,
            "A": lambda content: arrays.put_together(str(content[0]), self.codec.decode(content[1])),
            "P": lambda content: tables.put_together(str(content[0]), self.codec.decoded(content[1])),
        }

    def permit(self, value: Any) -> None:
        """Raises CannotCross for a value that the other side must not get hold of."""

    def name_of(self, value: Any) -> list[str] | None:
        """Returns module and name of `value` if the other side can find it by them, else None."""
        return known_function(value)

    def known_global(self, module: str, name: str) -> Any:
        """Returns what both sides know under that name. Raises DecodeError."""
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found

    def handed_over(self, handle: Any) -> Any:
        """Returns the JSON for a handle of this side."""
        return {"~": self.mirrors.number(handle)}

    def foreign(self, value: Any) -> Any:
        """Returns the JSON for a value that has no form of its own. Raises CannotCross."""
        mirrored = self.mirrors.number(value)
        if mirrored is not None:
            return {"~": mirrored}
        kind = cast(type[Any], type(value))
        if isinstance(kind, Mirror) and issubclass(kind, Handle):
            return self.handed_over(value)
        waiting = unbegun(value)
        if waiting is not None:
            target, args, kwargs = waiting
            named = {key: self.codec.encode(one) for key, one in kwargs.items()}
            return {"c": [target, self.codec.encoded(args), named]}
        if issubclass(kind, type):
            return self.class_json(value)
        if kind is FunctionType:
            return self._function(value)
        return self._library_value(value) or self._by_value(value, kind) or self._object(value, kind)

    def _by_value(self, value: Any, kind: Any) -> Any:
        sort = kind_of(kind)
        if sort == "enum":
            name = value.name if value.name in kind.__members__ else None
            raw = self.codec.encode(value.value) if isinstance(value, enum.Flag) else None
            return {"e": [self.class_json(kind), name, raw]}
        if sort == "exception":
            return {"x": raising.take_apart(value, self, depth=1)}
        if sort == "value":
            attributes = {**getattr(value, "__dict__", {})}
            return {"n": [self.class_json(kind), *self.codec.encoded([[*native_parts(value)], attributes])]}
        if sort == "container":
            return self.codec.held(value, [self.class_json(kind)])
        return None

    def _library_value(self, value: Any) -> Any:
        if issubclass(type(value), ModuleType) and sys.modules.get(value.__name__) is value:
            return {"m": value.__name__}
        if type(value) is TracebackType:
            return {"0": None}
        taken = arrays.take_apart(value)
        if taken:
            return {"A": [taken[0], self.codec.encode(taken[1])]}
        if tables.is_table(cast(type[Any], type(value))):
            return self.codec.held(value, [])
        taken = tables.take_apart(value)
        return taken and {"P": [taken[0], self.codec.encoded(taken[1])]}

    def _function(self, value: Any) -> Any:
        named = self.name_of(value)
        if named:
            return {"g": named}
        told = value.__dict__ or self.codec.shared.is_roomy
        attributes = self._own_names(value) if told else None
        return {"f": [self.export(value), str(value.__name__), self._looked_at(value), attributes]}

    def _own_names(self, function: Any) -> Any:
        return self._or_nothing(lambda: self.codec.held(function.__dict__, []))

    def _told_method(self, cls: type, name: str, function: Any) -> Any:
        """Returns what is told of a method of a class: what may be looked at, and its attributes if it has any. Returns
        None if the other side may not use the method."""
        if not self.may_name(cls, name):
            return None
        return [self._looked_at(function), self._own_names(function) if function.__dict__ else None]

    def _looked_at(self, value: Any) -> Any:
        """Returns what the other side may look at of a function if it looks at functions, else the function's flags."""
        told = self._or_nothing(lambda: self.codec.encode(look_at(value))) if self.is_looked_at else None
        return told or flags_of(value)

    def _or_nothing(self, encode: Callable[[], Any]) -> Any:
        """Returns the JSON for something a caller can do without; None if it cannot cross."""
        mark = self._mark()
        try:
            return encode()
        except TypeError:
            self._undo(mark)
            return None

    def _mark(self) -> Any:
        return self.codec.shared.next_number, set(self._told)

    def _undo(self, mark: Any) -> None:
        """Forgets what was encoded since `mark` but not sent: the other side never heard of it."""
        self.codec.shared.forget_from(mark[0])
        self._told &= mark[1]

    def _bound(self, value: Any) -> Any:
        """Returns the JSON for a method of an object that crosses by number: the object and the method's name, or
        None."""
        owner, name = value.__self__, value.__name__
        cls = cast(Any, type(owner))
        if kind_of(cls) != "object" or not self.may_name(cls, name):
            return None
        return {"M": [self.codec.encode(owner), name]} if own_method(owner, name) is value.__func__ else None

    def may_name(self, cls: type, name: str) -> bool:  # noqa: ARG002
        """Returns whether the other side may use this attribute of objects of this class of this side."""
        return True

    def _read_bound(self, content: Any) -> Any:
        thing, name = self.codec.decoded(content)
        found = own_method(thing, name)
        if found is None or not self.may_name(cast(Any, type(thing)), name):
            raise DecodeError("a method of no such object")
        return MethodType(found, thing)

    def _object(self, value: Any, kind: Any) -> Any:
        bound = self._bound(value) if kind is MethodType else None
        if bound:
            return bound
        named = self.name_of(value)
        if named:
            return {"g": named}
        module = kind.__module__
        awaits, iterates = issubclass(kind, Awaitable), issubclass(kind, Iterator)
        if awaits and module in ("builtins", "_asyncio"):
            return {"Q" if module == "_asyncio" else "w": self.export(value)}
        if kind in (map, filter):
            return {"y": [self.export(value), kind.__name__, False]}
        if iterates and module in _STREAMED:
            return {"y": [self.export(value), None, bool(getattr(value, "gi_suspended", False))]}
        if kind is AsyncGeneratorType:
            return {"Y": self.export(value)}
        if kind in _CALLED or (module, kind.__name__) == ("typing", "NewType"):
            name = str(getattr(value, "__name__", kind.__name__))
            return {"f": [self.export(value), name, flags_of(value), None]}
        number = self.export(value)
        return {"h": [number, self._described(kind)]}

    def export(self, value: Any, asked: bool = True) -> int:
        """Returns the number by which the other side names this object. `asked` is false if it is only described, not
        handed over; then `permit` is not asked."""
        number = self._numbers.get(identity(value))
        if number is None:
            if asked:
                self.permit(value)
            number = self._next
            self._next += 2
            self.adopt(number, value)
        if self.prunes:
            self._still_held.add(number)
        return number

    def let_go(self) -> list[int]:
        """Returns the numbers of lent objects that only the other side still needs. If many are lent, not every message
        looks for them, so that the cost stays in proportion to what is told."""
        self._messages += 1
        if len(self._still_held) > LOOKED_AT_ONCE * self._messages:
            return []
        self._messages = 0
        lent = [number for number in self._still_held if number not in self._told]
        return [number for number in lent if getrefcount(self.exports[number]) <= LAST_REFERENCES]

    def adopt(self, number: int, value: Any) -> None:
        self.exports[number] = value
        self._numbers[identity(value)] = number

    def release(self, numbers: list[int]) -> None:
        """Forgets the objects of these numbers, which the other side no longer holds."""
        for number in numbers:
            value = self.exports.get(number)
            if value is not None and number not in self._told:
                del self.exports[number]
                self._still_held.discard(number)
                self._numbers.pop(identity(value), None)

    def class_json(self, cls: type) -> Any:
        """Returns the JSON for a class: its number if it is the other side's, its name if both sides have it, else a
        description (sent once)."""
        number = cls.__dict__.get(NUMBER)
        if number is not None:
            return {"~": number}
        named = name_of_class(cls) or self.name_of(cls)
        if named:
            return {"g": named}
        self.permit(cls)
        return self._described(cls)

    def _described(self, cls: type) -> Any:
        """Returns the JSON for the class as a mirror, even if both sides have that class."""
        number = self.export(cls, asked=False)
        if number in self._told:
            return {"k": number}
        self._told.add(number)
        return {"K": [number, describe(cls, self.class_json, self.codec.encode, self._told_method)]}

    def _read_class(self, content: Any) -> type:
        number, description = content
        self._classes[number] = build(number, description, self.codec.decode)
        return self._classes[number]

    def _read_handle(self, content: Any) -> Any:
        number, described = content
        cls = self.codec.decode(described)
        if not isinstance(cls, Mirror):
            raise DecodeError("a handle of no mirrored class")
        return self.mirrors.get(number, lambda: new_handle(cls, number))

    def _read_function(self, content: Any) -> Any:
        number, name, told, attributes = content
        made = self.mirrors.get(number, lambda: function(number, str(name), self.codec.decode(told)))
        return made if attributes is None else shared_with(made, self.codec.decode(attributes))

    def _read_member(self, content: Any) -> Any:
        described, name, raw = content
        cls: Any = self.codec.decode(described)
        if not issubclass(cls, enum.Enum):
            raise DecodeError("a member of no enum")
        return cls[name] if name is not None else cls(self.codec.decode(raw))

    def _read_value(self, content: Any) -> Any:
        cls, parts, attributes = self.codec.decoded(content)
        if kind_of(cls) != "value":
            raise DecodeError("a value of no value's class")
        made = value_base(cls).__new__(cls, *parts)
        if attributes:
            made.__dict__.update(attributes)
            if not attributes.keys().isdisjoint(dir(value_base(cls))):
                SIDE.peer.answered()  # it hides a method of the builtin class
        fields: list[Any] = [vars(owner)["_fields"] for owner in cls.__mro__ if "_fields" in vars(owner)]
        _look_at({**attributes, **(dict(zip(fields[0], parts[0], strict=True)) if fields else {})})
        return made


def _look_at(held: Mapping[Any, Any]) -> None:
    """Notes an object of the other side that may pose as a value by what it holds."""
    if may_pose(held):
        SIDE.peer.answered()
