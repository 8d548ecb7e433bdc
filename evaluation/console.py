"""How the commands of this room speak: figures on stdout, everything else on stderr, one line for an error."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, exit 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def show(text: str) -> None:
    sys.stdout.write(text + "\n")


def say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def whole(text: str) -> int:
    """A positive whole number of the command line."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
