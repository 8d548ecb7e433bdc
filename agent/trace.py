"""A short trace of variables for a wrong answer: what the program held, line by line, on the failing input."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from sandbox.types import Program

from .context import Context
from .execution import limits_of
from .state import AgentState, Candidate, Check

MAX_LINES = 20

HARNESS = """
import reprlib as _reprlib, sys as _sys
_short = _reprlib.Repr()
_short.maxstring = _short.maxother = 60
_lines, _before = [], {{}}
def _watch(frame, event, argument):
    if not frame.f_code.co_filename.endswith("program.py"):
        return None
    if event in ("line", "return") and len(_lines) < {limit}:
        seen = {{name: _short.repr(value) for name, value in frame.f_locals.items()}}
        changed = {{name: text for name, text in seen.items() if _before.get((id(frame), name)) != text}}
        _before.update({{(id(frame), name): text for name, text in changed.items()}})
        said = ", ".join(f"{{name}} = {{text}}" for name, text in changed.items())
        if event == "return":
            _lines.append(f"line {{frame.f_lineno}} returns {{_short.repr(argument)}}")
        elif said:
            _lines.append(f"before line {{frame.f_lineno}}: {{said}}")
    return _watch
from program import *
_sys.settrace(_watch)
try:
    {call}
except Exception as _error:
    _lines.append(f"raised {{type(_error).__name__}}: {{_error}}")
finally:
    _sys.settrace(None)
print("\\n".join(_lines))
"""


async def trace_failure(state: AgentState, context: Context, candidate: Candidate, failing: Sequence[Check]) -> str:
    """At most 20 lines for the first failing check that is one plain call; "" when there is none."""
    call = next((check.call for check in failing if check.call), None)
    if call is None or not _is_call(call):
        return ""
    program = Program(
        solution=HARNESS.format(limit=MAX_LINES, call=call),
        files={**state.task.files, "program.py": candidate.code.encode("utf-8", "replace")},
        limits=limits_of(state.config),
        mode="inprocess",
    )
    execution = await context.execute(program)
    return f"{call}\n{execution.stdout.strip()}" if execution.stdout.strip() else ""


def _is_call(text: str) -> bool:
    try:
        return isinstance(ast.parse(text, mode="eval").body, ast.Call)
    except SyntaxError:
        return False
