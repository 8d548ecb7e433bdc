"""Runs the child's entry points without walls: forked by a small process of its own, records back over a pipe."""

from __future__ import annotations

import atexit
import pickle
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


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
        """The supervisor's rule: every collected check is there and was counted at the end, none failed, and one that
        asserts passed."""
        names = (self.all("collected") or [[]])[0]
        shown = [name for name, status in self.checks.items() if status == "pass" and not self.messages[name]]
        right = names == list(self.checks) and bool(shown) and set(self.checks.values()) <= {"pass", "skipped"}
        return right and self.all("done") == [len(names)] and not self.error


def run_inprocess(solution: str, tests: str, **more: Any) -> Outcome:
    return _ask("inprocess", solution, tests, more)


def run_split(solution: str, tests: str, **more: Any) -> Outcome:
    return _ask("split", solution, tests, more)


def run_script(solution: str, **more: Any) -> Outcome:
    return _ask("script", solution, None, more)


def run_calls(solution: str, calls: list[str], **more: Any) -> Outcome:
    return _ask("calls", solution, None, {"calls": calls, "call_timeout": 1.0, **more})


_forker: list[subprocess.Popen[bytes]] = []


def _ask(kind: str, solution: str, tests: str | None, more: dict[str, Any]) -> Outcome:
    """One run in a child of the forker, which is far smaller than the process that runs these tests."""
    if not _forker:
        command = [sys.executable, str(Path(__file__).with_name("forker.py"))]
        _forker.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT))
        atexit.register(_forker[0].kill)
    given, told = _forker[0].stdin, _forker[0].stdout
    assert given is not None
    assert told is not None
    job = {"solution": solution, "package": {}, "module": "solution", "tests": tests, "flavour": "pytest", **more}
    pickle.dump((kind, job), given)
    given.flush()
    return Outcome(*pickle.load(told))
