"""Lets threads of the program call what the tests handed to them while the tests sleep or wait for one another, and
tells where an exception ends a thread of the tests."""

from __future__ import annotations

import importlib
from _thread import allocate_lock
from collections.abc import Callable, Iterator
from threading import Condition, get_ident
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .peer import Peer


THREADED = ("thread", "Timer", "concurrent.futures")
"""Words of programs that may have threads of their own."""
_LOST = "an exception ended a thread of the tests, which no check sees"
_IN_VAIN = "the tests wait for one another in what a thread of the program calls"
_SLICE = 0.005
"""Seconds after which a waiting thread looks whether it was woken."""


def serve_while_waiting(peer: Peer) -> None:
    """Lets the thread that asks the program sleep in the program's process instead of here, where it answers calls
    meanwhile."""
    clock: Any = importlib.import_module("time")  # the suite's module, of which the worker's own code may have a copy
    asking, sleep, wait = get_ident(), clock.sleep, Condition.wait

    def rest(seconds: float) -> None:
        peer.call({"op": "rest"}, (seconds,), {})

    def sleep_there(seconds: float) -> None:
        (rest if get_ident() == asking and seconds > 0 else sleep)(seconds)

    def wait_there(condition: Any, timeout: float | None = None) -> bool:
        if get_ident() != asking:
            return wait(condition, timeout)
        if peer.answering:
            peer.limit(_IN_VAIN)
        return _waited(condition, timeout, rest)

    clock.sleep = sleep_there
    setattr(Condition, "wait", wait_there)  # noqa: B010 - the name of its first parameter is no matter


def _waited(condition: Any, timeout: float | None, rest: Callable[[float], None]) -> bool:
    """Waits as `Condition.wait` does, in slices of rest with its lock free, because a call from the program may wake
    this very thread."""
    if not condition._is_owned():
        raise RuntimeError("cannot wait on un-acquired lock")
    waiter = allocate_lock()
    waiter.acquire()
    condition._waiters.append(waiter)
    state = condition._release_save()
    until = None if timeout is None else monotonic() + timeout
    try:
        while not waiter.acquire(blocking=False):
            if until is not None and monotonic() >= until:
                condition._waiters.remove(waiter)
                return False
            rest(_SLICE)
        return True
    finally:
        condition._acquire_restore(state)


def limits_of(args: Any, asking: int, doubt: Callable[[str], None]) -> Iterator[str]:
    """Yields what a call with these arguments does that two processes cannot do. `asking` is the thread that may call;
    where another one does, `doubt` hears if it is lost."""
    if any(type(arg) is memoryview and not arg.readonly for arg in args):
        yield "the tests hand the program a view of memory that it may write to"
    if get_ident() != asking:
        yield "the tests call the program from a thread of their own"
        _watch_threads(doubt)


def _watch_threads(doubt: Callable[[str], None]) -> None:
    """From now on `doubt` hears if an exception ends a thread of the tests, unless these do something about it."""
    theirs: Any = importlib.import_module("threading")  # the suite's module, as above
    tell = theirs.__excepthook__

    def lost(ended: Any) -> None:
        doubt(_LOST)
        tell(ended)

    if theirs.excepthook is tell:
        theirs.excepthook = lost
