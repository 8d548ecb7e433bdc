"""What changed between two attempts."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from llm.files import split_files

from .tool import Bench, Tool, shorten, tool


async def use(bench: Bench, arguments: Mapping[str, Any]) -> str:
    first, second = bench.find(arguments["first"]), bench.find(arguments["second"])
    return shorten(unified(first.code, second.code, first.id, second.id) or "the two attempts are the same")


def unified(before: str, after: str, before_name: str = "before", after_name: str = "after") -> str:
    """Unified diff of two sources, file by file where there are several; "" when they are equal."""
    old, new = split_files(before), split_files(after)
    if old is not None and new is not None:
        paths = [path for path in (*new, *(path for path in old if path not in new)) if old.get(path) != new.get(path)]
        parts = (
            unified(old.get(path, ""), new.get(path, ""), f"{before_name}/{path}", f"{after_name}/{path}")
            for path in paths
        )
        return "\n".join(parts)
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), fromfile=before_name, tofile=after_name, lineterm=""
    )
    return "\n".join(lines)


ATTEMPT = {"type": "string", "pattern": "^c[0-9]{1,3}$"}
TOOL = Tool(
    tool("diff_attempts", "Unified diff between two attempts, by id (c1, c2, ...).", first=ATTEMPT, second=ATTEMPT),
    use,
)
