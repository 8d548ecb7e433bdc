"""Brings tables of an earlier version up to date with Alembic. It is loaded only if there are such tables."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from ...errors import StoreError

if TYPE_CHECKING:
    import psycopg

SCRIPTS = Path(__file__).with_name("migrations")
_CHECKPOINTS = "checkpoints.sqlite"
"""The file in which the checkpoints of revision 0001 lie."""


def upgrade_sqlite(connection: sqlite3.Connection, directory: Path) -> None:
    """Upgrades the SQLite file of `connection`. Raises StoreError and leaves everything as it was if that fails. The
    caller keeps other processes away."""
    old = directory / _CHECKPOINTS
    with_old = old.exists()
    if with_old:
        connection.execute("ATTACH DATABASE ? AS old", (str(old),))
    try:
        _upgrade(sqlalchemy.create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool))
    finally:
        if with_old:
            connection.execute("DETACH DATABASE old")
    for ending in ("", "-wal", "-shm"):
        old.with_name(_CHECKPOINTS + ending).unlink(missing_ok=True)


def upgrade_postgres(connection: psycopg.Connection[Any]) -> None:
    """Upgrades the PostgreSQL tables. Raises StoreError and leaves everything as it was if that fails. The caller keeps
    other processes away."""
    connection.autocommit = False
    try:
        _upgrade(sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: connection, poolclass=StaticPool))
    finally:
        connection.rollback()
        connection.autocommit = True


def _upgrade(engine: sqlalchemy.Engine) -> None:
    """Runs all steps in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    scripts = ScriptDirectory.from_config(config)

    def steps(revision: Any, _context: Any) -> Any:
        return scripts._upgrade_revs("head", revision)  # pyright: ignore[reportPrivateUsage]

    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            _stamp_the_first(connection)
            with EnvironmentContext(config, scripts, fn=steps) as context:
                context.configure(connection=connection, transactional_ddl=True)
                context.run_migrations()
            connection.commit()
    except SQLAlchemyError as error:
        raise StoreError(f"the stored runs cannot be brought up to date: {' '.join(str(error).split())}") from error


def _stamp_the_first(connection: sqlalchemy.Connection) -> None:
    """Numbers a schema that was made before Alembic, which has no table of revisions."""
    if not sqlalchemy.inspect(connection).has_table("alembic_version"):
        connection.exec_driver_sql("CREATE TABLE alembic_version(version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES('0001')")
