"""Runs the child's entry points without walls: forked here, records back over a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.child import evaluate, inprocess, judge, script, serve

LONGEST = 20.0


@dataclass
class Outcome:
    """The records of one run, sorted by what they say."""

    records: list[dict[str, Any]]
    stdout: str = ""
    stderr: str = ""
    code: int | None = None
    checks: dict[str, str] = field(default_factory=dict[str, str])
    messages: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        for record in self.records:
            if "check" in record:
                self.checks[record["check"]] = record["status"]
                self.messages[record["check"]] = record["message"]

    def all(self, key: str) -> list[Any]:
        return [record[key] for record in self.records if key in record]

    @property
    def error(self) -> dict[str, str]:
        return (self.all("error") or [{}])[0]

    @property
    def doubts(self) -> list[str]:
        return self.all("unconfirmable")

    @property
    def passed(self) -> bool:
        """The supervisor's rule: every collected check is there, passed, and was counted at the end."""
        names = (self.all("collected") or [[]])[0]
        right = bool(names) and names == list(self.checks) and set(self.checks.values()) == {"pass"}
        return right and self.all("done") == [len(names)] and not self.error


def _job(solution: str, tests: str | None, more: dict[str, Any]) -> dict[str, Any]:
    return {"solution": solution, "package": {}, "module": "solution", "tests": tests, "flavour": "pytest", **more}


def run_inprocess(solution: str, tests: str, **more: Any) -> Outcome:
    return _run([lambda emit: inprocess(_job(solution, tests, more), emit)])


def run_script(solution: str, **more: Any) -> Outcome:
    def doing(emit: Any) -> None:
        told: list[dict[str, Any]] = []
        emit({"exit": script(_job(solution, None, more), told.append)})
        for record in told:
            emit(record)

    return _run([doing], str(more.get("stdin", "")))


def run_calls(solution: str, calls: list[str], **more: Any) -> Outcome:
    return _run([lambda emit: evaluate(_job(solution, None, {"calls": calls, "call_timeout": 1.0, **more}), emit)])


def run_split(solution: str, tests: str, **more: Any) -> Outcome:
    ours, theirs = socket.socketpair()

    def hold_solution(_emit: Any) -> None:
        ours.close()
        serve(_job(solution, None, more), theirs)

    def hold_tests(emit: Any) -> None:
        theirs.close()
        judge(_job("", tests, more), ours, emit)

    try:
        kept = {ours.fileno(), theirs.fileno()}
        return _run([hold_tests, hold_solution], between=lambda: (ours.close(), theirs.close()), kept=kept)
    finally:
        ours.close()
        theirs.close()


def _run(
    doings: list[Callable[[Any], None]],
    stdin: str = "",
    between: Callable[[], Any] | None = None,
    kept: set[int] | None = None,
) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        given, out, err = (Path(folder, name) for name in ("in", "out", "err"))
        given.write_text(stdin)
        Path(folder, "run", "tmp").mkdir(parents=True)
        reader, writer = os.pipe()
        pids = [_fork(doing, folder, None if index else writer, kept or set()) for index, doing in enumerate(doings)]
        os.close(writer)
        if between:
            between()
        try:
            data, ended = _drain(reader)
        finally:
            os.close(reader)
            codes = [_end(pid) for pid in pids]
        records = [json.loads(line) for line in data.decode("utf-8", "replace").splitlines()]
        stderr = err.read_text(errors="replace") + ("" if ended else "\nrun took too long")
        return Outcome(records, out.read_text(errors="replace"), stderr, codes[0])


def _fork(doing: Callable[[Any], None], folder: str, writer: int | None, kept: set[int]) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        os.chdir(os.path.join(folder, "run"))
        tempfile.tempdir = os.path.join(folder, "run", "tmp")
        _redirect(folder)
        for number in set(range(3, 256)) - kept - {writer}:
            with contextlib.suppress(OSError):
                os.close(number)
        doing((lambda record: _send(writer, record)) if writer is not None else None)
        sys.stdout.flush()
    except BaseException as problem:  # noqa: BLE001 - the child must end here whatever happens
        os.write(2, f"\nharness: {problem!r}\n".encode("utf-8", "backslashreplace"))
    finally:
        os._exit(0)


def _redirect(folder: str) -> None:
    for name, number in (("in", 0), ("out", 1), ("err", 2)):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND
        os.dup2(os.open(os.path.join(folder, name), flags, 0o600), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False, errors="backslashreplace")  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, errors="backslashreplace")  # noqa: SIM115


def _send(writer: int, record: dict[str, Any]) -> None:
    data = memoryview(json.dumps(record).encode() + b"\n")
    while data:
        data = data[os.write(writer, data) :]


def _drain(reader: int) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    until = time.monotonic() + LONGEST
    while select.select([reader], [], [], max(0.0, until - time.monotonic()))[0]:
        part = os.read(reader, 1 << 16)
        if not part:
            return b"".join(parts), True
        parts.append(part)
        if b'{"done"' in part:
            return b"".join(parts), True
    return b"".join(parts), False


def _end(pid: int) -> int:
    for _ in range(50):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]
