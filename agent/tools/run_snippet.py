"""The tool `run_snippet`: runs a few lines against the candidate, in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.source.files import as_program_file
from sandbox.types import Execution, Limits, Program

from .tool import Tool, Workbench, shorten, tool


async def use(bench: Workbench, arguments: Mapping[str, Any]) -> str:
    config = bench.state.config
    program = Program(
        solution="from program import *\n" + arguments["code"],
        files={**bench.state.task.files, **as_program_file(bench.candidate.code)},
        limits=Limits(timeout=config.execution_timeout, memory_mb=config.memory_mb),
        mode="inprocess",
    )
    return shorten(report(await bench.context.execute(program)))


def report(execution: Execution) -> str:
    """Returns what a program printed and how it ended, as one text."""
    parts = [execution.stdout.strip(), execution.stderr.strip(), execution.error.strip()]
    shown = "\n".join(dict.fromkeys(part for part in parts if part))
    return shown or f"(no output; {execution.status}, exit code {execution.exit_code})"


TOOL = Tool(
    tool(
        "run_snippet",
        "Run Python lines after the current program; its public names are there. Use print() to see values.",
        code={"type": "string", "minLength": 1, "maxLength": 4000},
    ),
    use,
)
