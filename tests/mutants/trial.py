"""Tries one change: whether a test that runs the changed line notices it."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import signal
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.mutants.drawn import Change
from tests.mutants.loaded import ARGUMENTS, exchange, forget

_TIMES = itertools.count(int(time.time()) + 3600, 10)
"""The times at which changed files seem to be written: what was compiled of one change is never taken for another."""
ELSEWHERE = ("sandbox/child/", "sandbox/worker/")
"""Rooms whose code is read from the tree by processes that tests start."""
Ending = Literal["killed", "time-out", "survived", "no test", "too busy"]
"""too busy: the tests came to no end, and without the change they did not either."""


@dataclass
class Known:
    """What was recorded of the unchanged tree: the tests that run a line of a file, and how long each takes."""

    tests: list[str] = field(default_factory=list[str])
    seconds: list[float] = field(default_factory=list[float])
    lines: dict[str, dict[str, list[int]]] = field(default_factory=dict[str, dict[str, list[int]]])
    """By file and number of the line, the places of tests in `tests`."""

    def add(self, told: dict[str, Any]) -> None:
        """Takes over what one recorder wrote, whose tests are others."""
        first = len(self.tests)
        self.tests += told["tests"]
        self.seconds += told["seconds"]
        for file, lines in told["lines"].items():
            mine = self.lines.setdefault(file, {})
            for line, places in lines.items():
                mine.setdefault(line, []).extend(first + place for place in places)

    def tests_of(self, change: Change, budget: float) -> tuple[list[str], float]:
        """Returns the tests that run the changed line, as many as take `budget` seconds, and how long they take. The
        nearer a test lies to the changed room, the earlier it comes, and quick ones come before slow ones. What runs
        before all tests, or once for them because a cache keeps what it gives, is tried by every test of the room and
        every other that runs anything of the file, and so is what no test runs. What is read from the tree by processes
        of its own is also tried by the other tests of the rooms around it, a room later: nothing is recorded of what a
        worker does before a test, or of processes that stand in for one."""
        room = Path("tests", change.file).parent
        lines = self.lines.get(change.file, {})
        found = [lines.get(str(line), []) for line in change.lines] if change.function else []
        at_once = change.kept or not any(found)
        chosen, taken = list[str](), 0.0
        places = {place for some in (lines.values() if at_once else found) for place in some}
        near = [_shared(room, test) for test in self.tests]
        if at_once:
            places |= {place for place, parts in enumerate(near) if parts == len(room.parts)}
        if change.file.startswith(ELSEWHERE):
            places |= {place for place, parts in enumerate(near) if parts > 1}
            known = {place for some in found for place in some}
            near = [parts + (place in known) for place, parts in enumerate(near)]
        for place in sorted(places, key=lambda place: (-near[place], self.seconds[place])):
            if chosen and taken + self.seconds[place] > budget:
                break
            chosen.append(self.tests[place])
            taken += self.seconds[place]
        return chosen, taken


def _shared(room: Path, test: str) -> int:
    """Returns how many folders the test's path shares with the room's, from the top."""
    folders = Path(test.partition("::")[0]).parts[:-1]
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(room.parts, folders, strict=False)))


def tried(tree: Path, change: Change, known: Known, budget: float) -> tuple[Ending, float]:
    """Returns how it ended in the copy `tree`, whose file is as before afterwards, and in how many seconds."""
    tests, taken = known.tests_of(change, budget)
    if not tests:
        return "no test", 0.0
    file, began = tree / change.file, time.monotonic()
    before, stood = file.read_text("utf-8"), file.stat()
    file.write_text(change.code, "utf-8")
    now, limit = next(_TIMES), 30 + 4 * taken
    os.utime(file, (now, now))
    try:
        ending = _forked(tree, change, tests, limit)
    finally:
        file.write_text(before, "utf-8")
        os.utime(file, (stood.st_atime, stood.st_mtime))
    if ending == "time-out" and _forked(tree, replace(change, code=before), tests, limit) == "time-out":
        ending = "too busy"
    return ending, time.monotonic() - began


def _forked(tree: Path, change: Change, tests: list[str], limit: float) -> Ending:
    """Tries it in a fork, which finds everything loaded and leaves nothing behind."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        signal.alarm(int(limit) + 1)
        os._exit(_session(tree, change, tests))
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return "time-out"
    return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"


def _session(tree: Path, change: Change, tests: list[str]) -> int:
    """Runs in the child. Returns pytest's exit code."""
    os.chdir(tree)
    if not exchange(tree, change):
        sys.path[:] = [str(tree), *sys.path]
        forget()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return int(pytest.main(["-x", *ARGUMENTS, *tests]))
