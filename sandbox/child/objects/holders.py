"""Knows the classes of `collections` whose objects answer by one builtin container that they hold. What such an object
answers, the tests' side computes from what that holds, also for a class of the program that only adds methods."""

from __future__ import annotations

from collections import ChainMap, UserDict, UserList, UserString
from typing import Any, cast

_HELD: dict[Any, tuple[str, type]] = {
    UserDict: ("data", dict),
    UserList: ("data", list),
    UserString: ("data", str),
    ChainMap: ("maps", list),
}
_HOLDERS = {holder.__name__: holder for holder in _HELD}
_WORDS = "len iter contains reversed eq ne lt le gt ge getitem str hash"
ANSWERING = frozenset(f"__{word}__" for word in _WORDS.split())
"""Special methods that are computed here."""
_FINDING = frozenset(("__getattribute__", "__getattr__", "__missing__", "items", "data", "maps"))
"""What else decides the answers of these methods: `==` asks a mapping for its items."""


def holder_of(cls: type) -> str | None:
    """Returns the name of the class that answers for a class; None if there is none, or if another class in between
    has anything to say to that."""
    for owner in cls.__mro__:
        if owner in _HELD:
            return owner.__name__
        if not (ANSWERING | _FINDING).isdisjoint(vars(owner)):
            return None
    return None


def attribute_for(name: str, method: str, args: Any) -> str:
    """Returns the attribute that decides what an object of this holder class answers when this method is called; "" if
    more than that does, as for a part, which is of the object's own class."""
    if method not in ANSWERING or (method == "__getitem__" and (name == "UserString" or type(args[0]) is slice)):
        return ""
    return _HELD[_HOLDERS[name]][0]


def put_together(name: str, held: Any) -> Any:
    """Returns an object of this holder class that holds this; None if an honest object would hold something else."""
    holder: Any = _HOLDERS[name]
    attribute, kind = _HELD[holder]
    if type(held) is not kind or (holder is ChainMap and any(type(one) is not dict for one in held)):
        return None
    made: Any = cast(Any, object).__new__(holder)
    made.__dict__[attribute] = held
    return made
