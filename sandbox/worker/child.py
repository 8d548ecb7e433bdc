"""A forked child: walls itself in, waits for its job, runs it, and ends without touching the worker's state.

Python adapts bytecode that is run often to what it finds, and writes to it. Code that each child runs once is not
adapted, so here functions are called by names of this module's own: to look up an attribute of another module writes to
three pages of memory, each of which the child would have to copy.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from _socket import socket as Socket
from collections.abc import Sequence
from contextlib import suppress
from gc import enable as enable_gc
from marshal import loads
from os import chdir, dup2, setsid
from resource import RUSAGE_SELF, getrusage
from signal import pause
from typing import Any, TextIO

from .folders import Folders
from .frames import LENGTHS, ChannelClosed, Emitter, read_exactly
from .landlock import Rules
from .walls import Walls, enclose, limit

_STACK = 2 << 20
"""Bytes of the stack of each thread."""
_EXITS = ("script", "serve")
"""Entries whose process ends by itself. The others report that they are done and are killed, which is quicker."""


def prepare_in_worker() -> None:
    """Prepares once what every child would otherwise make anew: text streams that never seek, default signals, thread
    stacks."""
    said = os.dup(2)
    _, pipe = os.pipe()
    for number in (1, 2):
        os.dup2(pipe, number)
    sys.stdout = sys.__stdout__ = _text_stream(1, buffering=-1)
    sys.stderr = sys.__stderr__ = _text_stream(2, buffering=1)
    os.dup2(said, 2)
    os.close(said)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    threading.stack_size(_STACK)


def _text_stream(descriptor: int, buffering: int) -> TextIO:
    return open(descriptor, "w", buffering, encoding="utf-8", errors="backslashreplace", closefd=False)


def enter(
    streams: tuple[int, int], keep: Sequence[int], enclosure: Walls, rules: Rules | None, folder: str, parent: int
) -> None:
    """Becomes a session of its own on the given stdout and stderr, inside the walls. `keep` lists descriptors in
    ascending order."""
    setsid()
    dup2(streams[0], 1)
    dup2(streams[1], 2)
    chdir(folder)
    enclose(enclosure, rules, keep, parent)


def wait_and_run(
    sock: Socket, peer: Socket | None, broker: Socket | None, folders: Folders, base_memory: int, flag: int | None
) -> None:
    """Waits for one job, runs it, and exits the process. The job and its head are marshalled by the supervisor or the
    worker, never by a program: unmarshalling foreign bytes could run code. An empty channel means that the worker has
    no more work."""
    try:
        head_size, job_size = LENGTHS.unpack(read_exactly(sock.fileno(), LENGTHS.size))
        head: dict[str, Any] = loads(read_exactly(sock.fileno(), head_size))
        job: dict[str, Any] = loads(read_exactly(sock.fileno(), job_size))
    except ChannelClosed:
        os._exit(0)
    job["flag"] = flag
    emit = Emitter(sock, head["nonce"], job, broker)
    code = 70
    try:
        _prepare(head, job, folders, base_memory)
        code = _enter(head["entry"], job, peer, emit)
        _finish(head["entry"], emit)
    # the last frame of the process: any exception is reported, then the process ends
    except BaseException as error:  # noqa: BLE001
        _report(emit, error)
    os._exit(code)


def _prepare(head: dict[str, Any], job: dict[str, Any], folders: Folders, base_memory: int) -> None:
    job |= {"shared": folders.shared, "tmp": folders.tmp, "private": folders.private if head["holds_tests"] else None}
    _stdin(job.get("stdin") or "", job["private"] or job["tmp"])
    _reseed()
    limits = head["limits"]
    limit(base_memory + (limits["memory_mb"] << 20), limits["cpu"], limits["file_mb"] << 20)
    enable_gc()


def _reseed() -> None:
    """Seeds numpy's random state, because every fork starts with the worker's. Python reseeds its own."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()


def _stdin(text: str, folder: str) -> None:
    if not text:
        return
    path = os.path.join(folder, ".stdin")
    with open(path, "w+", encoding="utf-8", errors="surrogateescape", newline="") as file:
        os.unlink(path)
        file.write(text)
        file.flush()
        file.seek(0)
        os.dup2(file.fileno(), 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as the process


def _enter(entry: str, job: dict[str, Any], peer: Socket | None, emit: Emitter) -> int:
    """Runs the job and returns the exit code. The two halves of a split run talk over `peer`."""
    if entry == "probe":
        from . import probes  # noqa: PLC0415 - only the throw-away child that tries the walls needs it

        probes.try_all(job, emit)
        return 0
    child = sys.modules["@child"]
    if entry == "serve":
        emit.close()
        child.serve(job, peer)
    elif entry == "examine":
        child.examine(job, peer, emit)
    else:
        code = getattr(child, entry)(job, emit)
        return code if isinstance(code, int) else 0
    return 0


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()


def _finish(entry: str, emit: Emitter) -> None:
    _flush()
    if entry not in _EXITS:
        emit.end(getrusage(RUSAGE_SELF).ru_maxrss)
        pause()


def _report(emit: Emitter, error: BaseException) -> None:
    with suppress(OSError, ValueError, MemoryError):
        emit({"error": {"type": type(error).__name__, "text": str(error)[:2000], "place": "the sandbox's own frame"}})
        _flush()
