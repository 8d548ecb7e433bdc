"""Tells the other side with each message what has changed on this side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class News:
    """What one side tells with its messages when it has changed, each under a name."""

    def __init__(self) -> None:
        self._sources: list[Callable[[], dict[str, Any]]] = []
        self._told: dict[str, Any] = {}
        """What the other side knows."""

    def watch(self, source: Callable[[], dict[str, Any]], told: dict[str, Any]) -> None:
        """From now on tells what `source` gives, of which the other side takes `told` for granted."""
        self._sources.append(source)
        self._told |= told

    def add(self, extras: dict[str, Any]) -> None:
        for source in self._sources:
            extras |= {name: now for name, now in source().items() if now != self._told[name]}

    def sent(self, extras: dict[str, Any]) -> None:
        """Records that both sides know these."""
        self._told |= {name: extras[name] for name in self._told.keys() & extras.keys()}
