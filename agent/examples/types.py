"""What code alone can tell about a task: its kind, its names, its examples and its other demands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TaskKind = Literal["function", "class", "program", "data", "fix"]
"""program: judged by argv/stdin/stdout; data: a script over files, judged by its output and files; fix: code given."""


@dataclass(frozen=True, slots=True)
class Example:
    """Something the task text itself promises, read by code."""

    source: str
    """One assert statement, or (for stdin/stdout examples) a test using run_program."""
    sentence: str
    """Where in the task it stands, verbatim."""
    call: str | None = None
    expected: str | None = None
    """Literals of the call and of its value, where it is such a pair."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What code alone can tell about the task."""

    kind: TaskKind
    hard: bool
    entry_point: str | None
    signature: str | None
    examples: tuple[Example, ...] = ()
