"""One moment of a run as the screen gets it: the folded events, and what only the manager of runs knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from framework.engine import Pending, Status

from .fold import RunView


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A file that the delivered program made."""

    name: str
    mime: str
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Shot:
    run_id: str = ""
    view: RunView = field(default_factory=RunView)
    status: Status = "new"
    pending: Pending | None = None
    """The open question; answers name its id."""
    files: tuple[LeftFile, ...] = ()
    queued: int | None = None
    """How many runs start before this one; None when it is not waiting in line."""
    title: str = ""
    """First line of the task as it was handed in, known before the run tells it."""
    mine: bool = True
    """Whoever looks may also steer it."""
    link: str = ""
    """What stands for the run in links, which a browser follows without saying whose it is."""
    address: str = ""
    """The run as the page was asked for it: what stands in its own address."""
    turn: int = 0
    """Which wish of the person's is met by this."""

    @property
    def word(self) -> str:
        return self.link or self.run_id

    @property
    def busy(self) -> bool:
        return self.status in ("queued", "running")
