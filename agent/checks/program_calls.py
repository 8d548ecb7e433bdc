"""Reads calls of `run_program`, which stand for runs of a whole program, and runs the program for each."""

from __future__ import annotations

import ast
import asyncio
import builtins
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from agent.session.fingerprints import digest_of, program_parts
from agent.source.inputs import literal
from agent.source.parsing import UNREADABLE, expression_of, module_of, names_set_by
from agent.source.standard import MODULE
from agent.source.uses import OUTCOME
from sandbox.types import CallOutput, Execution, Limits, Program

if TYPE_CHECKING:
    from agent.context import Context  # which brings langgraph; the app reads a person's tests before that is loaded

HARNESS = "run_program"
"""The name that the sandbox gives to tests of programs; no program defines it."""
_LINES_OF = "'\\n'.join(line.rstrip() for line in {}.stdout.rstrip().splitlines())"
_PRINTED = _LINES_OF.format("ran")
_PARAMETERS = ("argv", "stdin", "files")
_AT_ONCE = 4
"""How many runs of the program go on at the same time."""
_WHOLE_KB = 256
"""Kilobytes kept of what a program prints. Outputs must be whole: two that were cut could look equal."""


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """Arguments, standard input and files of one run of the program."""

    argv: tuple[str, ...] = ()
    stdin: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


def calls_harness(call: str) -> bool:
    """Returns whether the expression uses the program harness."""
    # parsing each call costs most of the time, so most are sorted out by their text
    return (HARNESS in call or not call.isascii()) and HARNESS in _names(call)


def read_program_call(call: str) -> ProgramCall | None:
    """Returns the run that `run_program(argv, stdin, files)` with literal arguments describes; None for any other
    expression."""
    try:
        node = ast.parse(call.strip(), mode="eval").body
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != HARNESS:
            return None
        given = dict(zip(_PARAMETERS, map(ast.literal_eval, node.args), strict=False))
        given |= {keyword.arg: ast.literal_eval(keyword.value) for keyword in node.keywords if keyword.arg}
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if len(node.args) > len(_PARAMETERS) or not set(given) <= set(_PARAMETERS):
        return None
    return _typed(given)


def _typed(given: Mapping[str, Any]) -> ProgramCall | None:
    argv, stdin = given.get("argv", ()), given.get("stdin", "")
    files: Any = given.get("files") or {}
    if not isinstance(argv, list | tuple) or not isinstance(stdin, str) or not isinstance(files, dict):
        return None
    named = cast("dict[Any, Any]", files)
    if not all(isinstance(name, str) and isinstance(data, str | bytes) for name, data in named.items()):
        return None
    packed = {str(name): data if isinstance(data, bytes) else str(data).encode() for name, data in named.items()}
    return ProgramCall(tuple(map(str, cast("list[object]", argv))), stdin, packed)


def program_calls_in(source: str) -> Iterator[str]:
    """Yields every call of `run_program` with literal arguments in test source, as an expression."""
    for node in ast.walk(module_of(source)):
        if isinstance(node, ast.Call) and read_program_call(text := ast.unparse(node)) is not None:
            yield text


def plain_run(call: str) -> str:
    """Returns the run inside an expression such as `run_program(["-v"]).stdout`; any other expression as it is."""
    return call if read_program_call(call) else next(program_calls_in(call), call)


async def run_program_calls(
    context: Context, code: str, calls: Collection[str], limits: Limits
) -> dict[str, CallOutput]:
    """Returns the program's output for each call of the harness; opaque when the expression is no plain run."""
    free = asyncio.Semaphore(_AT_ONCE)

    async def one(call: str) -> CallOutput:
        wanted = read_program_call(call)
        if wanted is None:
            return CallOutput("opaque", "no plain run of the program")
        async with free:
            return await _run(context, code, wanted, limits)

    return dict(zip(calls, await asyncio.gather(*map(one, calls)), strict=True))


async def _run(context: Context, code: str, call: ProgramCall, limits: Limits) -> CallOutput:
    program = context.equipped(
        Program(
            solution=code,
            argv=call.argv,
            stdin=call.stdin,
            files={**context.task.files, **call.files},
            limits=Limits(timeout=limits.timeout, memory_mb=limits.memory_mb, output_kb=_WHOLE_KB),
            mode="inprocess",
        )
    )
    key = "program call:" + digest_of(program_parts(program))
    if (stored := context.session.port.recall(key)) is not None:
        return CallOutput(stored["kind"], stored["text"])
    output = _output(await context.session.sandbox.run(program))
    context.session.port.remember(key, {"kind": output.kind, "text": output.text})
    return output


def _output(execution: Execution) -> CallOutput:
    """Returns what a person sees of a run: printed lines without trailing blanks, exit code and files. Standard error
    is left out, because each author words messages differently."""
    if execution.status == "timeout":
        return CallOutput("timeout", "")
    if execution.exit_code is None or execution.truncated:
        return CallOutput("opaque", f"the run ended with {execution.status}")
    told: dict[str, Any] = {"stdout": _lines(execution.stdout), "exit_code": execution.exit_code}
    made = {artifact.name: artifact.data for artifact in execution.artifacts}
    if made:
        told["files"] = {name: _lines(made[name].decode("utf-8", "backslashreplace")) for name in sorted(made)}
    return CallOutput("value", repr(told))


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


def unknown_names(call: str, code: str) -> tuple[str, ...]:
    """Returns names that a call uses and that neither the program nor Python defines. An error about them is the call's
    own."""
    try:
        tree = ast.parse(code)
    except UNREADABLE:
        return ()
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)):
        return ()
    return tuple(sorted(_names(call) - names_set_by(ast.walk(tree)) - set(dir(builtins)) - {MODULE, OUTCOME}))


def names_called(call: str) -> frozenset[str]:
    """Returns the names of the program that an expression uses."""
    return frozenset(_names(call) - set(dir(builtins)) - {OUTCOME})


def _names(call: str) -> set[str]:
    """Returns names that the expression reads and does not bind itself."""
    read = expression_of(call)
    nodes = list(ast.walk(read)) if read else []
    bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    return {node.id for node in nodes if isinstance(node, ast.Name)} - bound


def printed_by(call: str) -> str:
    """Returns the expression for what the run prints, as outputs tell it."""
    return _LINES_OF.format(call)


def as_run(call: str, answer: str) -> str:
    """Returns statements of a test that the run prints and exits as the answer says. The answer is an output as they
    are shown, or a plain text, which is what the run prints."""
    told = literal(answer)
    wanted: Any = told[0] if told else answer
    if not isinstance(wanted, dict):
        return f"ran = {call}\n    assert {_PRINTED} == {_lines(str(wanted))!r}"
    shown = cast("dict[str, Any]", wanted)
    parts = {"stdout": _PRINTED, "exit_code": "ran.exit_code"}
    stated = {name: shown[name] for name in parts if name in shown}
    got = ", ".join(f"{name!r}: {parts[name]}" for name in stated)
    return f"ran = {call}\n    assert {{{got}}} == {stated!r}"
