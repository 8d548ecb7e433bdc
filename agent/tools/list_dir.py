"""The tool `list_dir`: lists the files that came with the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .tool import Tool, Workbench, shorten, tool


async def use(bench: Workbench, arguments: Mapping[str, Any]) -> str:
    prefix = arguments["path"].strip("./")
    files = sorted(bench.state.task.files.items())
    lines = [f"{name}  {len(data)} bytes" for name, data in files if not prefix or name.startswith(prefix + "/")]
    return shorten("\n".join(lines) or "no files there")


TOOL = Tool(
    tool(
        "list_dir",
        "List the files that came with the task, below a path (use . for all).",
        path={"type": "string", "maxLength": 300},
    ),
    use,
)
