"""Input and output of the commands `python -m sandbox ...`: answers go to stdout, everything else to stderr, and a
signal leads to one orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import sys
from collections.abc import Coroutine, Generator
from types import FrameType
from typing import Any, TextIO, cast

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class UsageError(Exception):
    """What the person gave cannot be used; the message is one line."""


class Unread(Exception):
    """The answer cannot be written. The message says why; it is empty when the reader has just gone away."""


def answer(text: str) -> None:
    """Writes to stdout at once. Raises Unread."""
    out = cast(TextIO | None, sys.stdout)
    if out is None:
        raise Unread
    encoding = out.encoding or "utf-8"
    try:
        out.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        out.flush()
    except OSError as error:
        raise Unread("" if error.errno == errno.EPIPE else f"cannot write the answer: {error.strerror}") from error


def one_line(text: str) -> str:
    return " ".join(text.split())


def complain(message: str) -> None:
    """Writes one line to stderr, if the process has one."""
    if cast(TextIO | None, sys.stderr) is not None:
        with contextlib.suppress(OSError):
            print(f"sandbox: {one_line(message)}", file=sys.stderr, flush=True)  # noqa: T201


def forget_stdout() -> None:
    """Sends what stdout still buffers to /dev/null, or the interpreter would print an error about it at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class StoppedBySignal(BaseException):
    """A signal asked this process to end. This is no Exception, so that no `except Exception` takes it for a
    failure."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.number = number


class Stops:
    """Turns Ctrl-C, SIGTERM and a closed terminal into one `StoppedBySignal`, which is raised after everything was
    cleaned up."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._task: asyncio.Task[int] | None = None
        self._over = False

    @contextlib.contextmanager
    def watched(self) -> Generator[None]:
        """Lets signals stop the work inside the `with` block. Signals that the parent process ignored stay ignored."""
        heard = [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self._stop) for number in heard}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def unblock_signals(self) -> None:
        """Unblocks the signals. Raises StoppedBySignal if one has been waiting."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        if self._over or self._number is not None:
            return  # a second signal must not interrupt the cleaning up, and one after the answer has nothing to stop
        self._number = number
        if self._task is None:
            raise StoppedBySignal(number)
        self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    def run(self, work: Coroutine[Any, Any, int]) -> int:
        """Runs `work` and returns its result. After a signal, raises StoppedBySignal once `work` has cleaned up."""
        try:
            return asyncio.run(self._followed(work))
        except asyncio.CancelledError:
            assert self._number is not None
            raise StoppedBySignal(self._number) from None

    async def _followed(self, work: Coroutine[Any, Any, int]) -> int:
        self._task = cast("asyncio.Task[int]", asyncio.current_task())
        try:
            return await work
        finally:
            self._over = True
