"""Lets a test ask the supervisor for a run of the program in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

Ask = Callable[[dict[str, Any]], dict[str, Any]]


class ProgramRun(NamedTuple):
    """What `run_program` gives a test."""

    stdout: str
    stderr: str
    exit_code: int | None
    files: dict[str, bytes]

    @property
    def returncode(self) -> int | None:
        """The exit code, by the name that `subprocess` has for it."""
        return self.exit_code


def given_service(emit: object, ran: Callable[[Any], None]) -> dict[str, Any]:
    """The names a suite gets besides the solution's; none where the supervisor takes no questions. `ran` hears which
    lines each program ran, where that is measured."""
    ask: Ask | None = getattr(emit, "ask", None)
    if ask is None:
        return {}

    def run_program(
        argv: Sequence[str] = (), stdin: str = "", files: Mapping[str, bytes | str] | None = None
    ) -> ProgramRun:
        """Run the solution as a script. Raises EOFError where nobody can."""
        sent = {name: _packed(data) for name, data in (files or {}).items()}
        reply = ask({"run_program": {"argv": [str(word) for word in argv], "stdin": stdin, "files": sent}})
        ran(reply.get("arcs"))
        written = {name: _unpacked(data["b64"]) for name, data in reply.get("files", {}).items()}
        return ProgramRun(reply["stdout"], reply["stderr"], reply["exit_code"], written)

    return {"run_program": run_program}


def _packed(data: bytes | str) -> str | dict[str, str]:
    if isinstance(data, str):
        return data
    from base64 import b64encode  # noqa: PLC0415 - rarely needed, and every library mapped costs each fork

    return {"b64": b64encode(data).decode()}


def _unpacked(data: str) -> bytes:
    from base64 import b64decode  # noqa: PLC0415 - rarely needed, and every library mapped costs each fork

    return b64decode(data)
