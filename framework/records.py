"""What the store keeps beside the journal: the list of runs, paid work, and artifacts."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .database import Database
from .errors import RunExists, StoreError

MAX_BLOB_BYTES = 16 * 2**20
MAX_RUN_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it was submitted."""

    run_id: str
    created: float
    title: str
    spec: Mapping[str, Any]
    scripted: bool
    owner: str
    """Who submitted it, in the caller's terms ("" if nobody was named)."""
    holder: str
    """The process that drives it, or did when it died: "pid 12 on host"; "" when none."""


@dataclass(frozen=True, slots=True)
class BlobInfo:
    name: str
    mime: str
    bytes: int


class RunTable:
    _COLUMNS = "run_id, created, title, spec, scripted, owner, holder"

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, row: RunRow) -> None:
        """Raises RunExists."""
        added = self._database.execute(
            f"INSERT INTO runs({self._COLUMNS}) VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1",
            (row.run_id, row.created, row.title, json.dumps(row.spec), row.scripted, row.owner, row.holder),
        )
        if not added:
            raise RunExists(f"run {row.run_id} exists already")

    def get(self, run_id: str) -> RunRow | None:
        rows = self._database.execute(f"SELECT {self._COLUMNS} FROM runs WHERE run_id = ?", (run_id,))
        return _row(rows[0]) if rows else None

    def list(self, limit: int = 50, query: str = "", owner: str | None = None) -> list[RunRow]:
        """Newest first; `query` is looked for in title and id, `owner` None means all."""
        rows = self._database.execute(
            f"SELECT {self._COLUMNS} FROM runs WHERE (instr(lower(title), lower(?1)) OR instr(run_id, ?1))"
            " AND (?2 IS NULL OR owner = ?2) ORDER BY created DESC, rowid DESC LIMIT ?3",
            (query, owner, limit),
        )
        return [_row(row) for row in rows]

    def beyond(self, keep: int) -> list[str]:
        """Ids of all but the newest `keep` runs."""
        rows = self._database.execute(
            "SELECT run_id FROM runs ORDER BY created DESC, rowid DESC LIMIT -1 OFFSET ?", (keep,)
        )
        return [run_id for (run_id,) in rows]

    def hold(self, run_id: str, holder: str) -> None:
        """Names who drives the run ("": nobody) and forgets an earlier request to stop it."""
        self._database.execute("UPDATE runs SET holder = ?, stop_requested = 0 WHERE run_id = ?", (holder, run_id))

    def request_stop(self, run_id: str) -> None:
        self._database.execute("UPDATE runs SET stop_requested = 1 WHERE run_id = ?", (run_id,))

    def stop_requests(self) -> list[str]:
        return [run_id for (run_id,) in self._database.execute("SELECT run_id FROM runs WHERE stop_requested = 1")]

    def delete(self, run_id: str) -> None:
        self._database.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))


class Memo:
    """Work that was paid for, by run and key, so that a node that runs again does not pay again. JSON values."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def recall(self, run_id: str, key: str) -> Any | None:
        """The remembered value; None if there is none."""
        rows = self._database.execute("SELECT value FROM memo WHERE run_id = ? AND key = ?", (run_id, key))
        return json.loads(rows[0][0]) if rows else None

    def listed(self, run_id: str, prefix: str) -> list[Any]:
        """The values of all keys that begin so, in the order in which they were kept."""
        rows = self._database.execute(
            "SELECT value FROM memo WHERE run_id = ?1 AND substr(key, 1, length(?2)) = ?2 ORDER BY rowid",
            (run_id, prefix),
        )
        return [json.loads(value) for (value,) in rows]

    def remember(self, run_id: str, key: str, value: Any) -> bool:
        """Keeps the first value of a key; False if there was one."""
        rows = self._database.execute(
            "INSERT INTO memo VALUES(?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1",
            (run_id, key, json.dumps(value, ensure_ascii=False)),
        )
        return bool(rows)


class Blobs:
    """Files that a run produced."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, run_id: str, name: str, mime: str, data: bytes) -> None:
        """Stores or replaces a file. Raises StoreError beyond 16 MiB a file or 64 MiB a run."""
        if len(data) > MAX_BLOB_BYTES:
            raise StoreError(f"artifact {name!r} has {len(data)} bytes; the limit is {MAX_BLOB_BYTES}")
        others = self._database.execute(
            "SELECT coalesce(sum(length(data)), 0) FROM blobs WHERE run_id = ? AND name <> ?", (run_id, name)
        )[0][0]
        if others + len(data) > MAX_RUN_BYTES:
            raise StoreError(f"the artifacts of run {run_id} would exceed {MAX_RUN_BYTES} bytes")
        self._database.execute(
            "INSERT OR REPLACE INTO blobs VALUES(?, ?, ?, ?, ?)", (run_id, name, mime, time.time(), data)
        )

    def load(self, run_id: str, name: str) -> tuple[str, bytes] | None:
        """(mime, bytes), or None."""
        rows = self._database.execute("SELECT mime, data FROM blobs WHERE run_id = ? AND name = ?", (run_id, name))
        return (rows[0][0], rows[0][1]) if rows else None

    def list(self, run_id: str) -> list[BlobInfo]:
        rows = self._database.execute(
            "SELECT name, mime, length(data) FROM blobs WHERE run_id = ? ORDER BY name", (run_id,)
        )
        return [BlobInfo(*row) for row in rows]

    def copy(self, source: str, target: str, until: float) -> None:
        """Copies the files saved up to a Unix time into another run."""
        self._database.execute(
            "INSERT INTO blobs SELECT ?, name, mime, created, data FROM blobs WHERE run_id = ? AND created <= ?",
            (target, source, until),
        )


def _row(row: tuple[Any, ...]) -> RunRow:
    run_id, created, title, spec, scripted, owner, holder = row
    return RunRow(run_id, created, title, json.loads(spec), bool(scripted), owner, holder)
