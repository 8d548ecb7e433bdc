"""Turns a program into requests to a worker. The process that holds the solution never receives the tests, so a program
cannot read the expected answers."""

from __future__ import annotations

import contextlib
import importlib.util
import marshal
import os
import re
import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from .child.suite.plan import plan, strains_a_parser, unpack
from .launch import Flavour
from .times import times_of
from .types import Limits, Linked, Program
from .worker.clock import Times
from .worker.usage import MAX_BYTES

_PATIENCE = 30.0
"""Seconds beyond the longest that a run may take, after which its worker counts as dead."""
_PROGRAM = "run_program"
"""The name by which a suite asks for runs of the whole program."""
_MEMORY_PER_MB, _SECONDS_PER_MB = 6, 0.15
"""Extra megabytes and CPU seconds for each megabyte of a linked file: enough to hold its cells as Python objects and to
read its lines in plain Python."""
_LONGEST_NAME = 200
"""Bytes of a file's path; file systems allow 255 for each name in it."""
_MAX_GIVEN_BYTES = MAX_BYTES * 3 // 4
"""The most bytes of a run's data files together: three quarters of the run's disk room; the rest is for the program."""


def check(program: Program) -> None:
    """Raises ValueError, with one line, for a program that cannot be run."""
    if bool(program.solution.strip()) == bool(program.package):
        raise ValueError("a program is either a solution or a package, and not empty")
    if program.tests is not None and program.calls:
        raise ValueError("a program is run with tests or with calls, not with both")
    if not module_name(program).isidentifier():
        raise ValueError(f"no package can have this name: {module_name(program)[:80]!r}")
    _check_names(list(program.package))
    _check_names(list(program.files))
    given = sum(len(data) for data in program.files.values() if isinstance(data, bytes))
    if given > _MAX_GIVEN_BYTES:
        raise ValueError(f"data files of {given >> 20} MB; a run takes {_MAX_GIVEN_BYTES >> 20} MB")
    limits = program.limits
    if min(limits.timeout, limits.memory_mb, limits.output_kb, limits.file_mb) <= 0:
        raise ValueError("limits are positive numbers")


def _check_names(names: list[str]) -> None:
    """Raises ValueError unless all names are relative paths inside the run folder that can exist side by side."""
    plain = [os.path.normpath(name) for name in names]
    for name, path in zip(names, plain, strict=True):
        parts = path.split("/")
        odd = path.startswith(("/", "~")) or parts[0] in (".", "..") or "\x00" in name or "\\" in name
        # A lone surrogate is half of a character; no person's file name contains one.
        half = any("\ud800" <= letter <= "\udfff" for letter in path)
        if not name or odd or half or len(path.encode()) > _LONGEST_NAME:
            raise ValueError(f"not a path inside the run folder: {name[:80]!r}")
    folders = {path[:at] for path in plain for at in range(len(path)) if path[at] == "/"}
    if len(set(plain)) < len(plain) or folders & set(plain):
        raise ValueError("two files of the run folder have the same name")


def module_name(program: Program) -> str:
    """Returns the name of the module or package that tests import."""
    return next(iter(program.package)).partition("/")[0].removesuffix(".py") if program.package else "solution"


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """One request to a worker."""

    head: dict[str, Any]
    body: bytes
    patience: float


@dataclass(frozen=True, slots=True)
class Way:
    """How one process of a run, or the pair of a split run, works."""

    split: bool
    explain: bool = False
    """Whether failed checks report the values they compared, which costs time that a passing suite does not need."""
    wanted: tuple[int, ...] | None = None
    """Positions of the checks or calls to run; None for all."""
    used_cpu: float = 0.0
    """CPU seconds that earlier processes of this run used."""


def job_for(program: Program, flavour: Flavour, way: Way) -> WorkerJob:
    """Builds the request that runs `program` in this way."""
    base: dict[str, Any] = {
        "solution": program.solution,
        "package": dict(program.package),
        "module": module_name(program),
        "argv": list(program.argv),
        "stdin": program.stdin,
        "flavour": flavour,
        "mode": "split" if way.split else "inprocess",
    }
    full = base | {
        "tests": program.tests,
        "calls": list(program.calls),
        "call_timeout": program.call_timeout,
        "coverage": program.coverage and not way.split,
        "fail_fast": program.fail_fast,
        "wanted": way.wanted,
    }
    if program.tests is not None:
        explain = way.explain or "AssertionError" in program.tests  # a test may look at the words of a failed assert
        full |= {"explain": True} if explain else {"plan": _plan(program.tests)}
        full["given"] = _given_modules(program) if way.split else {}
    first = marshal.dumps(full)
    second = marshal.dumps(base) if way.split else b""
    times = times_of(program, way.used_cpu)
    files = {**_sources_on_disk(program), **program.files}
    copied = {os.path.normpath(name): data for name, data in files.items() if isinstance(data, bytes)}
    head = order(_entry(program, way.split), (len(first), len(second)), program.limits, times) | {
        "second": way.split,
        "asks": _PROGRAM in (program.tests or ""),
        "files": [[name, len(data)] for name, data in copied.items()],
        "links": [[os.path.normpath(name), data.path] for name, data in linked_in(program).items()],
    }
    return WorkerJob(head, b"".join([*copied.values(), first, second]), times.run_wall + _PATIENCE)


def _sources_on_disk(program: Program) -> dict[str, bytes]:
    """Returns the program's modules as files, if it or the tests name one of them. Otherwise nobody reads them from
    disk, and a folder that stays empty need not be cleaned up."""
    sources = program.package or {"solution.py": program.solution}
    names = ("__file__", *map(os.path.basename, sources))
    named = any(name in text for text in (program.tests or "", *sources.values()) for name in names)
    return {path: text.encode("utf-8", "surrogatepass") for path, text in sources.items()} if named else {}


def linked_in(program: Program) -> dict[str, Linked]:
    """Returns the data files that stay where they lie."""
    return {name: data for name, data in program.files.items() if isinstance(data, Linked)}


def with_room(program: Program) -> Program:
    """Returns the program with more memory and time, for its linked files to be read; the allowance is what reading
    them as tables takes at worst."""
    size_mb = sum(map(len, linked_in(program).values())) >> 20
    limits = program.limits
    memory_mb, timeout = limits.memory_mb + size_mb * _MEMORY_PER_MB, limits.timeout + size_mb * _SECONDS_PER_MB
    return replace(program, limits=replace(limits, memory_mb=memory_mb, timeout=timeout)) if size_mb else program


def order(entry: str, sizes: tuple[int, int], limits: Limits, times: Times) -> dict[str, Any]:
    """Returns the head of a request for one process, without files, whose two jobs have these sizes in bytes."""
    told = {"memory_mb": limits.memory_mb, "output_kb": limits.output_kb, "file_mb": limits.file_mb}
    told |= {"times": times._asdict()}
    lacking: dict[str, Any] = {"second": False, "asks": False, "files": [], "links": []}
    return {"op": "run", "entry": entry, "sizes": sizes, "limits": told, **lacking}


def _given_modules(program: Program) -> dict[str, str]:
    """Returns the data files that are Python modules, by path. In a split run the tests import them from here: the
    program could have overwritten the files in its folder."""
    found: dict[str, str] = {}
    for name, data in program.files.items():
        if name.endswith(".py") and isinstance(data, bytes):
            with contextlib.suppress(SyntaxError, UnicodeDecodeError):
                found[os.path.normpath(name)] = importlib.util.decode_source(data)
    return found


def stated_checks(tests: str) -> list[str]:
    """Returns the names of the checks in a suite's source; [] for unreadable source."""
    packed = _plan(tests)
    return unpack(packed)[1].checks if packed else []


@lru_cache(maxsize=256)
def _plan(tests: str) -> bytes | None:
    """Compiles the tests here, which is quick, and never runs them here. Returns None for source that strains the
    parser; a child parses that itself, so that it cannot kill this process."""
    return None if strains_a_parser(tests) else plan(tests)


def _entry(program: Program, split: bool) -> str:
    if program.tests is not None:
        return "examine" if split else "inprocess"
    return "evaluate" if program.calls else "script"


_NAME = r"[\w.]+(?:[ \t]+as[ \t]+\w+)?"
_IMPORT = re.compile(rf"^[ \t]*(?:from[ \t]+(\w+)|import[ \t]+({_NAME}(?:[ \t]*,[ \t]*{_NAME})*))", re.MULTILINE)
_DATA = frozenset(("numpy", "pandas", "matplotlib", "scipy", "sklearn", "seaborn"))
_HEAVY = frozenset(
    ("asyncio", "concurrent", "datetime", "decimal", "hypothesis", "pytest", "statistics", "tempfile", "unittest")
)
"""Modules that a bare worker has not loaded and that take long to load."""
_PYTEST_WORDS = ("pytest", "unittest", "run_program", "AssertionError")
_NOT_PLAIN = re.compile(
    r"^(?:@|class[ \t]+Test|async[ \t]+def[ \t]+test|def[ \t]+(?:setup|teardown)|def[ \t]+test\w*\([ \t]*[^)\s])",
    re.MULTILINE,
)


def flavour_of(program: Program) -> Flavour:
    """Chooses the kind of worker: `data` for data libraries, `bare` for suites that need no pytest, else `pytest`."""
    tests = program.tests or ""
    imported = {name for text in (program.solution, tests, *program.package.values()) for name in _imported(text)}
    if imported & _DATA:
        return "data"
    if program.coverage or any(word in tests for word in _PYTEST_WORDS) or _NOT_PLAIN.search(tests):
        return "pytest"
    own = {"solution", *(path.partition("/")[0].removesuffix(".py") for path in program.package)}
    installed = imported - sys.stdlib_module_names - own
    return "pytest" if installed or imported & _HEAVY else "bare"


def _imported(text: str) -> set[str]:
    """Returns the top-level names of the modules that a source seems to import."""
    names = [name.split() for first, more in _IMPORT.findall(text) for name in (first, *more.split(","))]
    return {words[0].partition(".")[0] for words in names if words}
