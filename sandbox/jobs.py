"""From a program to what travels to a worker; the tests never travel to the process that holds the solution."""

from __future__ import annotations

import marshal
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .child.plan import plan
from .launch import Flavour
from .types import Program

_PATIENCE = 10.0
"""Seconds beyond the program's own time before a worker counts as dead."""
_LONGEST_NAME = 200
_PLANNED_CHARACTERS = 60_000
_DEEP = re.compile(r"[(\[{]{30}|[-+~]{60}|(?:not ){60}|(?:lambda: ?){30}")
"""Nesting that no person writes and that strains a parser."""


def check(program: Program) -> None:
    """Refuse what cannot be run; raises ValueError with one line."""
    if bool(program.solution.strip()) == bool(program.package):
        raise ValueError("a program is either a solution or a package, and not empty")
    if program.tests is not None and program.calls:
        raise ValueError("a program is run with tests or with calls, not with both")
    _check_names(list(program.package))
    _check_names(list(program.files))
    limits = program.limits
    if min(limits.timeout, limits.memory_mb, limits.output_kb, limits.file_mb) <= 0:
        raise ValueError("limits are positive numbers")


def _check_names(names: list[str]) -> None:
    """Relative paths that can all exist side by side."""
    plain = [os.path.normpath(name) for name in names]
    for name, path in zip(names, plain, strict=True):
        parts = path.split("/")
        odd = path.startswith(("/", "~")) or parts[0] in (".", "..") or "\x00" in name or "\\" in name
        if not name or odd or len(path.encode("utf-8", "surrogatepass")) > _LONGEST_NAME:
            raise ValueError(f"not a path inside the run folder: {name[:80]!r}")
    folders = {path[:at] for path in plain for at in range(len(path)) if path[at] == "/"}
    if len(set(plain)) < len(plain) or folders & set(plain):
        raise ValueError("two files of the run folder have the same name")


def module_name(program: Program) -> str:
    """What tests import."""
    return next(iter(program.package)).partition("/")[0].removesuffix(".py") if program.package else "solution"


@dataclass(frozen=True, slots=True)
class Job:
    """One request to a worker."""

    head: dict[str, Any]
    body: bytes
    patience: float


def job_for(program: Program, flavour: Flavour, *, split: bool, explain: bool) -> Job:
    """The request that runs `program` in one process, or in two. `explain`: failed checks tell the values they saw,
    which costs time that a passing suite need not spend."""
    base: dict[str, Any] = {
        "solution": program.solution,
        "package": dict(program.package),
        "module": module_name(program),
        "argv": list(program.argv),
        "stdin": program.stdin,
        "flavour": flavour,
        "mode": "split" if split else "inprocess",
    }
    full = base | {
        "tests": program.tests,
        "calls": list(program.calls),
        "call_timeout": program.call_timeout,
        "coverage": program.coverage and not split,
        "fail_fast": program.fail_fast,
    }
    if program.tests is not None:
        full["plan"] = _plan(program.tests, explain)
    first = marshal.dumps(full)
    second = marshal.dumps(base) if split else b""
    limits = program.limits
    head = {
        "op": "run",
        "id": 0,
        "entry": _entry(program, split),
        "second": split,
        "files": [[os.path.normpath(name), len(data)] for name, data in program.files.items()],
        "sizes": [len(first), len(second)],
        "limits": {
            "timeout": limits.timeout,
            "memory_mb": limits.memory_mb,
            "output_kb": limits.output_kb,
            "file_mb": limits.file_mb,
        },
    }
    return Job(head, b"".join([*program.files.values(), first, second]), limits.timeout + _PATIENCE)


@lru_cache(maxsize=256)
def _plan(tests: str, explain: bool) -> bytes | None:
    """The tests compiled here, where it is quick, and never run here; None for what a child had better parse itself."""
    if len(tests) > _PLANNED_CHARACTERS or _DEEP.search(tests):
        return None
    return plan(tests, explain)


def _entry(program: Program, split: bool) -> str:
    if program.tests is not None:
        return "judge" if split else "inprocess"
    return "evaluate" if program.calls else "script"
