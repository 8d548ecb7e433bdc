"""The tool `diff_attempts`: shows what changed between two attempts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.given.difference import unified

from .tool import Tool, Workbench, shorten, tool


async def use(bench: Workbench, arguments: Mapping[str, Any]) -> str:
    first, second = bench.find(arguments["first"]), bench.find(arguments["second"])
    return shorten(unified(first.code, second.code, first.id, second.id) or "the two attempts are the same")


ATTEMPT = {"type": "string", "pattern": "^c[0-9]{1,3}$"}
TOOL = Tool(
    tool("diff_attempts", "Unified diff between two attempts, by id (c1, c2, ...).", first=ATTEMPT, second=ATTEMPT),
    use,
)
