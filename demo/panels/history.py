"""The runs of this browser, newest first, each behind its link."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup

from demo.markup import span, tag
from demo.words import SCRIPTED
from framework.engine import Status

if TYPE_CHECKING:
    from framework.records import RunRow

_WORDS = {
    "new": "not begun",
    "running": "running",
    "waiting": "waits for you",
    "stopped": "stopped",
    "done": "finished",
}


def history_panel(rows: Sequence[tuple[RunRow, Status]]) -> Markup:
    if not rows:
        return tag("p", "No runs from this browser yet. A run can always be opened by its link.", cls="hint")
    return tag("ul", *(_row(row, status) for row, status in rows), cls="history")


def _row(row: RunRow, status: Status) -> Markup:
    when = datetime.fromtimestamp(row.created, tz=UTC)
    return tag(
        "li",
        tag("a", row.title or "(no title)", href=f"?run={quote(row.run_id)}"),
        span("dim", tag("time", f"{when:%d %b %H:%M} UTC", datetime=when.isoformat())),
        span(f"badge state-{status}", _WORDS[status]),
        span("badge scripted", SCRIPTED) if row.scripted else None,
    )
