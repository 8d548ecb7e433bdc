"""Parses the words of a command and ends it, for every program of the project alike."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from .version import version

STOPPED, UNREAD = 130, 141
"""The exit codes after Ctrl-C, and after the reader of the output has gone away."""


class CommandParser(argparse.ArgumentParser):
    """A parser that knows `--version` and reports an error in one line. Parsers of its subcommands do the same."""

    def __init__(self, **options: Any) -> None:
        """Takes what `argparse.ArgumentParser` takes."""
        super().__init__(**options)
        self.add_argument("--version", action=_ShowVersion, nargs=0, help="the version of the project")

    def error(self, message: str) -> NoReturn:
        """Prints what is wrong in one line and ends the process with code 2."""
        self.exit(2, f"{self.prog}: {message}\n")

    def answer(self, text: str) -> None:
        """Writes the version to stdout."""
        print(text)


class _ShowVersion(argparse.Action):
    """Reads the version only when it is asked for, since that reads a file."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, CommandParser)
        parser.answer(f"{parser.prog} {version()}")
        parser.exit()


def run_command(main: Callable[[], int]) -> NoReturn:
    """Ends the process with the code that `main` returns, with STOPPED after Ctrl-C, or with UNREAD if the reader is
    gone."""
    try:
        code = main()
        print(end="", flush=True)
    except KeyboardInterrupt:
        code = STOPPED
    except BrokenPipeError:
        code = UNREAD
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):
            os.dup2(nowhere, number)
    # All output is written: Ctrl-C must not interrupt the interpreter's own end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)
