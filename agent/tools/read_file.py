"""The tool `read_file`: shows one of the task's own files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .tool import Tool, ToolError, Workbench, shorten, tool


async def use(bench: Workbench, arguments: Mapping[str, Any]) -> str:
    files = bench.state.task.files
    path = arguments["path"]
    if path not in files:
        raise ToolError(f"there is no file {path!r}; the task has: {', '.join(files) or 'none'}")
    data = files[path]
    if not isinstance(data, bytes):
        return f"{path} has {len(data)} bytes, too many to be shown; read parts of it with run_snippet"
    try:
        return shorten(data.decode("utf-8"))
    except UnicodeDecodeError:
        return f"{path} is binary, {len(data)} bytes, and begins with {data[:16].hex(' ')}"


TOOL = Tool(
    tool(
        "read_file",
        "Read one of the files that came with the task.",
        path={"type": "string", "minLength": 1, "maxLength": 300},
    ),
    use,
)
