"""Defines a benchmark task with hidden tests, and reads rows of published data."""

from __future__ import annotations

import base64
import builtins
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.task.request import BadInput

SECONDS = 20.0
"""The CPU seconds for each hidden test, unless a problem says otherwise."""
HUB = "hub"
"""The value of --data with which a suite downloads its published data set."""


class BadSuite(BadInput):
    """The suite's data are missing or not what they should be. The message is one line."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A program that the hidden tests must refuse."""

    slip: str
    """What is wrong with the program, in words."""
    code: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One benchmark task with hidden tests."""

    id: str
    task: str
    """Everything that the agent is told."""
    hidden: str
    """The pytest source that grades a program. The agent never gets it."""
    code: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    seconds: float = SECONDS
    """The CPU seconds for each hidden test."""
    kind: str = ""
    """The kind of work, in a word."""
    right: tuple[str, ...] = ()
    """Whole programs that solve the problem, the suite's own answer first. The agent never gets them."""
    wrong: tuple[Wrong, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Returns the problem in plain JSON values, for a worker in another process. The known answers are left out."""
        files = {name: base64.b64encode(data).decode() for name, data in self.files.items()}
        told = {"id": self.id, "task": self.task, "hidden": self.hidden, "code": self.code, "files": files}
        return {**told, "seconds": self.seconds}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Problem:
        files = {name: base64.b64decode(data) for name, data in values["files"].items()}
        return cls(values["id"], values["task"], values["hidden"], values["code"], files, values["seconds"])


def chosen(problems: Sequence[Problem], task_ids: str | None, limit: int | None) -> list[Problem]:
    """Returns the problems of these ids, at most `limit` of them. Raises BadSuite for an unknown id."""
    if task_ids:
        known = {problem.id: problem for problem in problems}
        wanted = [name.strip() for name in task_ids.split(",") if name.strip()]
        if unknown := [name for name in wanted if name not in known]:
            raise BadSuite(f"unknown task ids: {', '.join(unknown)}")
        problems = [known[name] for name in dict.fromkeys(wanted)]
    return list(problems[:limit])


def rows(data: Path | None, name: str, hub: str = "") -> Iterator[dict[str, Any]]:
    """Yields the objects of `data`: a .jsonl file, a folder that holds one called `name`, or "hub" for the data set
    "owner/name:configuration:split" that `hub` names. Raises BadSuite."""
    if data is None:
        raise BadSuite(f"this suite needs --data PATH: {name}, or a folder that holds it")
    if hub and str(data) == HUB:
        yield from _downloaded(hub)
        return
    path = data / name if data.is_dir() else data
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [json.loads(line) for line in lines if line.strip()]
    except OSError as error:
        raise BadSuite(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise BadSuite(f"{path} is not a file of JSON lines") from None
    if not found or not all(isinstance(row, dict) for row in found):
        raise BadSuite(f"{path} holds no JSON objects")
    yield from found


def problems(
    make: Callable[[dict[str, Any]], Problem | None], data: Path | None, name: str, hub: str = ""
) -> list[Problem]:
    """Returns the problems that `make` makes of the rows; a row of which it makes None is left out. Raises BadSuite,
    also for a row that lacks a field."""
    try:
        return [problem for row in rows(data, name, hub) if (problem := make(row))]
    except KeyError as error:
        raise BadSuite(f"{data}: a row has no field {error}") from None


def _downloaded(hub: str) -> Iterator[dict[str, Any]]:
    try:
        datasets = importlib.import_module("datasets")
    except ModuleNotFoundError:
        raise BadSuite("--data hub needs the package datasets: pip install datasets") from None
    name, configuration, split = hub.split(":")
    try:
        found = datasets.load_dataset(name, configuration or None, split=split)
    except (OSError, ValueError, RuntimeError) as error:
        raise BadSuite(f"{name} cannot be loaded: {' '.join(str(error).split())}") from None
    yield from (dict(row) for row in found)


def graded_by_check(test: str, entry_point: str) -> str:
    """Returns hidden tests for suites whose test defines `check(candidate)`."""
    body = f"    check({entry_point})\n    assert callable({entry_point})\n"
    return f"{imported([entry_point])}{test}\n\n\ndef test_hidden():\n{body}"


def imported(names: Iterable[str]) -> str:
    """Returns an import of those names that a test would otherwise not see, or would take for Python's own."""
    hidden = [name for name in names if name.startswith("_") or hasattr(builtins, name)]
    return f"from solution import {', '.join(hidden)}\n\n" if hidden else ""
