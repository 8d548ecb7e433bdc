"""A worker as a plain process; its children wall themselves in with landlock and seccomp."""

from __future__ import annotations

import sys

from ..launch import Place
from ..types import Level

LEVEL: Level = "walled"
ON_REQUEST = False
WALLS = ("landlock", "seccomp")


def missing() -> str:
    return "" if sys.platform == "linux" else "landlock and seccomp exist on Linux only"


def command(place: Place) -> list[str]:
    return place.python
