"""A worker whose children have limits but no walls: macOS (untried) and kernels without seccomp."""

from __future__ import annotations

import os

from ..launch import Place
from ..types import Level

LEVEL: Level = "limits"
ON_REQUEST = False
WALLS: tuple[str, ...] = ()


def missing() -> str:
    return "" if hasattr(os, "fork") else "programs are forked, which this system cannot do; use Docker or WSL"


def command(place: Place) -> list[str]:
    return place.python
