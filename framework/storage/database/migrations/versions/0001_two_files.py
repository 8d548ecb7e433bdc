"""SQLite only: the journal in one file, the checkpoints in another, as versions from before Alembic made them."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None: ...
