"""The tools that models may use before they reply: one file each, and an import and an entry here."""

from __future__ import annotations

from . import (
    diff_attempts,
    inspect_function,
    library_help,
    list_dir,
    read_file,
    run_checks,
    run_snippet,
)
from .tool import Tool, ToolError, Workbench, with_tools

TOOLS: dict[str, Tool] = {
    "run_snippet": run_snippet.TOOL,
    "inspect_function": inspect_function.TOOL,
    "library_help": library_help.TOOL,
    "diff_attempts": diff_attempts.TOOL,
    "run_checks": run_checks.TOOL,
    "read_file": read_file.TOOL,
    "list_dir": list_dir.TOOL,
}

LOOK_UP = {"library_help": library_help.TOOL}
"""The tools for roles that write a program."""

__all__ = ["LOOK_UP", "TOOLS", "Tool", "ToolError", "Workbench", "with_tools"]
