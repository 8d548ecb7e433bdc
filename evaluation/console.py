"""How the commands of this room speak: figures on stdout, everything else on stderr, one line for an error."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Says what is wrong in one line and ends the process with code 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def show(text: str) -> None:
    sys.stdout.write(text + "\n")


def say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def whole(text: str) -> int:
    """Reads a positive whole number of the command line. Raises ArgumentTypeError."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


class Progress:
    """How far a long command is, how fast, and how long it will still take."""

    def __init__(self, total: int, clock: Callable[[], float]) -> None:
        """`clock`: seconds that only grow."""
        self._total, self._clock = total, clock
        self._done, self._begun = 0, clock()

    def step(self) -> str:
        """Counts one more and returns "3 of 12, 6.0 a minute, about 2 min left"."""
        self._done += 1
        spent = max(self._clock() - self._begun, 1e-9)
        left = spent / self._done * (self._total - self._done)
        return f"{self._done} of {self._total}, {60 * self._done / spent:.1f} a minute, about {left / 60:.0f} min left"
