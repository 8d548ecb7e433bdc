"""What the task's files hold, told to the models; read in the sandbox, because files are as untrusted as programs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agent.context import Context
from sandbox.types import Limits, Program

MOST_FILES = 8
"""Files that are described; of the others only the names are told."""
READING_SECONDS = 20.0


async def files_told(context: Context) -> list[str]:
    """A description of each file of the task; where the reader fails, its name alone."""
    files = dict(sorted(context.task.files.items()))
    if not files:
        return []
    names = list(files)[:MOST_FILES]
    program = Program(
        solution=f"{_source()}\n\nmain({names!r})\n",
        files={name: files[name] for name in names},
        limits=Limits(READING_SECONDS),
        mode="inprocess",
    )
    execution = await context.execute(program)
    told = [execution.stdout.rstrip()] if execution.status == "ok" else names
    return [*told, *list(files)[MOST_FILES:]]


@cache
def _source() -> str:
    return Path(__file__).with_name("reader.py").read_text(encoding="utf-8")
