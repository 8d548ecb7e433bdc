"""An execution as the JSON object that other programs read, and the lines of a batch as programs."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, cast, get_args

from .types import Execution, Isolation, Limits, Mode, Program

_BINARY = (
    *(".bin", ".bz2", ".db", ".gif", ".gz", ".jpeg", ".jpg", ".npy", ".npz", ".parquet", ".pdf", ".pkl", ".png"),
    *(".sqlite", ".tar", ".webp", ".xls", ".xlsx", ".zip"),
)
"""A text under such a name is base64."""
_FIELDS = frozenset(
    (
        "id",
        "solution",
        "package",
        "tests",
        "files",
        "timeout",
        "memory_mb",
        "output_kb",
        "mode",
        "argv",
        "stdin",
        "calls",
    )
)


def isolation_record(isolation: Isolation) -> dict[str, str]:
    """Axis -> words, without the level."""
    return {name: value for name, value in asdict(isolation).items() if name != "level"}


def execution_record(execution: Execution) -> dict[str, Any]:
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
        "peak_mb": execution.peak_mb,
        "signal": execution.signal,
        "artifacts": [{"name": item.name, "bytes": len(item.data), "mime": item.mime} for item in execution.artifacts],
        "level": execution.isolation.level,
        "isolation": isolation_record(execution.isolation),
    }


def broken_record(error: str) -> dict[str, Any]:
    """The same shape where nothing could be run."""
    nothing = Isolation("limits", *["unknown"] * 6)
    return execution_record(Execution("broken", nothing, error=error)) | {"level": None, "isolation": None}


def program_of(line: Any) -> Program:
    """A batch line as a program; raises ValueError in one sentence."""
    if not isinstance(line, dict):
        raise ValueError("a line is a JSON object")
    fields = cast(dict[str, Any], line)
    unknown = sorted(set(fields) - _FIELDS)
    if unknown:
        raise ValueError(f"unknown fields: {', '.join(unknown)}")
    solution = fields.get("solution", "")
    package = cast(dict[Any, Any], solution if isinstance(solution, dict) else fields.get("package") or {})
    files = cast(dict[Any, Any], fields.get("files") or {})
    tests = fields.get("tests")
    if not (tests is None or isinstance(tests, str)):
        raise ValueError("tests is a text")
    mode = fields.get("mode") or "auto"
    if mode not in get_args(Mode):
        raise ValueError(f"mode is one of {', '.join(get_args(Mode))}")
    return Program(
        solution="" if isinstance(solution, dict) else _text(solution, "solution"),
        package={str(name): _text(source, "a package's module") for name, source in package.items()},
        tests=tests,
        calls=tuple(_text(call, "a call") for call in fields.get("calls") or ()),
        files={str(name): content(str(name), data) for name, data in files.items()},
        argv=tuple(_text(word, "an argument") for word in fields.get("argv") or ()),
        stdin=_text(fields.get("stdin") or "", "stdin"),
        mode=mode,
        limits=_limits(fields),
    )


def _limits(fields: Mapping[str, Any]) -> Limits:
    limits = Limits()
    given = {name: fields[name] for name in ("timeout", "memory_mb", "output_kb") if fields.get(name) is not None}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
            raise ValueError(f"{name} is a positive number")
        given[name] = float(value) if name == "timeout" else max(1, int(value))
    return replace(limits, **given)


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} is a text")
    return value


def content(name: str, value: Any) -> bytes:
    """A data file: text, {"base64": ...}, "base64:..." or, under the name of a binary format, plain base64."""
    if isinstance(value, dict):
        encoded = cast(dict[str, Any], value)
        return _decoded(name, _text(encoded.get("base64", encoded.get("b64")), f"file {name}"))
    text = _text(value, f"file {name}")
    if text.startswith("base64:"):
        return _decoded(name, text.removeprefix("base64:"))
    if name.lower().endswith(_BINARY):
        return _decoded(name, text)
    return text.encode("utf-8", "surrogateescape")


def _decoded(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"file {name} is not base64: {error}") from error
