"""Contexts of `contextvars` that the tests' code runs in, and those that stand for them in the solution's process.

Nothing tells one context from another, but a token may only be used in the context that gave it: a context that finds
the mark of another is a copy of that one, made after the message that set the mark.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, ContextVar, Token, copy_context
from typing import Any

_MOST = 1000
"""Earlier states of contexts that are kept."""


class _Mark:
    """Set anew with each message."""

    def __init__(self, state: list[int], parent: list[int] | None) -> None:
        self.state = state
        """Its number, and the number of the message."""
        self.told: list[Any] = [*state, parent]
        self.token: Token[_Mark]


class ContextsHere:
    """The tests' side: numbers contexts, and tells of which one each is a copy."""

    def __init__(self) -> None:
        self._mark: ContextVar[_Mark] = ContextVar("mark")
        self._last = self._messages = 0
        self._set(_Mark([0, 0], None))

    def current(self) -> list[Any]:
        """[its number, the number of this message, these two numbers of the message after which it was copied, None for
        one that began empty]."""
        before = self._mark.get(None)
        self._messages += 1
        if before is not None and self._is_of_here(before):
            mark = _Mark([before.state[0], self._messages], before.told[2])
        else:
            self._last += 1
            mark = _Mark([self._last, self._messages], before and before.state)
        self._set(mark)
        return mark.told

    def _is_of_here(self, mark: _Mark) -> bool:
        try:
            self._mark.reset(mark.token)
        except (ValueError, RuntimeError):  # of another context, which may have used it since
            return False
        return True

    def _set(self, mark: _Mark) -> None:
        mark.token = self._mark.set(mark)


class ContextsThere:
    """The solution's side: runs a call in what stands for the context it was made in."""

    def __init__(self) -> None:
        self._by_number: dict[int, Context] = {0: copy_context()}
        self._entered: list[Context] = []
        self._asked, self._state = self._by_number[0], (0, 0)
        self._before: dict[tuple[int, int], Context] = {}
        """What contexts held after a call, by their number and that of the message."""

    def choose(self, number: int, message: int, parent: list[int] | None) -> None:
        """The next call is made in this one. Raises KeyError for a copy of none."""
        if number not in self._by_number:
            self._by_number[number] = Context() if parent is None else self._state_of(parent).copy()
        self._asked, self._state = self._by_number[number], (number, message)

    def _state_of(self, state: list[int]) -> Context:
        """What it held when it was copied; after a message that was no call, or long ago, what it holds now."""
        return self._before.get((state[0], state[1]), self._by_number[state[0]])

    def run(self, call: Callable[[], Any]) -> Any:
        """Call within the chosen context; one that is entered already cannot be entered once more."""
        context, state = self._asked, self._state
        try:
            if any(entered is context for entered in self._entered):
                return call()
            self._entered.append(context)
            try:
                return context.run(call)
            finally:
                self._entered.pop()
        finally:
            self._keep(state, context)

    def _keep(self, state: tuple[int, int], context: Context) -> None:
        self._before[state] = context.copy()
        if len(self._before) > _MOST:
            del self._before[next(iter(self._before))]
