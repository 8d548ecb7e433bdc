"""Lets the commands of `evaluation` speak alike.

Figures go to stdout and everything else to stderr; an error is one line.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from rich.console import Console as Screen
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as LiveBar

from .suites import BadSuite


def show(text: str) -> None:
    sys.stdout.write(text + "\n")


def say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def write(path: Path, content: str | bytes) -> None:
    """Writes a file. Raises BadSuite if it cannot be written."""
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise BadSuite(f"{path} cannot be written: {error.strerror}") from None


def whole(text: str) -> int:
    """Reads a positive whole number of the command line. Raises ArgumentTypeError."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


class Progress:
    """Shows how far a long command is, how fast it goes, and how long it will still take: as a live bar below the lines
    on a terminal, elsewhere at the end of each line."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic, screen: Screen | None = None) -> None:
        """Takes in `clock` a function that returns seconds that only grow."""
        self._total, self._clock = total, clock
        self._done, self._begun = 0, clock()
        screen = screen or Screen(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
        columns = BarColumn(), TextColumn("{task.description}", markup=False)
        self._bar = LiveBar(*columns, console=screen, transient=True, disable=not screen.is_terminal)
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def tell(self, line: str) -> None:
        """Counts one more item. `line` says which item it was and how it ended."""
        words = self.step()
        self._bar.update(self._task, advance=1, description=words)
        self._bar.console.print(f"{line} ({words})" if self._bar.disable else line)

    def step(self) -> str:
        """Counts one more item and returns "3 of 12, 6.0 a minute, about 2 min left"."""
        self._done += 1
        spent = max(self._clock() - self._begun, 1e-9)
        left = spent / self._done * (self._total - self._done)
        return f"{self._done} of {self._total}, {60 * self._done / spent:.1f} a minute, about {left / 60:.0f} min left"
