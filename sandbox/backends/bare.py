"""A worker whose children have limits but no walls: macOS (untried) and kernels without seccomp.

A program can read, send and start what the app's user can. It is here so that the app works on such a machine with code
that its person trusts; the level says so, and a minimum level refuses it.
"""

from __future__ import annotations

import sys

from ..launch import Place
from ..types import Level

LEVEL: Level = "limits"
UNTRIED = sys.platform != "linux"
WALLS: tuple[str, ...] = ()


def missing() -> str:
    return ""


def command(place: Place) -> list[str]:
    return place.python
