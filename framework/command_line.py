"""Parses the words of a command, for every program of the project alike."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from .version import version


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
        print(text)  # noqa: T201


class _ShowVersion(argparse.Action):
    """Reads the version only when it is asked for, since that reads a file."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, CommandParser)
        parser.answer(f"{parser.prog} {version()}")
        parser.exit()
