"""`python -m sandbox run|batch|doctor`: programs from the command line, and what this machine's walls are worth."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, cast, get_args

from framework.errors import SettingsError
from framework.settings import Settings

from .backends import BACKENDS, load
from .batch import run_lines
from .launch import FLAVOURS
from .records import broken_record, execution_record, isolation_record
from .supervisor import LocalSandbox
from .types import LEVELS, Execution, Level, LevelTooLow, Limits, Mode, Program, SandboxBroken

_USAGE, _NO_SANDBOX = 2, 3
_MODULES = 500


def _say(text: str) -> None:
    print(text.encode("utf-8", "backslashreplace").decode(), flush=True)  # noqa: T201 - the command's output


def _bad_input(message: str) -> SystemExit:
    print(f"sandbox: {message}", file=sys.stderr)  # noqa: T201
    return SystemExit(_USAGE)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _bad_input(f"cannot read {path}: {error.strerror}") from error


def _read_text(path: Path) -> str:
    data = sys.stdin.buffer.read() if str(path) == "-" else _read_bytes(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _bad_input(f"{path} is not UTF-8 text") from error


def _package(folder: Path) -> dict[str, str]:
    folder = folder.resolve()
    paths = [path for path in sorted(folder.rglob("*.py")) if path.is_file() and "__pycache__" not in path.parts]
    if not paths or len(paths) > _MODULES:
        raise _bad_input(f"{folder} holds {len(paths)} modules")
    return {f"{folder.name}/{path.relative_to(folder).as_posix()}": _read_text(path) for path in paths}


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError("a positive number")
    return value


def _program(arguments: argparse.Namespace) -> Program:
    path: Path = arguments.solution
    files: list[Path] = arguments.file
    limits = Limits(arguments.timeout, int(arguments.memory_mb), int(arguments.output_kb))
    return Program(
        solution="" if path.is_dir() else _read_text(path),
        package=_package(path) if path.is_dir() else {},
        tests=_read_text(arguments.tests) if arguments.tests else None,
        files={file.name: _read_bytes(file) for file in files},
        argv=tuple(arguments.argv),
        stdin=_read_text(arguments.stdin) if arguments.stdin else "",
        mode=cast(Mode, arguments.mode),
        limits=limits,
    )


def _show(execution: Execution) -> None:
    trust = ""
    if execution.passed:
        reason = execution.unconfirmed_reason or "run in one process"
        trust = " (confirmed)" if execution.confirmed else f" (not confirmed: {reason})"
    _say(f"{execution.status}{trust}  {execution.duration_ms:.1f} ms  {execution.peak_mb:g} MB")
    for check in execution.checks:
        _say(f"  {check.status:5} {check.name}" + (f": {check.message}" if check.message else ""))
    if execution.error:
        _say(execution.error)
    for name in execution.missing_packages:
        _say(f"missing package: {name}")
    for title, text in (("stdout", execution.stdout), ("stderr", execution.stderr)):
        if text:
            _say(f"--- {title}\n{text.rstrip()}")
    for artifact in execution.artifacts:
        _say(f"artifact {artifact.name}: {len(artifact.data)} bytes, {artifact.mime}")
    _say(
        f"isolation: {execution.isolation.level}; "
        + "; ".join(": ".join(p) for p in isolation_record(execution.isolation).items())
    )


def _save(execution: Execution, folder: Path) -> None:
    for artifact in execution.artifacts:
        path = folder / artifact.name
        if folder.resolve() not in path.resolve().parents:
            raise _bad_input(f"{artifact.name} would lie outside {folder}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(artifact.data)
        except OSError as error:
            raise _bad_input(f"cannot write {path}: {error.strerror}") from error


async def _run(arguments: argparse.Namespace) -> int:
    program = _program(arguments)
    sandbox = LocalSandbox(2, arguments.min_level)
    try:
        execution = await sandbox.run(program)
    except ValueError as error:
        raise _bad_input(str(error)) from error
    finally:
        await sandbox.aclose()
    if arguments.out:
        _save(execution, arguments.out)
    if arguments.json:
        _say(json.dumps(execution_record(execution)))
    else:
        _show(execution)
    if execution.status == "broken":
        return _NO_SANDBOX
    return 0 if execution.status in ("pass", "ok") else 1


def _lines(path: Path) -> Iterator[str]:
    if str(path) == "-":
        yield from sys.stdin
        return
    try:
        with path.open(encoding="utf-8") as file:
            yield from file
    except OSError as error:
        raise _bad_input(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _bad_input(f"{path} is not UTF-8 text") from error


async def _batch(arguments: argparse.Namespace) -> int:
    sandbox = LocalSandbox(arguments.workers, arguments.min_level)
    whole = True
    try:
        await sandbox.describe()
        async for record in run_lines(sandbox, _lines(arguments.lines)):
            whole = whole and record["status"] != "broken"
            _say(json.dumps(record))
    finally:
        await sandbox.aclose()
    return 0 if whole else 1


async def _doctor(arguments: argparse.Namespace) -> int:
    sandbox = LocalSandbox(1, arguments.min_level)
    try:
        found = await sandbox.examine()
    finally:
        await sandbox.aclose()
    isolation, probes, reasons = found.isolation, found.tried.probes, dict(found.reasons)
    untried = [name for name in BACKENDS if load(name).UNTRIED]
    if arguments.json:
        told = {"level": isolation.level, "isolation": isolation_record(isolation), "probes": probes}
        machine = {"backends": reasons, "untried": untried, "flavours": FLAVOURS, "python": sys.version.split()[0]}
        _say(json.dumps(told | machine | {"error": None}))
        return 0
    _say(f"level: {isolation.level}")
    for axis, words in isolation_record(isolation).items():
        _say(f"{axis:12} {words}")
    _say("tried in a throw-away child:")
    for act, refusal in probes.items():
        _say(f"  {act:45} {refusal}")
    for name, reason in reasons.items():
        _say(f"backend {name}{' (untried)' if name in untried else ''}: {reason or 'in use'}")
    return 0


def _parser(settings: Settings) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run one program; exit 0 only for pass and ok")
    run.add_argument("solution", type=Path, help="a .py file or a package directory")
    run.add_argument("--tests", type=Path)
    run.add_argument("--file", type=Path, action="append", default=[], help="data file put into the run folder")
    run.add_argument("--argv", action="append", default=[])
    run.add_argument("--stdin", type=Path)
    run.add_argument("--out", type=Path, help="folder for artifacts")
    run.add_argument("--timeout", type=_positive, default=settings.exec_timeout or Limits().timeout)
    run.add_argument("--memory-mb", type=_positive, default=Limits().memory_mb)
    run.add_argument("--output-kb", type=_positive, default=Limits().output_kb)
    run.add_argument("--mode", choices=get_args(Mode), default="auto")
    batch = commands.add_parser(
        "batch", help="run JSON lines {id, solution, tests, files, timeout, memory_mb, output_kb, mode}"
    )
    batch.add_argument("lines", type=Path, help="a file, or - for stdin")
    batch.add_argument("--workers", type=int, choices=range(1, 257), metavar="N", default=None)
    doctor = commands.add_parser("doctor", help="try each forbidden act and report what was refused")
    for command in (run, batch, doctor):
        command.add_argument("--min-level", choices=LEVELS, default=settings.sandbox_min_level)
    for command in (run, doctor):
        command.add_argument("--json", action="store_true")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Parse, run, and give the exit code."""
    try:
        settings = Settings.from_env()
    except SettingsError as error:
        raise _bad_input(str(error)) from error
    arguments = _parser(settings).parse_args(words)
    arguments.min_level = cast(Level | None, arguments.min_level)
    commands = {"run": _run, "batch": _batch, "doctor": _doctor}
    work: Coroutine[Any, Any, int] = commands[arguments.command](arguments)
    try:
        return asyncio.run(work)
    except (LevelTooLow, SandboxBroken) as error:
        print(f"sandbox: {error}", file=sys.stderr)  # noqa: T201
        if getattr(arguments, "json", arguments.command == "batch"):
            _say(json.dumps(broken_record(str(error))))
        return _NO_SANDBOX
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
