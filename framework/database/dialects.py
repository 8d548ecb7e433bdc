"""The SQL that is not the same on both databases: the tables in the words of each, and what PostgreSQL alone runs."""

from __future__ import annotations

from dataclasses import dataclass

REVISIONS = ("0001", "0002")
"""Of the schema, oldest first, as Alembic numbers them; a fresh database is made as the last one."""
HEAD = REVISIONS[-1]


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """The few words in which the two differ."""

    real: str
    flag: str
    no: str
    blob: str
    strict: str
    """Ends a table of which the database refuses values of another type."""
    keyed: str
    """Ends one that is read by its key alone."""
    counter: str
    """A further column of `memo`."""
    arrival: str
    """The column that counts the rows of `memo` as they came."""
    contains: str
    """Whether `words` has in it what {} stands for."""
    also: tuple[str, ...] = ()
    """Further statements for a fresh database."""

    @property
    def schema(self) -> tuple[str, ...]:
        """Makes every table of ours, as of HEAD."""
        run = "run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE"
        return (
            f"""
CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, created {self.real} NOT NULL, title TEXT NOT NULL, words TEXT NOT NULL DEFAULT '',
    spec TEXT NOT NULL, scripted {self.flag} NOT NULL, owner TEXT NOT NULL, holder TEXT NOT NULL DEFAULT '',
    stage TEXT NOT NULL DEFAULT '', seconds {self.real} NOT NULL DEFAULT 0, drives INTEGER NOT NULL DEFAULT 0,
    stop_requested {self.flag} NOT NULL DEFAULT {self.no}){self.strict}""",
            # Holds all that a search looks at, so that a search never reads what the runs were asked.
            "CREATE INDEX runs_by_age ON runs(created, run_id, owner, words)",
            "CREATE INDEX runs_by_owner ON runs(owner, created, run_id, words)",
            "CREATE INDEX runs_at_work ON runs(stage) WHERE stage <> ''",
            f"""
CREATE TABLE events(
    {run}, seq INTEGER NOT NULL, identity TEXT NOT NULL, ts {self.real} NOT NULL, kind TEXT NOT NULL,
    data TEXT NOT NULL, PRIMARY KEY(run_id, seq), UNIQUE(run_id, identity)){self.strict}""",
            f"""
CREATE TABLE memo(
    {run}, key TEXT NOT NULL, value TEXT NOT NULL, {self.counter}PRIMARY KEY(run_id, key)){self.strict}""",
            f"""
CREATE TABLE blobs(
    {run}, name TEXT NOT NULL, mime TEXT NOT NULL, created {self.real} NOT NULL, data {self.blob} NOT NULL,
    PRIMARY KEY(run_id, name)){self.strict}""",
            f"""
CREATE TABLE bodies(
    run_id TEXT NOT NULL, name {self.blob} NOT NULL, body {self.blob} NOT NULL,
    PRIMARY KEY(run_id, name)){self.keyed}""",
            "CREATE TABLE alembic_version(version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
            f"INSERT INTO alembic_version VALUES('{HEAD}')",
            *self.also,
        )


SQLITE = SqlDialect(
    real="REAL", flag="INTEGER", no="0", blob="BLOB", strict=" STRICT", keyed=" STRICT, WITHOUT ROWID", counter="",
    arrival="rowid", contains="instr(words, {}) > 0",
    # Read by versions before Alembic's, which refuse it.
    also=("PRAGMA user_version = 2",),
)  # fmt: skip
POSTGRES = SqlDialect(
    real="DOUBLE PRECISION", flag="BOOLEAN", no="FALSE", blob="BYTEA", strict="", keyed="",
    counter="arrived BIGINT GENERATED ALWAYS AS IDENTITY, ", arrival="arrived", contains="strpos(words, {}) > 0",
)  # fmt: skip
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
