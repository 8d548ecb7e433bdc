"""Sets up logging: plain lines for a person, or JSON lines for a service.

Each line names the run it belongs to, and secrets are masked.
"""

from __future__ import annotations

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

from .secret import RedactingFilter, Redactor

RUN_ID: ContextVar[str] = ContextVar("run_id", default="")
"""The id of the run that the current task drives; "" outside of runs."""


class _RunFilter(logging.Filter):
    """Adds the id of the run to every log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.run_id = RUN_ID.get()
        return True


class JsonFormatter(logging.Formatter):
    """Writes a log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "run_id": getattr(record, "run_id", ""),
            "message": record.getMessage(),
        }
        if record.exc_text:
            line["error"] = record.exc_text
        return json.dumps(line, ensure_ascii=False)


def setup_logging(
    redactor: Redactor, *, level: str = "WARNING", as_json: bool = False, stream: TextIO | None = None
) -> None:
    """Gives the root logger one handler on `stream` (default: stderr). A second call replaces the first handler."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.set_name("framework")
    handler.addFilter(_RunFilter())
    handler.addFilter(RedactingFilter(redactor))
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s %(run_id)s %(message)s", "%H:%M:%S")
    handler.setFormatter(JsonFormatter() if as_json else plain)
    root = logging.getLogger()
    for old in [old for old in root.handlers if old.get_name() == "framework"]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
