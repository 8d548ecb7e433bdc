"""Describes the task's files to the models. They are read in the sandbox, because files are as untrusted as
programs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agent.context import Context
from sandbox.types import Artifact, FileData, Limits, Program, Sandbox

from .inserted import source_of

MOST_FILES = 8
"""The most files that are described; of the others only the names are told."""
READING_SECONDS = 20.0
_FILE_BEGINS = re.compile(r"\n(?=\S)")
LACKING = re.compile(r"the package (openpyxl|pyarrow), which reads it, is not installed")
"""What the reader prints for a file whose package is missing."""
NO_ROWS = re.compile(
    r"^(\S.*?) \([\d,]+ bytes\): "
    r"(?:[^\n]*, 0 rows,|[^\n]*: list of 0$|[^\n]*: object with \d+ keys(?:\n  '[^\n]*': list of 0)+(?=\n\S|\s*\Z))",
    re.M,
)
"""What the reader prints for a table or a list with nothing in it."""
WITHOUT_ROWS = "holds no rows: there is nothing in it to reckon with"
"""What the person is then told of such a file."""
UNRECKONED = re.compile(r"\d+ cells hold a formula whose value is not stored")
"""What the reader prints for a workbook whose formulas Excel has not computed since it was written."""


async def files_told(context: Context, made: Mapping[str, FileData] | None = None) -> list[str]:
    """Returns a description of each file of the task, and of the files that another program `made`; only the name when
    the reader fails. What keeps a file from being read becomes a problem of the run."""
    files = dict(sorted({**context.task.files, **(made or {})}.items()))
    if not files:
        return []
    names = list(files)[:MOST_FILES]
    execution = await context.execute(_reading_program({name: files[name] for name in names}))
    told = _FILE_BEGINS.split(execution.stdout.rstrip()) if execution.status == "ok" else names
    for package in dict.fromkeys(LACKING.findall(execution.stdout)):
        context.tell_once(f"a file of the task needs {package}, which is not installed here: install the extra `data`")
    for name in NO_ROWS.findall(execution.stdout):
        context.tell_once(f"{name} {WITHOUT_ROWS}")
    for found in UNRECKONED.findall(execution.stdout):
        context.tell_once(f"in a workbook {found}, so that programs read nothing there: save it once with Excel")
    return [*told, *list(files)[MOST_FILES:]]


def _reading_program(files: Mapping[str, FileData]) -> Program:
    source = f"{source_of('reader')}\n\nmain({list(files)!r})\n"
    return Program(solution=source, files=files, limits=Limits(READING_SECONDS), mode="inprocess")


async def description_of(sandbox: Sandbox, artifact: Artifact) -> str:
    """Returns what a file holds that a program made: its form, then a line for each column. If it cannot be read, the
    first line says why."""
    execution = await sandbox.run(_reading_program({artifact.name.rpartition("/")[2]: artifact.data}))
    told = execution.stdout.strip().partition(" bytes): ")[2]
    return told or f"cannot be read: {execution.error or execution.status}"
