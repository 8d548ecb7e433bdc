"""What the tests' side does because the solution's side asks for it: read its input, wait, run what it was lent."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Thread
from typing import Any

_PATIENCE = 1.0
"""Seconds that a lock, event or queue of the tests may keep the solution waiting."""


def ask_for_line(prompt: object) -> str:
    return input(str(prompt))


def read(size: int) -> str:
    return sys.stdin.read(int(size))


def read_line(size: int) -> str:
    return sys.stdin.readline(int(size))


def soon(doing: Callable[[], Any]) -> Any:
    """Returns what a lock, event or queue gives within a second, and gives up then: no test can go on while the program
    waits for it."""
    from concurrent.futures import Future  # noqa: PLC0415 - only where the tests lend such a thing

    future: Future[Any] = Future()

    def do() -> None:
        try:
            future.set_result(doing())
        except BaseException as problem:  # noqa: BLE001 - whatever is raised there is raised here
            future.set_exception(problem)

    Thread(target=do, daemon=True).start()
    return future.result(_PATIENCE)


class Settled:
    """What an awaitable of the tests came to, for the other side to await; or the number under which it hears of it."""

    def __init__(self, value: Any, number: int | None = None) -> None:
        self.value = value
        self.number = number


def settled(given: Any) -> Any:
    """The value of what a callback of the tests gave to await."""
    if type(given).__module__ not in ("builtins", "_asyncio"):
        return given
    from .awaits import run_here  # noqa: PLC0415 - brings asyncio, which only async suites need

    return run_here(given)
