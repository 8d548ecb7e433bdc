"""The process that holds the tests in split mode. It alone counts and tells what passed."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ..load import Sources
from ..objects.stubs import LOOKING
from ..reporter import Emit, Reporter
from ..suite.excused import Failure, Lines, import_lines, lines_now, note_starts
from ..suite.names import hiding_names, skips_alone
from ..suite.plan import FILENAME, Reading
from ..suite.run import given_by, read_suite, run_suite
from ..values.codec import CannotCross
from .doors import Doors
from .foreign import Listen, watch_code
from .patches import LOGS, MOVING, PLACE, Surroundings, forward_patches
from .peer import MALFORMED
from .tests_side import TestsSide
from .waiting import THREADED, serve_while_waiting
from .wire import ENDED, LinkLost, Message

if TYPE_CHECKING:
    from _socket import socket as Socket


_GONE = "SolutionEnded"
_STATEFUL = ("matplotlib.pyplot",)
"""Library modules whose state, the figures that were drawn, is the solution's."""
_SKIPPED = "a check was skipped, in which the program may have had a hand"
_SHARED = "the tests and the program both use a given module that makes classes"
_ITS_TESTS = "what runs as a test is a function of the solution, which may run nothing of the tests"
_HIDING = "the tests take names from the solution that hide Python's own or theirs"


_SIDE = TestsSide()
"""Built before the fork, for the one run that a process serves."""


class _Verdicts(Reporter):
    """Reports in which nothing passes once the solution can no longer be asked. For each failure it tells whether the
    failure may come from what two processes cannot do."""

    side: TestsSide | None = None
    source = ""
    skips_alone = False
    """Whether the marks that skip checks ask nothing of the program."""

    def __init__(self, emit: Emit, files: tuple[str, ...], job: dict[str, Any]) -> None:
        super().__init__(emit, files, job)
        self._met: dict[str, set[Lines]] = {}
        """What the tests did that two processes cannot do -> where they did."""
        self._told = False
        """Whether it was told since the last check."""
        self._excuses: list[str] = []
        """For each failure since the last check which of these explains it, "" if none does."""
        self._excuses_of_loading: list[str] = []

    def reach(self, reason: str, lines: Iterable[Lines] = ()) -> None:
        """Reports that the tests did what two processes cannot do. It is told at once, because the check may then wait
        in vain."""
        if not self._told:
            self.emit({"limit": ["", reason]})
        self._told = True
        self._met.setdefault(reason, set()).update(lines or [lines_now()])

    def verdict(self, problem: BaseException) -> tuple[str, str]:
        status, message = super().verdict(problem)
        if status != "skipped":
            self._excuses.append(self._excuse(problem))
        return status, message

    def _excuse(self, problem: BaseException) -> str:
        """Returns what explains this failure; "" if it refutes the program. What the tests did elsewhere explains
        nothing, unless it may show in the statement that failed."""
        failure = Failure(problem, self.source)
        inside = failure.looks_inside()
        name = type(problem).__name__
        if self.side is not None and name in self.side.sealed and name in self.source:
            inside = f"an exception that only its package makes ({name})"
        if inside:
            reason = f"the tests look at what holds within one process only: {inside}"
            self.reach(reason)
            return reason
        if type(problem) is CannotCross and str(problem) in self._met:
            return str(problem)
        return next((reason for reason, met in self._met.items() if any(map(failure.may_come_from, met))), "")

    def will_run(self, test: Any) -> None:
        test = getattr(test, "__func__", test)
        if self.side is not None and not self.side.is_of_this_side(test):
            self.side.doubt(_ITS_TESTS)

    def collected(self, names: Iterable[str]) -> None:
        self._excuses_of_loading, self._excuses = self._excuses, []
        super().collected(names)

    def check(self, name: str, status: str, message: str = "", kind: str = "") -> None:
        excuses, self._excuses, self._told = self._excuses or self._excuses_of_loading, [], False
        if self.side is not None and self.side.lost:
            status, message, kind = "error", f"{_GONE}: {self.side.lost}", _GONE
            self.emit(_gone(self.side.lost))
        elif status != "pass" and excuses and all(excuses):
            self.emit({"limit": [name, excuses[0]]})
        if status == "skipped" and self.side is not None and (kind or not self.skips_alone):
            self.side.doubt(f"{_SKIPPED}: {name}")
        super().check(name, status, message, kind)

    @property
    def stopped(self) -> bool:
        """Also true if the solution is gone: the remaining checks get a fresh pair of processes."""
        return super().stopped or bool(self.side is not None and self.side.lost)


def _gone(why: str) -> dict[str, Any]:
    """Returns the record that the solution can no longer be asked, and whether that is because its process ends."""
    return {"gone": why, "ending": why == ENDED}


def examine(
    job: dict[str, Any], sock: Socket, emit: Emit, side: TestsSide = _SIDE, listen: Listen = sys.addaudithook
) -> None:
    """Runs the suite of `job` against the solution at the other end of `sock`. `listen` is that of `watch_code`."""
    report = _Verdicts(emit, (FILENAME,), job)
    reading = read_suite(job, report)
    if reading is None:
        return
    given: dict[str, str] = job.get("given") or {}
    _keep_imports_clean(given)
    report.source = job["tests"]
    report.skips_alone = skips_alone(job["tests"], job["module"])
    note_starts()
    shared = _shared_classes(given, reading[2], Sources(job).sources.values()) if given else set[str]()
    if shared:
        report.reach(_SHARED, import_lines(job["tests"], shared))
    told: set[str] = set()

    def doubt(reason: str) -> None:
        if reason not in told:
            told.add(reason)
            emit({"unconfirmable": reason})

    report.side = side
    side.doubt, side.limit = doubt, report.reach
    side.begin(sock.fileno(), report.files)
    watch_code(reading[0], doubt, listen)
    try:
        if reading[1].program_only:
            run_suite(reading, {}, (), report)
        else:
            _converse(job, side, reading, report)
    except LinkLost as problem:
        report.emit({**_gone(str(problem)), "error": {"type": _GONE, "text": str(problem), "place": ""}})
    report.done()


def _converse(job: dict[str, Any], side: TestsSide, reading: Reading, report: Reporter) -> None:
    used = reading[2]
    told: dict[str, Any] = {}
    doors = _doors(job, side, used, told)
    solution = doors.load()  # while the solution loads
    message = _first_message(side)
    if message[0] == "broken":
        error = {key: str(value) for key, value in message[2]["error"].items()}
        report.emit({"error": error, "missing": [str(name) for name in message[2].get("missing", ())]})
        return
    told |= {str(name): side.codec.decode(value) for name, value in message[2].items()}
    side.is_looked_at = bool(message[3])
    if side.follows:
        side.call({"op": "follow"}, (), {})
    if any(word in job["tests"] for word in LOOKING):
        side.call({"op": "look"}, (), {})
        told |= dict.fromkeys(told)
    if not used.isdisjoint(LOGS):
        side.call({"op": "logs"}, (), {})
    given = given_by(solution, used, [*told])
    side.starred(job["module"], given)
    run_suite(reading, given, doors.sources.values(), report)


def _look_for_hiding(side: TestsSide, doors: Doors, tests: str, module: str, given: dict[str, Any]) -> None:
    """Nothing is confirmed where a suite gets these names of a module of the solution in the place of others."""
    foreign = [name for name, value in given.items() if not side.is_own(value)]
    hiding = hiding_names(tests, foreign, module, doors.sources.values())
    if hiding:
        side.doubt(f"{_HIDING}: {', '.join(sorted(hiding))}")


def _first_message(side: TestsSide) -> Message:
    """What the solution's side says once it has loaded; until then, its questions are answered. Raises LinkLost."""
    while True:
        message = side.wire.receive()
        try:
            if message[0] in ("hello", "broken"):
                side.apply(message[1])
                return message
            side.answer(message)
        except MALFORMED as problem:
            raise LinkLost("an unreadable message") from problem


def _doors(job: dict[str, Any], side: TestsSide, used: frozenset[str], told: dict[str, Any]) -> Doors:
    """Makes the solution's modules importable for a suite that mentions these names. `told` will hold what the solution
    tells beforehand about the names of the main one."""
    stateful: tuple[str, ...] = ()
    if not used.isdisjoint(("plt", "pyplot")):
        importlib.import_module("matplotlib.figure")
        stateful = _STATEFUL
    doors = Doors(side, job, told, stateful)
    side.modules, sources = [*doors.modules, *stateful], doors.sources.values()
    doors.install()
    side.import_first = partial(_import_first, job["tests"], side.modules)
    side.starred = partial(_look_for_hiding, side, doors, job["tests"])
    side.mentioned, side.expects_stop = used, "StopIteration" in used
    side.mocks = any("mock" in name.lower() for name in used)
    forward_patches(side, used)
    if not used.isdisjoint(PLACE):
        place = Surroundings()
        side.news.watch(place.now, place.told)
        side.follows = any(word in source for source in sources for word in MOVING)
    if any(word in source for source in sources for word in THREADED):
        serve_while_waiting(side)
    if any("contextvars" in source for source in sources):
        from .contexts import ContextsHere  # noqa: PLC0415 - only for programs that have such variables

        contexts = ContextsHere()
        side.begins_at_once = True
        side.news.watch(lambda: {"context": contexts.current()}, {"context": None})
    if "async " in job["tests"] and any("asyncio" in source for source in sources):
        side.join_loops()
    return doors


def _shared_classes(given: dict[str, str], used: frozenset[str], sources: Iterable[str]) -> set[str]:
    """Returns the names of given modules that make classes, of which each process has its own, and that tests and
    program both import."""
    makers = {path.removesuffix(".py").rpartition("/")[2] for path, source in given.items() if "class " in source}
    imports = {name: rf"^[ \t]*(?:import|from)[ \t]+(?:[\w.]+\.)?{name}\b" for name in makers & used}
    texts = [*sources]
    return {name for name, one in imports.items() if any(re.search(one, text, re.MULTILINE) for text in texts)}


def _import_first(source: str, own: list[str]) -> None:
    """Imports the packages that a suite imports, other than the program's `own` modules. What does not work, the suite
    will see itself."""
    for name in set(re.findall(r"^[ \t]*(?:import|from)[ \t]+(\w+)", source, re.MULTILINE)).difference(own):
        with suppress(Exception):
            importlib.import_module(name)


def _keep_imports_clean(given: dict[str, str]) -> None:
    """Removes from the import path all folders that the solution can write to: it could otherwise plant a module in the
    tests' process. The modules given there come with the job, as they were given."""
    if given:
        Sources({"module": "", "package": given}).find_first()
    writable = os.getcwd()
    sys.path[:] = [path for path in sys.path if path.startswith("/") and not path.startswith(writable)]
