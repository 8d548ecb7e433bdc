"""Makes a worker do once what its children will do. What is imported, looked up or adapted for the first time writes to
memory, and a forked child has to copy each page that is written to."""

from __future__ import annotations

import builtins
import linecache
import os
import sys
import warnings
from _socket import SHUT_WR, socketpair
from collections.abc import Generator
from contextlib import contextmanager

from .load import TESTS
from .proxy.examiner import examine
from .proxy.solution_side import SolutionSide, serve
from .proxy.tests_side import TestsSide
from .proxy.wire import Wire
from .suite.plan import plan
from .suite.run import inprocess

_TIMES = 20
"""How often code has to run until the interpreter has specialised it."""
_SUITE = "def check(same):\n    assert same(1) == 1\n\n\ndef test_same():\n    check(same)\n"
JOB = {"module": "solution", "solution": "def same(value):\n    return value\n", "tests": _SUITE, "plan": plan(_SUITE)}
_CALL = ["c", 0, {"~": 1}, [1], 0]
"""What the tests of that suite ask of the solution's side: a call of the first function that it has told of."""
_ANSWERS = 1 << 16
"""Bytes that hold all that the solution's side says."""


def rehearse() -> None:
    """Runs a suite of our own, in one process and as the two sides of a split run."""
    for _ in range(_TIMES):
        with _forgotten():
            inprocess(JOB, lambda _: None)
        with _forgotten():
            said = _serve()
        with _forgotten():
            _examine(said)
    linecache.cache.clear()


@contextmanager
def _forgotten() -> Generator[None]:
    """Takes back what the block puts into places of the interpreter (import path, builtins, streams)."""
    path, finders, names = [*sys.path], [*sys.meta_path], {**builtins.__dict__}
    streams = sys.stdin, sys.stdout, sys.stderr
    with warnings.catch_warnings():
        yield
    sys.path[:], sys.meta_path[:] = path, finders
    sys.stdin, sys.stdout, sys.stderr = streams
    builtins.__dict__.update(names)
    for name in ("solution", TESTS):
        sys.modules.pop(name, None)


def _serve() -> bytes:
    """Returns what the solution's side says until its peer ends."""
    ours, theirs = socketpair()
    Wire(ours.fileno()).send(_CALL)
    ours.shutdown(SHUT_WR)
    serve(JOB, theirs, SolutionSide())
    theirs.close()
    said = os.read(ours.fileno(), _ANSWERS)
    ours.close()
    return said


def _examine(said: bytes) -> None:
    """Runs the tests' side with these answers."""
    ours, theirs = socketpair()
    os.write(theirs.fileno(), said)
    # Nobody listens: an audit hook stays as long as its process and what that forks, so each run would carry it.
    examine(JOB, ours, lambda _: None, TestsSide(), listen=lambda _: None)
    ours.close()
    theirs.close()
