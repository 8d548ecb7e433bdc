"""The living stand-ins for objects of the other process, one for each, and which of them have died."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any


class _Ref(weakref.ref[Any]):
    number = 0
    identity = 0


class Mirrors:
    """Keeps the stand-ins for objects of the other process by their numbers, held weakly."""

    def __init__(self) -> None:
        self._living: dict[int, _Ref] = {}
        self._numbers: dict[int, int] = {}
        """Identity of a living stand-in -> number of what it stands for."""
        self._dead: list[int] = []
        self.made = 0
        """How many stand-ins there have been."""

    def number(self, value: Any) -> int | None:
        """Returns the number of the object that `value` stands for; None where it is no stand-in."""
        return self._numbers.get(id(value))

    def get(self, number: int, make: Callable[[], Any]) -> Any:
        """The stand-in of that number, made where there is none."""
        known = self._living.get(number)
        value = known() if known is not None else None
        if value is None:
            value = make()
            self.made += 1
            ref = _Ref(value, self._died)
            ref.number, ref.identity = number, id(value)
            self._living[number] = ref
            self._numbers[ref.identity] = number
            if number in self._dead:
                self._dead.remove(number)
        return value

    def forget(self, value: Any) -> None:
        """Forgets a stand-in, which stands for nothing of the other side after all."""
        del self._living[self._numbers.pop(id(value))]

    def _died(self, ref: Any) -> None:
        if self._living.get(ref.number) is ref:
            del self._living[ref.number]
            self._dead.append(ref.number)
        if self._numbers.get(ref.identity) == ref.number:
            del self._numbers[ref.identity]

    def dead(self) -> list[int]:
        """Numbers whose stand-ins have died since this was last asked."""
        dead, self._dead = self._dead, []
        return dead
