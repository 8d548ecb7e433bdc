"""Threads of the tests, repeated in the solution's process: what a thread of theirs calls runs in one of its own there,
with its name, its locks and what it alone keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from queue import SimpleQueue
from threading import Thread, current_thread, local
from typing import Any

Job = tuple[Callable[[], Any], SimpleQueue[list[Any]]]


class Threads:
    """Runs calls for threads of the other process, by their numbers."""

    def __init__(self) -> None:
        self._jobs: dict[int, SimpleQueue[Job | None]] = {}
        self._here = local()

    def run(self, number: int, name: str, call: Callable[[], Any]) -> Any:
        """What the call gives or raises in that thread, which begins with its first call."""
        if getattr(self._here, "number", None) == number:
            return call()
        if number not in self._jobs:
            self._jobs[number] = SimpleQueue()
            Thread(target=self._work, args=(number, self._jobs[number]), name=name, daemon=True).start()
        told: SimpleQueue[list[Any]] = SimpleQueue()
        self._jobs[number].put((call, told))
        del call
        outcome = told.get()
        if len(outcome) > 1:
            raise outcome.pop()
        return outcome.pop()

    def _work(self, number: int, jobs: SimpleQueue[Job | None]) -> None:
        self._here.number = number
        while job := jobs.get():
            call, told = job
            told.put(_outcome(call))
            del job, call, told  # nothing here holds on to what crossed

    def end(self, numbers: Iterable[int]) -> None:
        """These have ended there."""
        for number in numbers:
            if jobs := self._jobs.pop(number, None):
                jobs.put(None)


def _outcome(call: Callable[[], Any]) -> list[Any]:
    """The value alone, or nothing and an exception."""
    try:
        return [call()]
    except BaseException as problem:  # noqa: BLE001 - it is raised in the thread that waits for it
        return [None, problem]


class Numbers:
    """The numbers of this process's threads."""

    def __init__(self) -> None:
        self._known = local()
        self._next = 0
        self.ended: list[int] = []
        """Of which the other side has not heard."""

    def of_this(self) -> list[Any]:
        """Number and name of the thread that asks."""
        if not hasattr(self._known, "token"):
            self._next += 1
            self._known.token = _Token(self._next, self.ended)
        return [self._known.token.number, current_thread().name]


class _Token:
    """Dies with its thread."""

    def __init__(self, number: int, ended: list[int]) -> None:
        self.number, self._ended = number, ended

    def __del__(self) -> None:
        self._ended.append(self.number)
