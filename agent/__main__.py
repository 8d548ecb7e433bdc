"""The command line: run a task, a demo scenario, list runs, resume or answer one."""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # What is loaded below takes a second. A Ctrl-C that comes meanwhile waits until `main` can answer for it.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))

import argparse
import sys
from typing import NoReturn

from framework.ending import run_command
from framework.errors import FrameworkError, NotResumable, RunBusy, SettingsError, StaleAnswer, StoreError, UnknownRun
from framework.log import setup_logging
from framework.redact import Redactor
from framework.settings import Settings
from llm.errors import LLMError

from . import commands
from .config import AUTONOMY
from .request import BadInput

USAGE_ERRORS = (BadInput, SettingsError, StoreError, UnknownRun, StaleAnswer, RunBusy, NotResumable)


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, exit 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def main(argv: list[str] | None = None) -> int:
    arguments = _parse(sys.argv[1:] if argv is None else argv)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
        settings = Settings.from_env()
        setup_logging(Redactor(settings.secrets()), level=settings.log_level.upper())
        return commands.run(arguments, settings)
    except USAGE_ERRORS as error:
        print(f"{arguments.prog}: {error}", file=sys.stderr)  # noqa: T201
        return 2
    except (LLMError, FrameworkError) as error:
        return commands.refused(arguments, error)
    except KeyboardInterrupt:
        return commands.stopped(arguments)


COMMANDS = ("runs", "resume", "fork", "demo", "show")


def _parse(argv: list[str]) -> argparse.Namespace:
    """The first word chooses a command; anything else is a task."""
    command = argv[0] if argv and argv[0] in COMMANDS else "task"
    parser = {"runs": _runs, "resume": _resume, "fork": _fork, "demo": _demo, "show": _show, "task": _task}[command]()
    arguments = parser.parse_args(argv[command != "task" :])
    arguments.command, arguments.prog = command, parser.prog
    return arguments


def _task() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m agent",
        description="Write a program for a task, test it, repair it, and say what was verified.",
        epilog="Also: python -m agent demo [NAME], python -m agent runs | resume RUN | show RUN.",
    )
    parser.add_argument("task", nargs="?", help='the task in plain words; "-" reads it from standard input')
    parser.add_argument("--code", metavar="F", help="code to be fixed or extended")
    parser.add_argument("--tests", metavar="F", help="your own tests: they are trusted above all others")
    parser.add_argument("--data", metavar="F", action="append", default=[], help="a data file of the task")
    parser.add_argument("--follow", metavar="RUN", help="go on from this run: its program, files and checks come along")
    parser.add_argument("--provider", metavar="P")
    parser.add_argument("--model", metavar="M")
    _flags(parser)
    return parser


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--autonomy", choices=AUTONOMY)
    parser.add_argument("--max-repairs", type=int, metavar="N")
    parser.add_argument("--strategies", type=int, metavar="N", help="repairs written in parallel, 1 to 3")
    parser.add_argument("--budget-usd", type=float, metavar="X")
    parser.add_argument("--budget-calls", type=int, metavar="N")
    parser.add_argument("--budget-tokens", type=int, metavar="N", help="read and written by models")
    parser.add_argument("--timeout", type=float, metavar="S", help="wall seconds of the run")
    parser.add_argument(
        "--install-packages", action="store_true", default=None, help="install what programs import, from wheels only"
    )
    _outputs(parser)


def _outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="F", help="write the program to this file")
    parser.add_argument("--bundle", metavar="ZIP", help="write program, tests, evidence and journal to this file")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def _demo() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m agent demo", description="Run a scenario of the scripted demo model, offline.")
    parser.add_argument("name", nargs="?", help="the scenario; see --list")
    parser.add_argument("--list", action="store_true")
    _flags(parser)
    return parser


def _runs() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m agent runs", description="List the stored runs, newest first.")
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    return parser


def _show() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m agent show",
        description="Print what each role of a run was told and answered (kept unless KEEP_DIALOGUE=off).",
    )
    parser.add_argument("run", help="the run's id; see python -m agent runs")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser


def _fork() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m agent fork",
        description="Begin a new run with an attempt of another one; what you edit replaces what that run had.",
    )
    parser.add_argument("run", help="the id of the run, or how it begins; see python -m agent runs")
    parser.add_argument("--attempt", metavar="N", default="", help="which of its programs, e.g. 2; its best by default")
    parser.add_argument("--task", metavar="TEXT", help="another task; its checks are written anew")
    parser.add_argument("--code", metavar="F", help="another program in the place of the attempt")
    parser.add_argument("--tests", metavar="F", help="your own tests in the place of those the run was given")
    _outputs(parser)
    return parser


def _resume() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m agent resume", description="Continue a stopped run, or answer a waiting one.")
    parser.add_argument("run")
    parser.add_argument(
        "--answer",
        metavar="ID=approve|abort|revise:TEXT|tick:VALUE|edit:PROGRAM",
        help="the answer to the pending question; the waiting run names those that fit it",
    )
    parser.add_argument("--data", metavar="F", action="append", default=[], help="a file that the question asks for")
    _outputs(parser)
    return parser


if __name__ == "__main__":
    run_command(main)
