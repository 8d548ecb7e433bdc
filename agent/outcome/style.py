"""What ruff says of a program; and the finish of an accepted one, kept where all ends as before."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module, util

from agent.checks.execution import SCRIPT
from agent.context import Context
from agent.counting import by_output, facts_of, outcomes_so_far, runs_of
from agent.examples.types import AS_IT_IS
from agent.scripts.demand import demand_of
from agent.scripts.running import run_script
from agent.state import AgentState, Candidate
from agent.trust import verdict
from llm.replies.files import join_files, split_files

from .smallest import runs_alike

_SECONDS = 10.0
_COMMON = ("--quiet", "--isolated", "--no-cache", "--target-version", f"py{sys.version_info[0]}{sys.version_info[1]}")
_STEPS = (
    ("check", "--fix-only", "--select", "F,I", *_COMMON),
    ("format", "--line-length", "100", "--config", 'format.quote-style="preserve"', *_COMMON),
)
"""Only fixes that ruff calls safe."""
_LINT = ("check", "--select", "F,E9,B,PLE", "--output-format", "concise", *_COMMON)
"""What is wrong in most programs that have it: unknown and unused names, mistakes that are easily overlooked."""
_PLACE = re.compile(r"^(?:.*/)?([^/:]+\.py):(\d+):\d+: ")
_MOST_FINDINGS = 8
_LAYOUT = re.compile(
    r"one[- ]?lin|(?:single|two|three|\d) lines?\b|lines of code|semicolon|indent|whitespace", re.IGNORECASE
)
"""The task speaks of how the program is to look."""
KEPT, FORMATTED = "left as it was written: formatted by ruff, it ends otherwise", "formatted and lint-fixed by ruff"


async def with_style(state: AgentState, context: Context, best: Candidate) -> tuple[Candidate, str]:
    """The program as ruff writes it, and what was done in one sentence; as it is, and "", where nothing would change,
    where it must stay as it was given, or where it does not pass."""
    brief, outcomes = state.brief, outcomes_so_far(state, best.id)
    given = state.task.code is not None or (brief is not None and brief.kind in AS_IT_IS)
    word = verdict(facts_of(state), confirmed=False, candidate=best.id).word
    if (
        not state.config.style
        or given
        or word not in ("verified", "partly_verified")
        or _LAYOUT.search(state.task.text)
    ):
        return best, ""
    code = await _by_ruff(best.code)
    if not code or code.rstrip() == best.code.rstrip():
        return best, ""
    styled = replace(best, code=code)
    if not await _ends_alike(state, context, best, styled):
        return best, KEPT
    return styled, f"{FORMATTED}; {f'all {len(outcomes)} checks' if outcomes else 'its output'} came out as before"


async def _ends_alike(state: AgentState, context: Context, best: Candidate, styled: Candidate) -> bool:
    if by_output(state):
        before = [run for run in runs_of(state, best.id) if run.suite == SCRIPT]
        after = await run_script(context, state.config, styled, demand_of(state))
        if not before or (before[-1].outputs, before[-1].lacks) != (after.outputs, after.lacks):
            return False
    return bool(await runs_alike(state, context, best, styled)) if state.suites else by_output(state)


async def _by_ruff(code: str) -> str:
    """Each of its modules; "" without ruff, and where it does not know what to make of one."""
    ruff = _ruff()
    files = split_files(code)
    if not ruff:
        return ""
    if files is None:
        return await _finished(ruff, "solution.py", code)
    made = {path: await _finished(ruff, path, text) for path, text in files.items() if path.endswith(".py")}
    return join_files({**files, **made}) if all(made[path] or not files[path] for path in made) else ""


async def _finished(ruff: str, path: str, code: str) -> str:
    """By standard input: ruff reads the text and runs nothing of it. It is told nothing of this process."""
    for step in _STEPS:
        code, returned = await _told(ruff, step, path, code)
        if returned:
            return ""
    return code


async def _told(ruff: str, step: Sequence[str], path: str, code: str) -> tuple[str, int]:
    """What it writes to standard output, and its exit status; 2 where it took too long."""
    words, pipe = (*step, "--stdin-filename", path, "-"), asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(ruff, *words, stdin=pipe, stdout=pipe, stderr=pipe, env={})
    try:
        async with asyncio.timeout(_SECONDS):
            out, _ = await process.communicate(code.encode("utf-8", "surrogatepass"))
    except TimeoutError:
        return "", 2
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return out.decode("utf-8", "replace"), process.returncode or 0


async def lint(code: str) -> list[str]:
    """What ruff finds wrong in the program, as "file:line: what"; [] without ruff."""
    ruff, files = _ruff(), split_files(code) or {"solution.py": code}
    modules = [(path, text) for path, text in files.items() if path.endswith(".py")] if ruff else []
    told = [(await _told(ruff, _LINT, path, text))[0].splitlines() for path, text in modules]
    return [_PLACE.sub(r"\1:\2: ", line) for lines in told for line in lines if _PLACE.match(line)][:_MOST_FINDINGS]


def _ruff() -> str:
    """Where it lies; "" where it is not installed."""
    if util.find_spec("ruff") is None:
        return ""
    try:
        return str(import_module("ruff").find_ruff_bin())
    except FileNotFoundError:
        return ""
