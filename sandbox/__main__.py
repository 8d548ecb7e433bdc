"""`python -m sandbox run|batch|doctor`: programs from the command line, and what this machine's walls are worth."""

from __future__ import annotations

import json
import os
import signal
import sys

from . import NO_FORK
from .shown import Record, broken_record, execution_record, isolation_record

if __name__ == "__main__":
    if not hasattr(os, "fork"):  # Windows: most of what is loaded below does not exist there either
        sys.stdout.write(f"{json.dumps(broken_record(NO_FORK))}\n" if "--json" in sys.argv else "")
        sys.stderr.write(f"sandbox: {NO_FORK}\n")
        raise SystemExit(3)
    # Loading takes a while. A signal that comes in that time waits until `Stops` can handle it.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))

import argparse
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, get_args

from framework.command_line import CommandParser
from framework.errors import SettingsError
from framework.settings import Settings

from .backends import BACKENDS, load
from .console import STOPPING, StoppedBySignal, Stops, Unread, UsageError, answer, complain, forget_stdout
from .given import limits_of, positive, read_files, read_package, read_source, read_text
from .launch import FLAVOURS
from .shown import findings, shown
from .supervisor import LocalSandbox
from .types import LEVELS, Execution, LevelTooLow, Limits, Mode, Program, SandboxBroken

_USAGE, _NO_SANDBOX, _SIGNALLED, _UNREAD = 2, 3, 128, 141
_EXITS = """exit: 0 for pass and ok (batch: every line could be run), 1 for any other status (batch: a line could not be
run), 2 bad input, 3 no usable sandbox, 130 after Ctrl-C, 143 after SIGTERM, 141 when the answer cannot be written"""


def main(words: Sequence[str] | None = None) -> int:
    """Parses the words, runs the command, and returns the exit code."""
    try:
        return _main(words)
    except UsageError as error:
        complain(str(error))
        return _USAGE
    except Unread as unread:
        forget_stdout()
        if str(unread):
            complain(str(unread))
        return _UNREAD


def _main(words: Sequence[str] | None) -> int:
    stops = Stops()
    arguments = _arguments(words)
    with stops.watched():
        try:
            stops.unblock_signals()
            return _COMMANDS[arguments.command](arguments, stops)
        except (LevelTooLow, SandboxBroken) as error:
            return _nothing(arguments, str(error), _NO_SANDBOX)
        except StoppedBySignal as stopped:
            return _nothing(arguments, str(stopped), _SIGNALLED + stopped.number)


def _nothing(arguments: argparse.Namespace, why: str, code: int) -> int:
    """Reports, on stderr and with --json as the one object on stdout, why there is no answer; returns `code`."""
    complain(why)
    if arguments.json:
        answer(json.dumps(broken_record(why)))
    return code


def _run(arguments: argparse.Namespace, stops: Stops) -> int:
    program = _program(arguments)
    if arguments.out:
        _make(arguments.out)
    return stops.run(_run_program(arguments, program))


async def _run_program(arguments: argparse.Namespace, program: Program) -> int:
    sandbox = LocalSandbox(2, arguments.min_level)
    try:
        execution = await sandbox.run(program)
    except ValueError as error:
        raise UsageError(str(error)) from error
    finally:
        await sandbox.aclose()
    answer(json.dumps(execution_record(execution)) if arguments.json else shown(execution))
    if arguments.out:
        _save(execution, arguments.out)
    if execution.status == "broken":
        return _NO_SANDBOX
    return 0 if execution.status in ("pass", "ok") else 1


def _program(arguments: argparse.Namespace) -> Program:
    """Builds the program that the command line describes. Raises UsageError."""
    path: Path = arguments.solution
    if [str(given) for given in (path, arguments.tests, arguments.stdin)].count("-") > 1:
        raise UsageError("standard input can be read once only")
    package, data = read_package(path) if os.path.isdir(path) else ({}, {})
    return Program(
        solution="" if package else read_source(path),
        package=package,
        tests=read_source(arguments.tests) if arguments.tests else None,
        files=data | read_files(arguments.file),
        argv=tuple(arguments.argv),
        stdin=read_text(arguments.stdin) if arguments.stdin else "",
        mode=arguments.mode,
        limits=limits_of(arguments.timeout, arguments.memory_mb, arguments.output_kb),
    )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {folder}: {error.strerror}") from error


def _save(execution: Execution, folder: Path) -> None:
    for artifact in execution.artifacts:
        path = folder / artifact.name
        if folder.resolve() not in path.resolve().parents:
            raise UsageError(f"{artifact.name} would lie outside {folder}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(artifact.data)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _batch(arguments: argparse.Namespace, stops: Stops) -> int:
    """Runs a batch. Its module is imported only here, because checking lines needs pydantic, which loads slowly."""
    room = importlib.import_module("sandbox.batch")
    return stops.run(room.batch(arguments, room.open_lines(arguments.lines)))


def _doctor(arguments: argparse.Namespace, stops: Stops) -> int:
    return stops.run(_examine(arguments))


async def _examine(arguments: argparse.Namespace) -> int:
    sandbox = LocalSandbox(1, arguments.min_level)
    try:
        found = await sandbox.examine()
    finally:
        await sandbox.aclose()
    told: Record = {
        "level": found.isolation.level,
        "isolation": isolation_record(found.isolation),
        "probes": found.tried.probes,
        "backends": dict(found.reasons),
        "untried": [name for name in BACKENDS if load(name).UNTRIED],
        "flavours": FLAVOURS,
        "python": sys.version.split()[0],
        "error": None,
    }
    answer(json.dumps(told) if arguments.json else findings(told))
    return 0


_COMMANDS: dict[str, Callable[[argparse.Namespace, Stops], int]] = {"run": _run, "batch": _batch, "doctor": _doctor}


class SandboxParser(CommandParser):
    """Leaves to `main` how an error is told, and raises Unread if help or version cannot be written."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)

    def print_help(self, file: Any = None) -> None:
        if file is None:
            answer(self.format_help().rstrip())
        else:
            super().print_help(file)

    def answer(self, text: str) -> None:
        answer(text)


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Parses the words. Raises UsageError, and SystemExit after `--help`."""
    try:
        return _parser(Settings.from_env()).parse_args(words)
    except SettingsError as error:
        raise UsageError(str(error)) from error


def _parser(settings: Settings) -> argparse.ArgumentParser:
    parser = SandboxParser(prog="python -m sandbox", description=__doc__, epilog=_EXITS)
    parser.set_defaults(json=False)
    commands: Any = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run one program", epilog=_EXITS)
    run.add_argument(
        "solution", type=_path, help="a .py file, - for stdin, or a package directory: its modules and data"
    )
    run.add_argument("--tests", type=_path, help="pytest source; it sees the solution's public names")
    run.add_argument(
        "--file", type=_path, action="append", default=[], help="data file, put into the run folder under its own name"
    )
    run.add_argument("--argv", action="append", default=[], help="an argument of the program; once for each")
    run.add_argument("--stdin", type=_path, help="text that the program reads; - for this command's own")
    run.add_argument("--out", type=_path, help="folder for artifacts")
    run.add_argument(
        "--timeout",
        type=_limit,
        default=settings.exec_timeout or Limits().timeout,
        help="CPU seconds of one step: loading the program, one check, a whole script",
    )
    run.add_argument("--memory-mb", type=_limit, default=Limits().memory_mb, help="memory of each process, in MB")
    run.add_argument("--output-kb", type=_limit, default=Limits().output_kb, help="KB kept of each stream")
    run.add_argument(
        "--mode",
        choices=get_args(Mode),
        default="auto",
        help="tests in the program's process, in another, or (auto) both",
    )
    batch = commands.add_parser(
        "batch", help="run JSON lines {id, solution, tests, files, timeout, memory_mb, output_kb, mode}", epilog=_EXITS
    )
    batch.add_argument("lines", type=_path, help="a file, or - for stdin")
    batch.add_argument(
        "--workers", type=int, choices=range(1, 257), metavar="N", default=None, help="programs at the same time"
    )
    doctor = commands.add_parser("doctor", help="try each forbidden act and report what was refused", epilog=_EXITS)
    for command in (run, batch, doctor):
        command.add_argument(
            "--min-level", choices=LEVELS, default=settings.sandbox_min_level, help="weakest isolation to run at"
        )
    for command in (run, doctor):
        command.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("an empty name")
    return Path(text)


def _limit(text: str) -> float:
    try:
        return positive(float(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


if __name__ == "__main__":
    code = main()
    for number in STOPPING:
        # everything is said; a signal must not break into the interpreter's own end
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(code)
