"""Knows which stand-in of this process stands for which object of the other one, and for how long."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection
from typing import Any


class _Ref(weakref.ref[Any]):
    """A weak reference to a stand-in, which outlives it and still tells the stand-in's identity and the number of the
    object that it stood for."""

    number = 0
    identity = 0


class Mirrors:
    """The stand-ins for objects of the other process, by the objects' numbers."""

    def __init__(self) -> None:
        self._living: dict[int, _Ref] = {}
        self._numbers: dict[int, int] = {}
        """Identity of a living stand-in -> number of the object that it stands for."""
        self.dead: list[int] = []
        """Numbers whose stand-ins have died without the other side knowing yet."""
        self.kept: dict[int, Any] | None = None
        """By number, stand-ins that are kept alive until the other side says that it no longer holds their objects.
        None when only their users keep them alive."""
        self.made = 0
        """How many stand-ins have been made."""

    def number(self, value: Any) -> int | None:
        """Returns the number of the object that `value` stands for; None when it is no stand-in."""
        return self._numbers.get(id(value))

    def of_class(self, cls: type) -> list[int]:
        """Returns the numbers of the living stand-ins of exactly this class, in the order in which they were
        made."""
        return [number for number, ref in self._living.items() if type(ref()) is cls]

    def get(self, number: int, make: Callable[[], Any]) -> Any:
        """Returns the living stand-in for the object of that number. If there is none, `make` makes it."""
        known = self._living.get(number)
        value = known() if known is not None else None
        if value is None:
            value = make()
            self.made += 1
            ref = _Ref(value, self._died)
            ref.number, ref.identity = number, id(value)
            self._living[number] = ref
            self._numbers[ref.identity] = number
            if number in self.dead:
                self.dead.remove(number)
        if self.kept is not None:
            self.kept[number] = value
        return value

    def loosen(self, numbers: Collection[int]) -> None:
        """Stops keeping these stand-ins alive: the other side holds their objects only for the sake of the
        stand-ins."""
        for number in numbers:
            (self.kept or {}).pop(number, None)

    def forget(self, value: Any) -> None:
        """Forgets a stand-in that stands for nothing of the other side after all."""
        del self._living[self._numbers.pop(id(value))]

    def _died(self, ref: Any) -> None:
        if self._living.get(ref.number) is ref:
            del self._living[ref.number]
            self.dead.append(ref.number)
        if self._numbers.get(ref.identity) == ref.number:
            del self._numbers[ref.identity]

    def buried(self, numbers: Collection[int]) -> None:
        """Removes from `dead` the numbers of stand-ins whose death the other side knows by now."""
        heard = set(numbers)
        self.dead = [number for number in self.dead if number not in heard]
