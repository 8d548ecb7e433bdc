"""Ways to start a worker, strongest first; a new one is a file and a line here."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from ..launch import Place
from ..types import Level

BACKENDS = ("docker", "bubblewrap", "walled", "bare")
"""Modules of this package."""


class Backend(Protocol):
    """A module that knows how to start a worker."""

    LEVEL: Level
    UNTRIED: bool
    """Written, but never run on such a machine."""
    WALLS: tuple[str, ...]
    """What each child puts around itself."""

    def missing(self) -> str:
        """Why this machine cannot; empty when it looks as if it can."""
        ...

    def command(self, place: Place) -> list[str]:
        """Arguments of the process to start; its stdin and stdout are the control channel."""
        ...


def load(name: str) -> Backend:
    """The backend of that name; raises KeyError with the names there are."""
    if name not in BACKENDS:
        raise KeyError(f"no sandbox backend {name!r}; there are {', '.join(BACKENDS)}")
    return cast(Backend, importlib.import_module(f"{__name__}.{name}"))
