"""Traces what the program's variables held, line by line, on a failing input. Debuggers are shown the trace."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from agent.context import Context
from agent.source.files import as_program_file
from agent.source.parsing import expression_of
from agent.state import AgentState, Candidate, Check
from sandbox.types import Program

from .execution import limits_of

HEAD_LINES, TAIL_LINES = 4, 10
"""How many lines of a longer trace are kept: where the program began, and what led to its answer."""
MAX_LINES = 4000
"""After this many lines nothing more is recorded, and the trace's end may then not be the program's end."""
MARK = "@@"
"""Begins each line of the trace, to tell it from what the program itself prints."""

HARNESS = """
import opcode as _opcode, reprlib as _reprlib, sys as _sys
_says = {{_opcode.opmap.get(_name): _word for _name, _word in
    (("RETURN_VALUE", "returns"), ("RETURN_CONST", "returns"), ("YIELD_VALUE", "yields"))}}
_short = _reprlib.Repr()
_short.maxstring = _short.maxother = 60
_lines, _before = [], {{}}
def _shown(name, value):
    if name.startswith("."):
        return None
    text = _short.repr(value)
    return None if " object at 0x" in text or text.startswith(("<function", "<module", "<class")) else text
def _watch(frame, event, argument):
    if not frame.f_code.co_filename.endswith("program.py"):
        return None
    if event in ("line", "return") and len(_lines) < {limit}:
        seen = {{name: text for name, value in frame.f_locals.items() if (text := _shown(name, value)) is not None}}
        changed = {{name: text for name, text in seen.items() if _before.get((id(frame), name)) != text}}
        _before.update({{(id(frame), name): text for name, text in changed.items()}})
        said = ", ".join(f"{{name}} = {{text}}" for name, text in changed.items())
        said_so = _says.get(frame.f_code.co_code[frame.f_lasti]) if event == "return" else None
        if said_so and not frame.f_code.co_name.startswith("<"):
            _lines.append(f"line {{frame.f_lineno}} {{said_so}} {{_short.repr(argument)}}")
        elif event == "line" and said:
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
_left_out = len(_lines) - {head} - {tail}
if _left_out > 1:
    _lines[{head}:-{tail}] = [f"[... {{_left_out}} lines left out ...]"]
print("\\n".join("{mark}" + _line for _line in _lines))
"""


async def trace_failure(state: AgentState, context: Context, candidate: Candidate, failing: Sequence[Check]) -> str:
    """Returns a trace of the first failing check that is one plain call; "" when there is none."""
    call = next((check.call for check in failing if check.call), None)
    if call is None or not isinstance(expression_of(call), ast.Call):
        return ""
    program = Program(
        solution=HARNESS.format(limit=MAX_LINES, head=HEAD_LINES, tail=TAIL_LINES, mark=MARK, call=call),
        files={**state.task.files, **as_program_file(candidate.code)},
        limits=limits_of(state.config),
        mode="inprocess",
    )
    execution = await context.execute(program)
    lines = [line.removeprefix(MARK) for line in execution.stdout.splitlines() if line.startswith(MARK)]
    return "\n".join([call, *lines]) if lines else ""
