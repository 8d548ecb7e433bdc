"""Shows what the sandbox found, as JSON objects for other programs and as lines for a person. Control characters are
replaced, so that a program's output cannot steer the terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any

from .types import Execution, Isolation

Record = dict[str, Any]
_SAME_WORDS = """
status confirmed unconfirmed_reason error exit_code stdout stderr truncated duration_ms cpu_ms peak_mb signal
"""
_SAME = _SAME_WORDS.split()
"""Fields of an execution that a record holds unchanged."""


def isolation_record(isolation: Isolation) -> dict[str, str]:
    """Returns axis -> words, without the level."""
    return {name: value for name, value in asdict(isolation).items() if name != "level"}


def execution_record(execution: Execution) -> Record:
    """Returns the object that `python -m sandbox run --json` prints; artifacts appear by name, size in bytes and
    type."""
    return {
        **{name: getattr(execution, name) for name in _SAME},
        "checks": [asdict(check) for check in execution.checks],
        "outputs": [asdict(output) for output in execution.outputs],
        "missing_packages": list(execution.missing_packages),
        "artifacts": [{"name": item.name, "bytes": len(item.data), "mime": item.mime} for item in execution.artifacts],
        "level": execution.isolation.level,
        "isolation": isolation_record(execution.isolation),
    }


def broken_record(error: str) -> Record:
    """Returns the same object for a program that could not be run."""
    nowhere = Isolation(**{axis.name: "unknown" for axis in fields(Isolation)})  # pyright: ignore[reportArgumentType]
    return execution_record(Execution("broken", nowhere, error=error)) | {"level": None, "isolation": None}


_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, with which escape sequences begin, and those that change the direction of writing."""
_CAME_TO = {
    "pass": "passed",
    "fail": "failed",
    "error": "raised an error",
    "timeout": "ran out of time",
    "not_run": "never ran (neither passed nor failed)",
    "skipped": "skipped",
}


def shown(execution: Execution) -> str:
    """Returns the verdict, then each check, then what the program left, as text."""
    return _plain("\n".join([*_verdict(execution), *_left(execution)]))


def _verdict(execution: Execution) -> Iterator[str]:
    yield f"{execution.status}{_trust(execution)}  {execution.duration_ms:.1f} ms  {execution.peak_mb:g} MB"
    if execution.error:
        yield _indented(execution.error, "  ")
    counts = Counter(check.status for check in execution.checks)
    if counts:
        yield "checks: " + ", ".join(f"{count} {_CAME_TO.get(status, status)}" for status, count in counts.items())
    width = max(map(len, counts), default=0)
    for check in execution.checks:
        text = check.name + (f": {check.message}" if check.message else "")
        yield f"  {check.status:{width}}  " + _indented(text, " " * (width + 6)).lstrip(" ")
    for output in execution.outputs:
        yield f"  {output.kind}: {output.text}"
    for name in execution.missing_packages:
        yield f"missing package: {name}"


def _left(execution: Execution) -> Iterator[str]:
    """Yields what the program left. Each line that the program wrote gets a mark, so that none can pass for a line of
    ours."""
    for title, text in (("stdout", execution.stdout), ("stderr", execution.stderr)):
        if text:
            yield f"--- {title}\n{_indented(text.rstrip(), '  | ')}"
    if execution.truncated:
        yield "--- cut: more was written than is kept"
    for artifact in execution.artifacts:
        yield f"artifact {artifact.name}: {len(artifact.data)} bytes, {artifact.mime}"
    yield f"isolation: {execution.isolation.level}"
    for axis, words in isolation_record(execution.isolation).items():
        yield f"  {axis:12} {words}"


def _trust(execution: Execution) -> str:
    if not execution.passed:
        return ""
    if execution.confirmed:
        return " (confirmed)"
    return f" (not confirmed: {execution.unconfirmed_reason or 'run in one process'})"


def _indented(text: str, margin: str) -> str:
    return "\n".join(margin + line for line in text.split("\n"))


def _plain(text: str) -> str:
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def findings(found: Mapping[str, Any]) -> str:
    """Returns the doctor's object as text."""
    return _plain("\n".join(_finding_lines(found)))


def _finding_lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"level: {found['level']}"
    for axis, words in found["isolation"].items():
        yield f"{axis:12} {words}"
    yield "tried in a throw-away child:"
    for act, refusal in found["probes"].items():
        yield f"  {act:45} {refusal}"
    for name, reason in found["backends"].items():
        yield f"backend {name}{' (untried)' if name in found['untried'] else ''}: {reason or 'in use'}"
