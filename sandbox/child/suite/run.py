"""Takes a suite from its source to its outcome. It runs in the solution's own process, which is fast and safe against
accidents but not against intent, or in the tests' process of a split run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from ..load import Sources, public_names, tests_module
from ..reporter import NOT_LOADED, NOTHING, Emit, Reporter
from ..words import remember_source
from .names import BY_TEXT, given_names
from .plan import FILENAME, MODULE_CHECK, PYTEST_HOOKS, Reading, SuitePlan, read, unpack
from .properties import prepare_hypothesis


def read_suite(job: dict[str, Any], report: Reporter) -> Reading | None:
    """Returns the suite of `job`, planned before or read now; None if there is nothing to run here, which the report
    then says."""
    source = job.get("tests") or ""
    packed, explain = job.get("plan"), bool(job.get("explain"))
    remember_source(FILENAME, source)
    try:
        reading = unpack(packed) if packed else read(source, explain)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        report.fault(problem)
        report.done()
        return None
    suite = reading[1]
    if (suite.pytest or explain) and job.get("flavour") == "bare":
        report.emit({"needs": "pytest"})
        return None
    if not (suite.tests or suite.module_check or suite.pytest):
        report.collected([])
        report.emit({"error": NOTHING})
        report.done()
        return None
    return reading


def run_suite(reading: Reading, given: dict[str, Any], sources: Iterable[str], report: Reporter) -> None:
    """Runs a suite with the names of `given` as its globals. `sources` are those of the program's modules."""
    code, suite, names = reading
    if "hypothesis" in names:
        prepare_hypothesis(sources)
    report.emit({"loading": True})
    module = tests_module({**given, **given_service(report.emit, report.programs.append)})
    try:
        exec(code, module.__dict__)
    except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
        _not_loaded(problem, suite, report)
    else:
        # Any other name came with `from solution import *`: a solution could otherwise define a `test_...` that passes.
        by_text = BY_TEXT | {"setattr", "__dict__"}
        for name in PYTEST_HOOKS - names:  # a solution could mark all checks as expected to fail
            module.__dict__.pop(name, None)
        known = names if names.isdisjoint(by_text) else names | module.__dict__.keys()
        _run_tests(module, suite, frozenset(map(id, given.values())), known, report)


def _run_tests(
    module: ModuleType, suite: SuitePlan, foreign: frozenset[int], known: frozenset[str], report: Reporter
) -> None:
    if suite.pytest:
        from .under_pytest import run_full  # noqa: PLC0415 - costs 200 ms if it was not imported before the fork

        run_full(module, suite, known, report)
    else:
        run_plain(module, suite, foreign, known, report)


def _not_loaded(problem: BaseException, suite: SuitePlan, report: Reporter) -> None:
    status, message = report.verdict(problem)
    report.collected(suite.checks)
    if suite.module_check:
        report.check(MODULE_CHECK, status, message, type(problem).__name__)
    for name in suite.tests:
        report.check(name, "skipped" if status == "skipped" else "error", f"{NOT_LOADED}{message}")
    if status == "error" or not suite.module_check:
        report.fault(problem)


def run_plain(
    module: ModuleType, suite: SuitePlan, foreign: frozenset[int], known: frozenset[str], report: Reporter
) -> None:
    """Runs the test functions that `module` holds once it is loaded. `foreign` are the ids of values it was given,
    `known` the names that the suite itself mentions."""
    tests = {
        name: value
        for name, value in module.__dict__.items()
        if name.startswith("test") and name in known and type(value) is FunctionType and id(value) not in foreign
    }
    report.loaded(tests, suite.module_check)
    for test in tests.values():
        report.will_run(test)
    for position, (name, test) in enumerate(tests.items(), start=int(suite.module_check)):
        if report.stopped:
            return
        if not report.wants(position):
            continue
        try:
            test()
        except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
            report.raised(name, problem)
        else:
            report.passed(name, name in suite.toothless)


Ask = Callable[[dict[str, Any]], dict[str, Any]]


class CompletedProgram(NamedTuple):
    """What `run_program` returns to a test."""

    stdout: str
    stderr: str
    exit_code: int | None
    files: dict[str, bytes]

    @property
    def returncode(self) -> int | None:
        """The exit code, under the name that `subprocess` has for it."""
        return self.exit_code


def given_service(emit: object, ran: Callable[[Any], None]) -> dict[str, Any]:
    """Returns the names a suite gets besides the solution's; none if the supervisor takes no questions. `ran` is called
    with the lines that each program ran, None if they were not measured."""
    ask: Ask | None = getattr(emit, "ask", None)
    if ask is None:
        return {}

    def run_program(
        argv: Sequence[str] = (), stdin: str = "", files: Mapping[str, bytes | str] | None = None
    ) -> CompletedProgram:
        """Runs the solution as a script. Raises EOFError if nobody can run it."""
        sent: dict[str, str] = {}
        for name, data in (files or {}).items():
            sent[name] = (data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data).decode("latin-1")
        reply = ask({"run_program": {"argv": [str(word) for word in argv], "stdin": stdin, "files": sent}})
        ran(reply.get("arcs"))
        written = {name: data.encode("latin-1") for name, data in reply["files"].items()}
        return CompletedProgram(reply["stdout"], reply["stderr"], reply["exit_code"], written)

    return {"run_program": run_program}


def inprocess(job: dict[str, Any], emit: Emit) -> None:
    """Loads the solution, then runs its suite; reports every outcome through `emit`."""
    sources = Sources(job)
    report = Reporter(emit, sources.files, job)
    reading = read_suite(job, report)
    if reading is None:
        return
    sources.install()
    measure = sources.measured(job)
    try:
        given = {} if reading[1].program_only else given_by(sources.load(), reading[2])
    except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
        report.fault(problem)
    else:
        run_suite(reading, given, sources.sources.values(), report)
    if measure is not None and (measured := measure.record(report.programs)):
        emit(measured)
    report.done()


def given_by(solution: ModuleType, mentioned: frozenset[str], public: Iterable[str] | None = None) -> dict[str, Any]:
    """Returns what a suite that mentions these names gets of a solution before it asks. A name that `__all__` promises
    and the module lacks is left out."""
    names = given_names(public_names(solution) if public is None else public, mentioned)
    given: dict[str, Any] = {}
    for name in names:
        with contextlib.suppress(AttributeError):
            given[name] = getattr(solution, name)  # once: in a split run this asks the other process
    return given
