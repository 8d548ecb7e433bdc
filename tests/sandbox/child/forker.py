"""The process that forks for the harness: it holds the child's modules and nothing else of the project."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[3]
LONGEST = 20.0


def child() -> Any:
    """`sandbox.child` without the rest of `sandbox`."""
    room = ModuleType("sandbox")
    room.__path__ = [str(ROOT / "sandbox")]
    sys.modules["sandbox"] = room
    sys.path[0] = str(ROOT)
    import sandbox.child

    sandbox.child.warm("pytest")
    return sandbox.child


def run(entries: Any, kind: str, job: dict[str, Any]) -> Any:
    if kind == "inprocess":
        return _run([lambda emit: entries.inprocess(job, emit)])
    if kind == "calls":
        return _run([lambda emit: entries.evaluate(job, emit)])
    if kind == "script":
        return _run([lambda emit: _script(entries, job, emit)], str(job.get("stdin", "")))
    ours, theirs = socket.socketpair()

    def hold_solution(_emit: Any) -> None:
        ours.close()
        entries.serve({**job, "tests": None, "plan": None}, theirs)

    def hold_tests(emit: Any) -> None:
        theirs.close()
        entries.examine(job, ours, emit)

    kept = {ours.fileno(), theirs.fileno()}
    try:
        return _run([hold_tests, hold_solution], between=lambda: (ours.close(), theirs.close()), kept=kept)
    finally:
        ours.close()
        theirs.close()


def _script(entries: Any, job: dict[str, Any], emit: Any) -> None:
    told: list[dict[str, Any]] = []
    emit({"exit": entries.script(job, told.append)})
    for record in told:
        emit(record)


def _run(
    doings: list[Callable[[Any], None]],
    stdin: str = "",
    between: Callable[[], Any] | None = None,
    kept: set[int] | None = None,
) -> tuple[list[dict[str, Any]], str, str, int]:
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
        return records, out.read_text(errors="replace"), stderr, codes[0]


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


def main() -> None:
    told = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    entries = child()
    while True:
        try:
            kind, job = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(run(entries, kind, job), told)
        told.flush()


if __name__ == "__main__":
    main()
