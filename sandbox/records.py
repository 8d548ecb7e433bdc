"""What the sandbox found, as the JSON objects that other programs read."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from .types import Execution, Isolation

Record = dict[str, Any]


def isolation_record(isolation: Isolation) -> dict[str, str]:
    """Axis -> words, without the level."""
    return {name: value for name, value in asdict(isolation).items() if name != "level"}


def execution_record(execution: Execution) -> Record:
    """The shape that `python -m sandbox run --json` prints; artifacts by name, size in bytes and type."""
    return {
        "status": execution.status,
        "confirmed": execution.confirmed,
        "unconfirmed_reason": execution.unconfirmed_reason,
        "checks": [asdict(check) for check in execution.checks],
        "outputs": [asdict(output) for output in execution.outputs],
        "error": execution.error,
        "missing_packages": list(execution.missing_packages),
        "exit_code": execution.exit_code,
        "stdout": execution.stdout,
        "stderr": execution.stderr,
        "truncated": execution.truncated,
        "duration_ms": execution.duration_ms,
        "cpu_ms": execution.cpu_ms,
        "peak_mb": execution.peak_mb,
        "signal": execution.signal,
        "artifacts": [{"name": item.name, "bytes": len(item.data), "mime": item.mime} for item in execution.artifacts],
        "level": execution.isolation.level,
        "isolation": isolation_record(execution.isolation),
    }


def broken_record(error: str) -> Record:
    """The same shape where nothing could be run."""
    nowhere = Isolation(**{axis.name: "unknown" for axis in fields(Isolation)})  # pyright: ignore[reportArgumentType]
    return execution_record(Execution("broken", nowhere, error=error)) | {"level": None, "isolation": None}
