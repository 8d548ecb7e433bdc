"""Matches the contexts of `contextvars` in which the tests' code runs to contexts in the solution's process.

Nothing tells one context from another, but a token may only be used in the context that gave it. A context that finds
the mark of another is therefore a copy of that one, made after the message that set the mark."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, ContextVar, Token, copy_context
from typing import Any

_MOST = 1000
"""Most earlier states of contexts that are kept."""


class _Mark:
    """A mark that each message sets anew in its context."""

    def __init__(self, state: list[int], parent: list[int] | None) -> None:
        self.state = state
        """The number of the context, and the number of the message."""
        self.told: list[Any] = [*state, parent]
        self.token: Token[_Mark]


class ContextsHere:
    """The tests' side: numbers contexts, and tells of which one each is a copy."""

    def __init__(self) -> None:
        self._mark: ContextVar[_Mark] = ContextVar("mark")
        self._last = self._messages = 0
        self._set(_Mark([0, 0], None))

    def current(self) -> list[Any]:
        """Returns [the context's number, this message's number, origin]. The origin is these two numbers of the message
        after which the context was copied; None for one that began empty."""
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
        except (ValueError, RuntimeError):  # the token is another context's, or has been used since
            return False
        return True

    def _set(self, mark: _Mark) -> None:
        mark.token = self._mark.set(mark)


class ContextsThere:
    """The solution's side: runs a call in the context that stands for the one it was made in."""

    def __init__(self) -> None:
        self._by_number: dict[int, Context] = {0: copy_context()}
        self._entered: list[Context] = []
        self._asked, self._state = self._by_number[0], (0, 0)
        self._before: dict[tuple[int, int], Context] = {}
        """What contexts held after a call, by their number and the message's number."""

    def choose(self, number: int, message: int, parent: list[int] | None) -> None:
        """Chooses the context of the next call. Raises KeyError if it is a copy of an unknown one."""
        if number not in self._by_number:
            self._by_number[number] = Context() if parent is None else self._state_of(parent).copy()
        self._asked, self._state = self._by_number[number], (number, message)

    def _state_of(self, state: list[int]) -> Context:
        """Returns what the context held when it was copied. If that message was no call, or is long ago, returns what
        it holds now."""
        return self._before.get((state[0], state[1]), self._by_number[state[0]])

    def run(self, call: Callable[[], Any]) -> Any:
        """Calls within the chosen context. One that is entered already cannot be entered again, so the call then runs
        directly."""
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
