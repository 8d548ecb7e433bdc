"""Keeps the journal: the append-only list of what happened in each run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .database.base import Database, SqlStatement


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One stored event: `seq` counts from 0 without gaps in its run, `ts` is Unix time."""

    run_id: str
    seq: int
    ts: float
    kind: str
    data: Mapping[str, Any]


def written(value: Any) -> str:
    """Returns the value as JSON text that both databases take. Half of a surrogate pair is not valid text and stands in
    it escaped."""
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()


def whole(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Returns the data, and the same as JSON text, with a ? for each half of a surrogate pair, which could not be sent
    to a reader."""
    told = json.dumps(data, ensure_ascii=False)
    sent = told.encode(errors="replace").decode()
    return data if sent == told else json.loads(sent), sent


class Journal:
    """Stores and reads the events of all runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @staticmethod
    def appending(run_id: str, identity: str, kind: str, data: str, ts: float) -> SqlStatement:
        """Returns the statement that stores an event whose data is JSON text. It gives the event's `seq`, or no row if
        the run has that identity already, because a node ran again."""
        return (
            "INSERT INTO events(run_id, seq, identity, ts, kind, data)"
            " SELECT :run_id, coalesce(max(seq), -1) + 1, :identity, :ts, :kind, :data FROM events"
            " WHERE run_id = :run_id ON CONFLICT(run_id, identity) DO NOTHING RETURNING seq",
            {"run_id": run_id, "identity": identity, "ts": ts, "kind": kind, "data": data},
        )

    def events(self, run_id: str, after: int = -1, limit: int = 500) -> list[JournalEntry]:
        """Returns the next `limit` entries with seq > `after`, oldest first."""
        rows = self._database.execute(
            "SELECT seq, ts, kind, data FROM events WHERE run_id = :run_id AND seq > :after ORDER BY seq LIMIT :limit",
            run_id=run_id,
            after=after,
            limit=limit,
        )
        return [JournalEntry(run_id, seq, ts, kind, json.loads(data)) for seq, ts, kind, data in rows]

    def all(self, run_id: str) -> list[JournalEntry]:
        """Returns every entry of a run, oldest first."""
        found: list[JournalEntry] = []
        while page := self.events(run_id, found[-1].seq if found else -1):
            found += page
        return found

    def last(self, run_id: str, kind: str) -> Mapping[str, Any] | None:
        """Returns the data of the newest entry of that kind; None if there is none."""
        rows = self._database.execute(
            "SELECT data FROM events WHERE run_id = :run_id AND kind = :kind ORDER BY seq DESC LIMIT 1",
            run_id=run_id,
            kind=kind,
        )
        return json.loads(rows[0][0]) if rows else None
