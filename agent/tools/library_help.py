"""The tool `library_help`: shows signature and documentation of an installed library, read from the library itself in
the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.types import Limits, Program

from .run_snippet import report
from .tool import Tool, ToolError, Workbench, shorten, tool

LOADING_SECONDS = 10.0
"""CPU seconds; a large library takes seconds to load."""
_READER = """
import difflib, inspect, pydoc

def signature(value):
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""

def told(name):
    value = pydoc.locate(name)
    if value is None:
        above, _, last = name.rpartition(".")
        near = difflib.get_close_matches(last, dir(pydoc.locate(above)), 5, 0.5)
        return f"there is no {name}; near to it in {above}: {', '.join(near) or 'nothing'}"
    lines = [name + signature(value), *(inspect.getdoc(value) or "no documentation").splitlines()[:30]]
    if inspect.ismodule(value) or inspect.isclass(value):
        lines.append("public names: " + ", ".join(one for one in dir(value) if not one.startswith("_")))
    return "\\n".join(lines)
"""


async def use(bench: Workbench, arguments: Mapping[str, Any]) -> str:
    name = arguments["name"]
    top = name.partition(".")[0]
    if not all(part.isidentifier() for part in name.split(".")):
        raise ToolError(f"{name!r} is no name of a module, class or function")
    program = Program(
        solution=f"import {top}\n{_READER}\nprint(told({name!r}))\n",
        limits=Limits(LOADING_SECONDS, bench.state.config.memory_mb),
        mode="inprocess",
    )
    execution = await bench.context.execute(program)
    if execution.missing_packages:
        return f"{top} is not installed; programs have to do without it"
    return shorten(report(execution))


TOOL = Tool(
    tool(
        "library_help",
        "Signature and documentation of an installed library's module, class or function, e.g. pandas.DataFrame.merge.",
        name={"type": "string", "minLength": 1, "maxLength": 120},
    ),
    use,
)
