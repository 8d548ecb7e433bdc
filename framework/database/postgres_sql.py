"""The SQL of PostgreSQL alone."""

from __future__ import annotations

from .base import HEAD, SqlDialect

DIALECT = SqlDialect(
    schema=(
        """
CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, created DOUBLE PRECISION NOT NULL, title TEXT NOT NULL, words TEXT NOT NULL,
    spec TEXT NOT NULL, scripted BOOLEAN NOT NULL, owner TEXT NOT NULL, holder TEXT NOT NULL DEFAULT '',
    stage TEXT NOT NULL DEFAULT '', seconds DOUBLE PRECISION NOT NULL DEFAULT 0,
    drives INTEGER NOT NULL DEFAULT 0,
    stop_requested BOOLEAN NOT NULL DEFAULT FALSE)""",
        # Holds all that a search looks at, so that a search never reads what the runs were asked.
        "CREATE INDEX runs_by_age ON runs(created, run_id, owner, words)",
        "CREATE INDEX runs_by_owner ON runs(owner, created, run_id, words)",
        "CREATE INDEX runs_at_work ON runs(stage) WHERE stage <> ''",
        """
CREATE TABLE events(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, seq INTEGER NOT NULL, identity TEXT NOT NULL,
    ts DOUBLE PRECISION NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY(run_id, seq), UNIQUE(run_id, identity))""",
        """
CREATE TABLE memo(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, key TEXT NOT NULL, value TEXT NOT NULL,
    arrived BIGINT GENERATED ALWAYS AS IDENTITY, PRIMARY KEY(run_id, key))""",
        """
CREATE TABLE blobs(
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT NOT NULL, mime TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL, data BYTEA NOT NULL, PRIMARY KEY(run_id, name))""",
        """
CREATE TABLE bodies(
    run_id TEXT NOT NULL, name BYTEA NOT NULL, body BYTEA NOT NULL, PRIMARY KEY(run_id, name))""",
        "CREATE TABLE alembic_version(version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
        f"INSERT INTO alembic_version VALUES('{HEAD}')",
    ),
    arrival="arrived",
    contains="strpos(words, :query) > 0",
)
LOCK_IS_HELD = """
SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
    AND classid = CAST(:high AS oid) AND objid = CAST(:low AS oid)
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""
CUT_OFF = """
SELECT pg_terminate_backend(pid, CAST(:patience AS BIGINT)) FROM pg_stat_activity
    WHERE backend_xid = CAST(CAST(:number AS xid8) AS xid)"""
"""Ends the session whose transaction has this number."""
HOW_IT_ENDED = "SELECT pg_xact_status(CAST(:number AS xid8))"
"""The word for a transaction of this number."""
REVISION = """
SELECT CASE WHEN to_regclass('alembic_version') IS NULL THEN '' ELSE 'known' END"""
SESSION = (
    # A machine that lost its power lets go of its runs after 15 s.
    "SET tcp_keepalives_idle = 5",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 2",
    "SET lock_timeout = '10s'",
    "SET statement_timeout = '15s'",
    # A process that is halted within a transaction keeps nobody waiting.
    "SET idle_in_transaction_session_timeout = '20s'",
)
