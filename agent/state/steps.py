"""What the state holds of the steps of a task. This module imports neither checks nor candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.types import FileData

from ..examples.types import Leaving
from .findings import VerdictWord


@dataclass(frozen=True, slots=True)
class Step:
    """One of several steps of a task, what it must leave behind, and what became of it."""

    task: str
    leaves: tuple[Leaving, ...] = ()
    values: tuple[str, ...] = ()
    """Names under which the step prints what it found."""
    code: str = ""
    beside: tuple[str, ...] = ()
    """Programs that were written independently of `code`."""
    word: VerdictWord | None = None
    """The verdict on the step; None when the step is not done, or open again."""
    reason: str = ""
    left: Mapping[str, FileData] = field(default_factory=dict[str, FileData])
    seen: tuple[str, ...] = ()
    """What was found of what the step must leave behind, in words."""
    lessons: tuple[str, ...] = ()
    """What was learned while the step was done."""
    blamed: str = ""
    """What a later step failed with, when that opened this step again."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A task of several steps. They are done one after the other, each with the files that the steps before it left."""

    text: str
    """The text of the whole task."""
    files: Mapping[str, FileData]
    """The files that came with the task."""
    parts: tuple[Step, ...]
    at: int = -1
    """Index of the open step; -1 before the first, `len(parts)` when all steps are joined."""
    written: int = 0
    """How many programs were written in the steps before the open one."""

    @property
    def number(self) -> int:
        """The number of the open step, from 1; 0 before the first and after the last."""
        return self.at + 1 if self.at < len(self.parts) else 0
