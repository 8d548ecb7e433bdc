"""Hashes that identify programs, questions and files, so that the same work is not paid for twice."""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

from agent.source.parsing import UNREADABLE
from sandbox.types import Execution, Program


def hashed(execution: Execution) -> Execution:
    """Returns the execution with the SHA-256 of each artifact, as hexadecimal digits, in place of its bytes."""
    digests = (hashlib.sha256(artifact.data).hexdigest().encode() for artifact in execution.artifacts)
    named = zip(execution.artifacts, digests, strict=True)
    return replace(execution, artifacts=tuple(replace(artifact, data=digest) for artifact, digest in named))


def digest_of(parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()


def program_parts(program: Program) -> dict[str, Any]:
    parts = {name: getattr(program, name) for name in Program.__slots__}  # pyright: ignore[reportAttributeAccessIssue]
    parts["files"] = {
        name: hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else data.sha256
        for name, data in program.files.items()
    }
    return {**parts, "package": dict(program.package), "limits": asdict(program.limits)}


@lru_cache(maxsize=256)
def fingerprint(code: str) -> str:
    """Returns a hash of the program's AST, so that layout and comments do not make another program."""
    try:
        text = ast.dump(ast.parse(code))
    except UNREADABLE:
        text = code
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
