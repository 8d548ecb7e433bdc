"""SQLite only: the journal in one file, the checkpoints in another. Made by the versions before Alembic counted."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None: ...
