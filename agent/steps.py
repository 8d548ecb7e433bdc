"""What the state holds of the steps of a task, and of what earlier runs learned; it knows no check and no candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sandbox.types import FileData

from .examples.types import Leaving

VerdictWord = Literal["verified", "partly_verified", "unverified", "failed"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """What an earlier run on a similar task learned."""

    run: str
    task: str
    verdict: VerdictWord
    similarity: float
    lessons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Brought:
    """What is told of an earlier run whose lessons came along. Whoever may see this run need not be one who may see
    that one, so its words stay out."""

    run: str
    verdict: VerdictWord
    similarity: float
    lessons: int
    """How many."""


@dataclass(frozen=True, slots=True)
class Step:
    """One of several steps of a task, what it must leave behind, and what became of it."""

    task: str
    leaves: tuple[Leaving, ...] = ()
    values: tuple[str, ...] = ()
    """Names under which it prints what it found."""
    code: str = ""
    beside: tuple[str, ...] = ()
    """Programs that were written independently of it."""
    word: VerdictWord | None = None
    """None: not done, or open again."""
    reason: str = ""
    left: Mapping[str, FileData] = field(default_factory=dict[str, FileData])
    seen: tuple[str, ...] = ()
    """What was found of what it must leave behind, in words."""
    lessons: tuple[str, ...] = ()
    """What was learned while it was done."""
    blamed: str = ""
    """Why it was opened again: what a later step failed with."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A task of several steps: done one after the other, each with the files of those before it."""

    text: str
    """Of the whole task."""
    files: Mapping[str, FileData]
    """That came with it."""
    parts: tuple[Step, ...]
    at: int = -1
    """The open one; -1: none has begun, their number: all is joined."""
    written: int = 0
    """Programs of the steps before the open one."""

    @property
    def number(self) -> int:
        """Of the open step, from 1; 0 before the first and behind the last."""
        return self.at + 1 if self.at < len(self.parts) else 0
