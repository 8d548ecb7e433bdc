"""Defines one moment of a run as the screen gets it: the folded events, and what only the manager of runs knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from framework.engine import Pending, Status
from framework.storage.records import StoredFile

from .fold import RunView


@dataclass(frozen=True, slots=True)
class Shot:
    """A run at one moment, as one page shows it."""

    run_id: str = ""
    view: RunView = field(default_factory=RunView)
    status: Status = "new"
    pending: Pending | None = None
    """The open question, which an answer names by its id."""
    files: tuple[StoredFile, ...] = ()
    """What the delivered program made."""
    queued: int | None = None
    """How many runs start before this one; None if it does not wait in line."""
    title: str = ""
    """The first line of the task as it was handed in. It is known before the first event."""
    mine: bool = True
    """Whether the person who looks may also steer the run."""
    link: str = ""
    """The share that stands for the run in links, because a browser does not say whose it is when it follows a link."""
    ref: str = ""
    """The id or share by which the page was asked for the run."""
    wish: int = 0
    """The number of the person's wish that this shot meets."""

    @property
    def link_ref(self) -> str:
        """The id or share that stands for the run in links."""
        return self.link or self.run_id

    @property
    def busy(self) -> bool:
        return self.status in ("queued", "running")
