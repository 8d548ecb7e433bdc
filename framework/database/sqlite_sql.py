"""The SQL of SQLite alone."""

from __future__ import annotations

from .base import HEAD, SqlDialect

RUNS = """
CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, created REAL NOT NULL, title TEXT NOT NULL, words TEXT NOT NULL DEFAULT '',
    spec TEXT NOT NULL, scripted INTEGER NOT NULL, owner TEXT NOT NULL, holder TEXT NOT NULL DEFAULT '',
    stage TEXT NOT NULL DEFAULT '', seconds REAL NOT NULL DEFAULT 0, drives INTEGER NOT NULL DEFAULT 0,
    stop_requested INTEGER NOT NULL DEFAULT 0) STRICT"""
INDEXES = (
    # Holds all that a search looks at, so that a search never reads what the runs were asked.
    "CREATE INDEX runs_by_age ON runs(created, run_id, owner, words)",
    "CREATE INDEX runs_by_owner ON runs(owner, created, run_id, words)",
    "CREATE INDEX runs_at_work ON runs(stage) WHERE stage <> ''",
)
BODIES = """
CREATE TABLE bodies(
    run_id TEXT NOT NULL, name BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY(run_id, name)) STRICT, WITHOUT ROWID"""
DIALECT = SqlDialect(
    schema=(
        RUNS,
        *INDEXES,
        """
CREATE TABLE events(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, seq INTEGER NOT NULL, identity TEXT NOT NULL,
    ts REAL NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY(run_id, seq), UNIQUE(run_id, identity)) STRICT""",
        """
CREATE TABLE memo(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY(run_id, key)) STRICT""",
        """
CREATE TABLE blobs(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT NOT NULL, mime TEXT NOT NULL,
    created REAL NOT NULL, data BLOB NOT NULL, PRIMARY KEY(run_id, name)) STRICT""",
        BODIES,
        "CREATE TABLE alembic_version(version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
        f"INSERT INTO alembic_version VALUES('{HEAD}')",
        # Read by versions before Alembic's, which refuse it.
        "PRAGMA user_version = 2",
    ),
    arrival="rowid",
    contains="instr(words, :query) > 0",
)
