"""Where a test keeps its runs: a directory, or a directory and a schema of a PostgreSQL database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from framework.runs import Runs
from framework.secret import Secret
from framework.storage.store import Store

from .toy import Happened


@dataclass(frozen=True, slots=True)
class Place:
    """Can be sent to another process."""

    directory: Path
    url: str | None = None

    def _url(self) -> Secret | None:
        return Secret(self.url) if self.url else None

    def store(self, types: Iterable[tuple[str, str]] = ()) -> Store:
        return Store.open(self.directory, types, url=self._url())

    def part(self, name: str) -> Place:
        """A directory of its own in the same database."""
        (self.directory / name).mkdir()
        return replace(self, directory=self.directory / name)

    async def runs(self, engine: Any, **options: Any) -> Runs[Happened]:
        return await Runs.open(self.directory, engine, database_url=self._url(), **options)


def hold_all_writes(place: Place) -> Callable[[], None]:
    """As another process would; returns what lets go."""
    if place.url is None:
        other: Any = sqlite3.connect(place.directory / "journal.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
    else:
        psycopg = pytest.importorskip("psycopg")
        other = psycopg.connect(place.url)
        other.execute("LOCK TABLE events, memo IN EXCLUSIVE MODE")
    return other.close
