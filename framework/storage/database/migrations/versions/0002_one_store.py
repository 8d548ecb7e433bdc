"""Moves the checkpoints into the journal's file, so that a fork is one transaction.

Each run also gets words to search by, a stage, its seconds and its number of drives.
"""

from __future__ import annotations

from alembic import op

from framework.storage.words import words_of

revision = "0002"
down_revision = "0001"
_STATEMENTS = (
    "ALTER TABLE runs ADD COLUMN words TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE runs ADD COLUMN stage TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE runs ADD COLUMN seconds REAL NOT NULL DEFAULT 0",
    "ALTER TABLE runs ADD COLUMN drives INTEGER NOT NULL DEFAULT 0",
    "UPDATE runs SET seconds = coalesce((SELECT sum(CAST(value AS REAL)) FROM memo"
    " WHERE memo.run_id = runs.run_id AND substr(key, 1, 6) = 'drive:'), 0)",
    "DELETE FROM memo WHERE substr(key, 1, 6) = 'drive:'",
    "DROP INDEX runs_by_age",
    "CREATE INDEX runs_by_age ON runs(created, run_id, owner, words)",
    "CREATE INDEX runs_by_owner ON runs(owner, created, run_id, words)",
    "CREATE INDEX runs_at_work ON runs(stage) WHERE stage <> ''",
    "CREATE TABLE bodies(run_id TEXT NOT NULL, name BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY(run_id, name))"
    " STRICT, WITHOUT ROWID",
    "PRAGMA user_version = 2",
)


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    for statement in _STATEMENTS:
        run(statement)
    for run_id, title in run("SELECT run_id, title FROM runs").fetchall():
        run("UPDATE runs SET words = ? WHERE run_id = ?", (words_of(title, run_id), run_id))
    if "old" in {row[1] for row in run("PRAGMA database_list").fetchall()}:
        _move_checkpoints()


def _move_checkpoints() -> None:
    """Moves the checkpoints out of the attached file of revision 0001."""
    run = op.get_bind().exec_driver_sql
    tables = dict(run("SELECT name, sql FROM old.sqlite_master WHERE type = 'table'").fetchall())
    for table in ("checkpoints", "writes"):
        if table in tables:
            run(tables[table])
            run(f"INSERT INTO main.{table} SELECT * FROM old.{table}")
    if "bodies" in tables:
        run("INSERT INTO main.bodies SELECT run_id, name, body FROM old.bodies")
