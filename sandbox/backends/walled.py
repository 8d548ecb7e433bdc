"""Starts a worker as a plain process, whose children wall themselves in with landlock and seccomp.

This is for machines that forbid namespaces to ordinary users, as most containers do: landlock and seccomp need no
privilege."""

from __future__ import annotations

import platform
import sys

from ..launch import Place
from ..types import Level
from ..worker.syscalls import UNTRIED as UNTRIED_MACHINES

LEVEL: Level = "walled"
UNTRIED = platform.machine().lower() in UNTRIED_MACHINES
WALLS = ("landlock", "seccomp")


def missing() -> str:
    return "" if sys.platform == "linux" else "landlock and seccomp exist on Linux only"


def command(place: Place) -> list[str]:
    return place.python
