"""`python -m agent runs`: lists the stored runs, searched by words and by verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import aclosing
from datetime import datetime
from typing import Any

from agent.events import RunFinished
from agent.events.codec import decode_event
from agent.outcome.report import verdict_unconcluded
from agent.runs import open_runs
from framework.errors import OtherVersion
from framework.settings import Settings

LOOKED_THROUGH = 1000
"""How many runs, newest first, are searched for a verdict."""
_WIDTH = 70
"""Characters of a task that a line shows."""


async def run(settings: Settings, *, query: str, verdict: str, limit: int, as_json: bool) -> int:
    """Prints the runs, newest first, each with its verdict or status."""
    async with aclosing(await open_runs(settings)) as runs:
        listed: list[dict[str, Any]] = []
        store = runs.store
        for row in await store.do(store.runs.list, LOOKED_THROUGH if verdict else limit, query):
            ended = await store.do(store.journal.last, row.run_id, "run_finished")
            status = await runs.status(row.run_id)
            word = _verdict(ended) if ended is not None else verdict_unconcluded(status)
            if verdict in ("", word):
                told = {"run_id": row.run_id, "created": row.created, "task": row.title}
                listed.append({**told, "status": status, "verdict": word})
            if len(listed) == limit:
                break
    print(json.dumps({"runs": listed}, ensure_ascii=False) if as_json else _table(listed, query or verdict))
    return 0


def _verdict(ended: Mapping[str, Any]) -> str:
    """Returns the verdict of a stored `run_finished`; "" if another version stored it."""
    try:
        event = decode_event("run_finished", ended)
    except OtherVersion:
        return ""
    return str(event.conclusion.verdict) if isinstance(event, RunFinished) else ""


def _table(listed: list[dict[str, Any]], searched: str) -> str:
    if not listed:
        return f"No run carries {searched!r}." if searched else "There are no runs yet."
    return "\n".join(_line(entry) for entry in listed)


def _line(entry: dict[str, Any]) -> str:
    task = entry["task"] if len(entry["task"]) <= _WIDTH else f"{entry['task'][: _WIDTH - 1]}…"
    return f"{entry['run_id']}  {when(entry['created'])}  {entry['verdict'] or entry['status']:15}  {task}"


def when(created: float) -> str:
    """Returns a Unix time as local date and time."""
    return datetime.fromtimestamp(created).strftime("%Y-%m-%d %H:%M")
