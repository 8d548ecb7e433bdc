"""Contexts of `contextvars` that the tests' code runs in, and those that stand for them in the solution's process.

Nothing tells one context from another, but a token may only be used in the context that gave it: a context that finds
the mark of another is a copy of that one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, ContextVar, Token, copy_context
from typing import Any


class _Mark:
    def __init__(self, number: int, parent: int | None) -> None:
        self.told = [number, parent]
        self.token: Token[_Mark]


class ContextsHere:
    """The tests' side: numbers contexts, and tells of which one each is a copy."""

    def __init__(self) -> None:
        self._mark: ContextVar[_Mark] = ContextVar("mark")
        self._last = 0
        self._set(_Mark(0, None))

    def current(self) -> list[int | None]:
        """[its number, the number of the context that it is a copy of, None for one that began empty]."""
        mark = self._mark.get(None)
        if mark is None or not self._is_of_here(mark):
            self._last += 1
            mark = _Mark(self._last, mark and mark.told[0])
        self._set(mark)
        return mark.told

    def _is_of_here(self, mark: _Mark) -> bool:
        try:
            self._mark.reset(mark.token)
        except ValueError:
            return False
        return True

    def _set(self, mark: _Mark) -> None:
        mark.token = self._mark.set(mark)


class ContextsThere:
    """The solution's side: runs a call in what stands for the context it was made in."""

    def __init__(self) -> None:
        self._by_number: dict[int, Context] = {0: copy_context()}
        self._entered: list[Context] = []
        self._asked = self._by_number[0]

    def choose(self, number: int, parent: int | None) -> None:
        """The next call is made in this one. Raises KeyError for a copy of none."""
        if number not in self._by_number:
            self._by_number[number] = Context() if parent is None else self._by_number[parent].copy()
        self._asked = self._by_number[number]

    def run(self, call: Callable[[], Any]) -> Any:
        """Call within the chosen context; one that is entered already cannot be entered once more."""
        context = self._asked
        if any(entered is context for entered in self._entered):
            return call()
        self._entered.append(context)
        try:
            return context.run(call)
        finally:
            self._entered.pop()
