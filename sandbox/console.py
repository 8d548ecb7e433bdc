"""How the commands of this room speak and stop: answers on stdout, all else on stderr, one orderly end for a signal."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import os
import signal
import sys
from collections.abc import Coroutine, Generator
from types import FrameType
from typing import Any, NoReturn, TextIO, cast

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class BadInput(Exception):
    """What the person gave cannot be used; the message is one line."""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raises BadInput instead of printing the usage, too."""
        raise BadInput(message)

    def print_help(self, file: Any = None) -> None:
        """Raises Unread, as every answer does."""
        if file is None:
            answer(self.format_help().rstrip())
        else:
            super().print_help(file)


class Unread(Exception):
    """The answer cannot be written; the message says why, and is empty where the reader has just gone away."""


def answer(text: str) -> None:
    """Write to stdout at once. Raises Unread."""
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
    """One line on stderr, where there is one."""
    if cast(TextIO | None, sys.stderr) is not None:
        with contextlib.suppress(OSError):
            print(f"sandbox: {one_line(message)}", file=sys.stderr, flush=True)  # noqa: T201


def forget_stdout() -> None:
    """What is still buffered goes nowhere, so that the interpreter finds nothing to complain of when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Stopped(BaseException):
    """A signal asked this process to end. Not an Exception: nothing on the way may take it for a failure."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.number = number


class Stops:
    """Ctrl-C, SIGTERM and a closed terminal, turned into one `Stopped`, raised where everything has been cleaned up."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._task: asyncio.Task[int] | None = None
        self._over = False

    @contextlib.contextmanager
    def watched(self) -> Generator[None]:
        """Within it signals stop the work; those that the parent process chose to ignore stay ignored."""
        heard = [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self._stop) for number in heard}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def hear(self) -> None:
        """From now on signals come through. Raises Stopped where one has waited."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        if self._over or self._number is not None:
            return  # a second signal must not break into the cleaning up, nor one that comes after the answer
        self._number = number
        if self._task is None:
            raise Stopped(number)
        self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    def run(self, work: Coroutine[Any, Any, int]) -> int:
        """What `work` returns. Raises Stopped after a signal, when `work` has cleaned up behind itself."""
        try:
            return asyncio.run(self._followed(work))
        except asyncio.CancelledError:
            assert self._number is not None
            raise Stopped(self._number) from None

    async def _followed(self, work: Coroutine[Any, Any, int]) -> int:
        self._task = cast("asyncio.Task[int]", asyncio.current_task())
        try:
            return await work
        finally:
            self._over = True
