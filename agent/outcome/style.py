"""Runs ruff on programs: to find faults before a program is run, and to format an accepted one if it then behaves as
before."""

from __future__ import annotations

import asyncio
import re
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module, util

from agent.by_output.demand import demand_of
from agent.by_output.running import run_script
from agent.checks.execution import SCRIPT
from agent.context import Context
from agent.counting.comparing import by_output
from agent.counting.counted import outcomes_so_far, runs_of
from agent.state import AgentState, Candidate
from agent.trust import Facts, verdict
from llm.replies.files import join_files, split_files

from .smallest import runs_alike

_SECONDS = 10.0
"""Wall seconds that ruff may take for one module."""
_COMMON = ("--quiet", "--isolated", "--no-cache", "--target-version", f"py{sys.version_info[0]}{sys.version_info[1]}")
_STEPS = (
    ("check", "--fix-only", "--select", "F,I", *_COMMON),
    ("format", "--line-length", "100", "--config", 'format.quote-style="preserve"', *_COMMON),
)
"""Fixes imports and formats. Only fixes that ruff calls safe are applied."""
_LINT = ("check", "--select", "F,E9,B,PLE", "--output-format", "concise", *_COMMON)
"""Rules that find faults in most programs they match: unknown and unused names, and mistakes that are easily
overlooked."""
_PLACE = re.compile(r"^(?:.*/)?([^/:]+\.py):(\d+):\d+: ")
_MOST_FINDINGS = 8
_LAYOUT = re.compile(
    r"one[- ]?lin|(?:single|two|three|\d) lines?\b|lines of code|semicolon|indent|whitespace", re.IGNORECASE
)
"""Matches a task that says how the program is to look; such a program is not formatted."""
KEPT, FORMATTED = "left as it was written: formatted by ruff, it ends otherwise", "formatted and lint-fixed by ruff"


async def with_style(state: AgentState, context: Context, facts: Facts, best: Candidate) -> tuple[Candidate, str]:
    """Returns the program as ruff writes it, and one sentence on what was done. Returns it unchanged, and "", if
    nothing would change, if code was given or the task says how the program is to look, or if it does not pass by the
    `facts` of the state."""
    outcomes = outcomes_so_far(state, best.id)
    word = verdict(facts, confirmed=False, candidate=best.id).word
    if (
        not state.config.style
        or state.task.code is not None
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
    """Returns the program with each module fixed and formatted; "" without ruff, or if ruff fails on a module."""
    ruff = _ruff()
    files = split_files(code)
    if not ruff:
        return ""
    if files is None:
        return await _finished(ruff, "solution.py", code)
    made = {path: await _finished(ruff, path, text) for path, text in files.items() if path.endswith(".py")}
    return join_files({**files, **made}) if all(made[path] or not files[path] for path in made) else ""


async def _finished(ruff: str, path: str, code: str) -> str:
    """Fixes and formats one module; "" if ruff fails. Both ruff processes start at once, because ruff takes longer to
    start than to read a program."""
    mend, form = _STEPS
    async with _started(ruff, mend, path) as mending, _started(ruff, form, path) as formatting:
        code, failed = await _output_of(mending, code)
        code, failed = ("", failed) if failed else await _output_of(formatting, code)
    return "" if failed else code


@asynccontextmanager
async def _started(ruff: str, step: Sequence[str], path: str) -> AsyncGenerator[Process]:
    """Starts ruff with the module on standard input and an empty environment. Ruff reads the text and runs nothing of
    it."""
    words, pipe = (*step, "--stdin-filename", path, "-"), asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(ruff, *words, stdin=pipe, stdout=pipe, stderr=pipe, env={})
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _output_of(process: Process, code: str) -> tuple[str, int]:
    """Returns what the process writes to standard output, and its exit status; 2 when it took too long."""
    try:
        async with asyncio.timeout(_SECONDS):
            out, _ = await process.communicate(code.encode("utf-8", "surrogatepass"))
    except TimeoutError:
        return "", 2
    return out.decode("utf-8", "replace"), process.returncode or 0


async def lint(code: str) -> list[str]:
    """Returns what ruff finds wrong in the program, as "file:line: what"; [] without ruff."""
    ruff, files, told = _ruff(), split_files(code) or {"solution.py": code}, list[str]()
    for path, text in files.items() if ruff else ():
        if path.endswith(".py"):
            async with _started(ruff, _LINT, path) as process:
                told += (await _output_of(process, text))[0].splitlines()
    return [_PLACE.sub(r"\1:\2: ", line) for line in told if _PLACE.match(line)][:_MOST_FINDINGS]


@cache
def _ruff() -> str:
    """Returns the path of ruff; "" when it is not installed. Looked up once, since installed packages do not change
    while the app runs."""
    if util.find_spec("ruff") is None:
        return ""
    try:
        return str(import_module("ruff").find_ruff_bin())
    except FileNotFoundError:
        return ""
