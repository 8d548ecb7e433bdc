"""The ways to start a worker, strongest first. A new backend is one file and one line here."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from ..launch import Place
from ..types import Level

BACKENDS = (
    "docker",
    "bubblewrap",
    "walled",
    "bare",
)
"""Names of the backends; each is a module of this package."""


class Backend(Protocol):
    """A module that knows how to start a worker."""

    LEVEL: Level
    UNTRIED: bool
    """Whether the backend was never tried on a machine like this one; its level is then no more than expected."""
    WALLS: tuple[str, ...]
    """The walls that each child puts around itself."""

    def missing(self) -> str:
        """Returns why this machine cannot use the backend; "" when it probably can."""
        ...

    def command(self, place: Place) -> list[str]:
        """Returns the arguments of the process to start, whose stdin and stdout are the control channel."""
        ...


def load(name: str) -> Backend:
    """Returns the backend of that name. Raises KeyError, with the names there are."""
    if name not in BACKENDS:
        raise KeyError(f"no sandbox backend {name!r}; there are {', '.join(BACKENDS)}")
    return cast(Backend, importlib.import_module(f"{__name__}.{name}"))
