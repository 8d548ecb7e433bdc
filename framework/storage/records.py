"""Holds what the store keeps beside the journal: the list of runs, paid work, and files."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import RunExists, StoreError
from .database.base import Database, SqlStatement
from .journal import written
from .lease import WORKER
from .words import sought_in, words_of

MAX_BLOB_BYTES = 16 * 2**20
"""The most bytes of one stored file."""
MAX_RUN_BYTES = 64 * 2**20
"""The most bytes of all stored files of one run."""
MAX_RUNS_KEPT = 10_000_000
"""The largest RUNS_KEPT: how many runs of one owner can be kept."""
_OF_OWNER = "(runs.owner = :owner OR CAST(:owner AS TEXT) IS NULL)"
Stage = Literal["", "queued", "running"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it was submitted, and how far it has got."""

    run_id: str
    created: float
    title: str
    spec: Mapping[str, Any]
    scripted: bool
    owner: str
    """Who submitted the run, in the caller's terms; "" if nobody was named."""
    holder: str
    """The process that drives the run, or did when it died, e.g. "pid 12 on host"; "" for none."""
    stage: Stage = ""
    """How far the drive is, or was when its process died; "" without a drive. A run that is "queued" without a holder
    waits for any worker with a free slot."""
    seconds: float = 0.0
    """The seconds that the run has been driven."""

    @property
    def for_workers(self) -> bool:
        """Whether a worker is to drive the run: it has no holder yet, or its holder is a worker, which may have
        died."""
        return self.stage != "" and (self.holder == "" or self.holder.startswith(WORKER))


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that a run made, without its content."""

    name: str
    mime: str
    size: int
    """The bytes of the file."""


class RunTable:
    """Stores and lists runs."""

    _COLUMNS = "run_id, created, title, spec, scripted, owner, holder, stage, seconds"

    def __init__(self, database: Database) -> None:
        self._database = database
        self._contains = database.dialect.contains

    def add(self, row: RunRow) -> None:
        """Stores a new run. Raises RunExists."""
        title = row.title.replace("\0", " ").encode(errors="replace").decode()
        added = self._database.execute(
            f"INSERT INTO runs({self._COLUMNS}, words) VALUES(:run_id, :created, :title, :spec, :scripted, :owner,"
            " :holder, :stage, :seconds, :words) ON CONFLICT DO NOTHING RETURNING 1",
            run_id=row.run_id,
            created=row.created,
            title=title,
            spec=json.dumps(row.spec),
            scripted=row.scripted,
            owner=row.owner,
            holder=row.holder,
            stage=row.stage,
            seconds=row.seconds,
            words=words_of(title, row.run_id),
        )
        if not added:
            raise RunExists(f"run {row.run_id} exists already")

    def get(self, run_id: str) -> RunRow | None:
        rows = self._database.execute(f"SELECT {self._COLUMNS} FROM runs WHERE run_id = :run_id", run_id=run_id)
        return _row(rows[0]) if rows else None

    def list(
        self,
        limit: int = 50,
        query: str = "",
        owner: str | None = None,
        *,
        before: tuple[float, str] | None = None,
    ) -> list[RunRow]:
        """Returns up to `limit` runs, newest first. Each word of `query` must occur in a run's title or id. `owner`
        None means all owners. With `before`, only runs older than that (time, id) are listed."""
        conditions = ["owner = :owner"] if owner is not None else []
        sought = sought_in(query)
        names = [[f"word_{at}_{way}" for way in range(len(ways))] for at, ways in enumerate(sought)]
        conditions += [f"({' OR '.join(self._contains.format(f':{name}') for name in each)})" for each in names]
        conditions += ["(created, run_id) < (:created, :run_id)"] if before else []
        created, run_id = before or (0.0, "")
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = self._database.execute(
            f"SELECT {self._COLUMNS} FROM runs WHERE run_id IN ("
            f"SELECT run_id FROM runs {where} ORDER BY created DESC, run_id DESC LIMIT :limit)"
            " ORDER BY created DESC, run_id DESC",
            **{
                name: way
                for each, ways in zip(names, sought, strict=True)
                for name, way in zip(each, ways, strict=True)
            },
            owner=owner,
            created=created,
            run_id=run_id,
            limit=max(0, limit),
        )
        return [_row(row) for row in rows]

    def beyond(self, owner: str, keep: int) -> list[str]:
        """Returns the ids of an owner's runs except the newest `keep`, newest first."""
        rows = self._database.execute(
            "SELECT run_id FROM runs WHERE owner = :owner AND run_id NOT IN ("
            "SELECT run_id FROM runs WHERE owner = :owner ORDER BY created DESC, run_id DESC LIMIT :keep)"
            " ORDER BY created DESC, run_id DESC",
            owner=owner,
            keep=keep,
        )
        return [run_id for (run_id,) in rows]

    def hold(self, run_id: str, holder: str) -> int:
        """Stores who drives the run from now on, and drops an earlier request to stop it. Returns the number of this
        drive; 0 if there is no such run."""
        rows = self._database.execute(
            "UPDATE runs SET holder = :holder, stage = 'queued', stop_requested = FALSE, drives = drives + 1"
            " WHERE run_id = :run_id RETURNING drives",
            run_id=run_id,
            holder=holder,
        )
        return rows[0][0] if rows else 0

    def let_go(self, run_id: str, seconds: float | None) -> None:
        """Stores that nobody drives the run any more. `seconds` is how long it was driven in all (None: as long as is
        stored)."""
        self._leave(run_id, "", seconds)

    def hand_over(self, run_id: str, seconds: float | None = None) -> None:
        """Leaves the run to any worker with a free slot."""
        self._leave(run_id, "queued", seconds)

    def _leave(self, run_id: str, stage: Stage, seconds: float | None) -> None:
        """Stores that the run has no holder, in the given stage."""
        self._database.execute(
            "UPDATE runs SET holder = '', stage = :stage, stop_requested = FALSE,"
            " seconds = coalesce(:seconds, seconds) WHERE run_id = :run_id",
            run_id=run_id,
            stage=stage,
            seconds=seconds,
        )

    def for_workers(self) -> list[tuple[str, str]]:
        """Returns (id, holder) of the runs that workers drive or are to drive, the oldest first."""
        rows = self._database.execute(
            f"SELECT run_id, holder FROM runs WHERE stage <> '' AND (holder = '' OR holder LIKE '{WORKER}%')"
            " ORDER BY created, run_id"
        )
        return [(run_id, holder) for run_id, holder in rows]

    def waiting(self) -> int:
        return self._database.execute("SELECT count(*) FROM runs WHERE stage = 'queued' AND holder = ''")[0][0]

    def ahead(self, run_id: str) -> int | None:
        """Returns how many runs workers begin before this one; None if the run does not wait for a worker."""
        rows = self._database.execute(
            "SELECT (SELECT count(*) FROM runs AS other WHERE other.stage = 'queued' AND other.holder = ''"
            " AND (other.created, other.run_id) < (mine.created, mine.run_id))"
            " FROM runs AS mine WHERE run_id = :run_id AND stage = 'queued' AND holder = ''",
            run_id=run_id,
        )
        return rows[0][0] if rows else None

    def drives(self, run_id: str) -> int:
        rows = self._database.execute("SELECT drives FROM runs WHERE run_id = :run_id", run_id=run_id)
        return rows[0][0] if rows else 0

    def set_stage(self, run_id: str, stage: Stage) -> None:
        self._database.execute("UPDATE runs SET stage = :stage WHERE run_id = :run_id", run_id=run_id, stage=stage)

    def drove(self, run_id: str, seconds: float) -> None:
        self._database.execute(
            "UPDATE runs SET seconds = :seconds WHERE run_id = :run_id", run_id=run_id, seconds=seconds
        )

    def live(self) -> dict[str, int]:
        """Returns how many runs are in each stage ("queued", "running"), in all processes."""
        return dict(self._database.execute("SELECT stage, count(*) FROM runs WHERE stage <> '' GROUP BY stage"))

    def request_stop(self, run_id: str) -> None:
        self._database.execute("UPDATE runs SET stop_requested = TRUE WHERE run_id = :run_id", run_id=run_id)

    def stop_requests(self) -> list[str]:
        rows = self._database.execute("SELECT run_id FROM runs WHERE stage <> '' AND stop_requested")
        return [run_id for (run_id,) in rows]

    def delete(self, run_id: str) -> None:
        self._database.execute("DELETE FROM runs WHERE run_id = :run_id", run_id=run_id)


class Memo:
    """Keeps results of paid work as JSON values, by run and key, so that a node that runs again does not pay again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._arrival = database.dialect.arrival

    def recall(self, run_id: str, key: str) -> Any | None:
        """Returns the remembered value; None if there is none."""
        rows = self._database.execute(
            "SELECT value FROM memo WHERE run_id = :run_id AND key = :key", run_id=run_id, key=key
        )
        return json.loads(rows[0][0]) if rows else None

    def written(self, run_id: str) -> dict[str, str]:
        """Returns every value of the run as JSON text, by key."""
        return dict(self._database.execute("SELECT key, value FROM memo WHERE run_id = :run_id", run_id=run_id))

    def listed(self, run_id: str, prefix: str) -> list[Any]:
        """Returns the values of all keys that begin with `prefix`, in the order in which they were kept."""
        rows = self._database.execute(
            "SELECT value FROM memo WHERE run_id = :run_id AND substr(key, 1, length(:prefix)) = :prefix"
            f" ORDER BY {self._arrival}",
            run_id=run_id,
            prefix=prefix,
        )
        return [json.loads(value) for (value,) in rows]

    def remember(self, run_id: str, key: str, value: Any) -> bool:
        """Keeps the first value of a key. Returns False if the key had a value already."""
        sql, values = self.remembering(run_id, key, written(value))
        return bool(self._database.execute(sql, **values))

    @staticmethod
    def remembering(run_id: str, key: str, value: str) -> SqlStatement:
        """Returns the statement that keeps the first value of a key, given as JSON text. It gives a row if the key had
        no value."""
        return (
            "INSERT INTO memo(run_id, key, value) VALUES(:run_id, :key, :value) ON CONFLICT DO NOTHING RETURNING 1",
            {"run_id": run_id, "key": key, "value": value},
        )

    def of_owner(self, owner: str | None, key: str, limit: int = MAX_RUNS_KEPT) -> list[tuple[str, float, Any]]:
        """Returns (run id, time of the run's creation, value) for the runs of an owner (None: of all owners) that keep
        a value under the key, newest first."""
        rows = self._database.execute(
            "SELECT memo.run_id, runs.created, memo.value FROM memo JOIN runs ON runs.run_id = memo.run_id"
            f" WHERE {_OF_OWNER} AND memo.key = :key ORDER BY runs.created DESC, runs.run_id DESC LIMIT :limit",
            owner=owner,
            key=key,
            limit=limit,
        )
        return [(run_id, created, json.loads(value)) for run_id, created, value in rows]

    def forget(self, owner: str | None, key: str, run_id: str = "") -> int:
        """Deletes what one run of an owner keeps under the key, or all the owner's runs (`run_id` ""). Returns how many
        values it deleted."""
        rows = self._database.execute(
            "DELETE FROM memo WHERE key = :key AND run_id IN (SELECT run_id FROM runs"
            f" WHERE {_OF_OWNER} AND (:run_id = '' OR run_id = :run_id)) RETURNING 1",
            owner=owner,
            key=key,
            run_id=run_id,
        )
        return len(rows)


class Blobs:
    """Keeps the files that runs produced."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, run_id: str, name: str, mime: str, data: bytes) -> None:
        """Stores or replaces a file. Raises StoreError beyond 16 MiB for one file or 64 MiB for a run."""
        if len(data) > MAX_BLOB_BYTES:
            raise StoreError(f"artifact {name!r} has {len(data)} bytes; the limit is {MAX_BLOB_BYTES}")
        others = self._database.execute(
            "SELECT coalesce(sum(length(data)), 0) FROM blobs WHERE run_id = :run_id AND name <> :name",
            run_id=run_id,
            name=name,
        )[0][0]
        if others + len(data) > MAX_RUN_BYTES:
            raise StoreError(f"the artifacts of run {run_id} would exceed {MAX_RUN_BYTES} bytes")
        self._database.execute(
            "INSERT INTO blobs VALUES(:run_id, :name, :mime, :created, :data) ON CONFLICT(run_id, name)"
            " DO UPDATE SET mime = excluded.mime, created = excluded.created, data = excluded.data",
            run_id=run_id,
            name=name,
            mime=mime,
            created=time.time(),
            data=data,
        )

    def load(self, run_id: str, name: str) -> tuple[str, bytes] | None:
        """Returns (MIME type, bytes) of a file; None if there is none."""
        rows = self._database.execute(
            "SELECT mime, data FROM blobs WHERE run_id = :run_id AND name = :name", run_id=run_id, name=name
        )
        return (rows[0][0], rows[0][1]) if rows else None

    def list(self, run_id: str) -> list[StoredFile]:
        rows = self._database.execute(
            "SELECT name, mime, length(data) FROM blobs WHERE run_id = :run_id ORDER BY name", run_id=run_id
        )
        return [StoredFile(*row) for row in rows]

    def all(self, run_id: str) -> dict[str, tuple[str, bytes]]:
        """Returns (MIME type, bytes) of every file of a run, by name and in the order of the names."""
        rows = self._database.execute(
            "SELECT name, mime, data FROM blobs WHERE run_id = :run_id ORDER BY name", run_id=run_id
        )
        return {name: (mime, data) for name, mime, data in rows}


def _row(row: tuple[Any, ...]) -> RunRow:
    run_id, created, title, spec, scripted, *rest = row
    return RunRow(run_id, created, title, json.loads(spec), bool(scripted), *rest)
