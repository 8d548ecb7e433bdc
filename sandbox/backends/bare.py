"""Starts workers whose children have limits but no walls, for macOS (untried) and kernels without seccomp.

A program can read, send and start whatever the app's user can. This backend lets a person run trusted code on such a
machine; the isolation level says so, and a minimum level refuses it."""

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
