"""Many programs from a file of JSON lines: so many at a time, records out in order."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Iterable
from typing import Any, cast

from .records import broken_record, execution_record, program_of
from .types import Sandbox

_AHEAD = 16


async def run_lines(sandbox: Sandbox, lines: Iterable[str]) -> AsyncIterator[dict[str, Any]]:
    """One record per non-empty line, `id` echoed; a line that cannot be run gives status `broken` and its error."""
    waiting: deque[asyncio.Task[dict[str, Any]]] = deque()
    try:
        for line in lines:
            if not line.strip():
                continue
            waiting.append(asyncio.create_task(_run_line(sandbox, line)))
            if len(waiting) >= _AHEAD:
                yield await waiting.popleft()
        while waiting:
            yield await waiting.popleft()
    finally:
        for task in waiting:
            task.cancel()


async def _run_line(sandbox: Sandbox, line: str) -> dict[str, Any]:
    name: Any = None
    try:
        fields = json.loads(line)
        name = cast(dict[str, Any], fields).get("id") if isinstance(fields, dict) else None
        execution = await sandbox.run(program_of(fields))
    except (ValueError, RecursionError) as error:
        return {"id": name, **broken_record(f"not a line that can be run: {error}")}
    return {"id": name, **execution_record(execution)}
