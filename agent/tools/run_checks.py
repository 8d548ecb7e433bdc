"""The tool `run_checks`: runs named checks against the candidate and shows their results; held-out checks cannot be
run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.checks.execution import run_suite
from agent.dialogue.failures import shown_checks
from agent.state import Suite

from .tool import Tool, ToolError, Workbench, shorten, tool


async def use(bench: Workbench, arguments: Mapping[str, Any]) -> str:
    wanted = set(arguments["names"])
    shown = shown_checks(bench.state)
    chosen = {check.id for check in shown if check.id in wanted or check.name in wanted}
    if not chosen:
        raise ToolError(f"no check of that name; there are: {', '.join(check.id for check in shown)}")
    lines = [line for suite in bench.state.suites for line in await _run(bench, suite, chosen)]
    return shorten("\n".join(lines))


async def _run(bench: Workbench, suite: Suite, chosen: set[str]) -> list[str]:
    if not any(check.id in chosen for check in suite.checks):
        return []
    others = {check.id for check in suite.checks if check.id not in chosen}
    run = await run_suite(bench.context, bench.state.config, bench.candidate, suite, without=others)
    told = [f"{key}: {outcome.status} {outcome.message}".strip() for key, outcome in run.outcomes.items()]
    return told or [f"{suite.id}: {run.execution.status} {run.execution.error}"]


NAMES = {"type": "array", "items": {"type": "string", "maxLength": 200}, "minItems": 1, "maxItems": 20}
TOOL = Tool(tool("run_checks", "Run checks by name or id against the current program.", names=NAMES), use)
