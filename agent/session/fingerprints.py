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


@lru_cache(maxsize=256)
def form_of(code: str) -> str:
    """Returns a hash of the program without what its author merely called things: its own names, docstrings,
    annotations and imports. Two programs that differ in these alone do the same work in the same way."""
    try:
        tree = ast.parse(code)
    except UNREADABLE:
        return fingerprint(code)
    return fingerprint(ast.unparse(ast.fix_missing_locations(_Bare(tree).visit(tree))))


class _Bare(ast.NodeTransformer):
    """Numbers the names that a program gives, in the order in which they occur, and takes away what runs nothing."""

    def __init__(self, tree: ast.AST) -> None:
        nodes = list(ast.walk(tree))
        given = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        given |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        given |= {
            node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        self._given, self._numbers = given, dict[str, str]()

    def _number(self, name: str) -> str:
        return self._numbers.setdefault(name, f"n{len(self._numbers)}") if name in self._given else name

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return None
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.body = node.body[ast.get_docstring(node, clean=False) is not None :] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.name = self._number(node.name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            return ast.arg(self._number(node.arg))
        if isinstance(node, ast.Name):
            return ast.Name(self._number(node.id), node.ctx)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return self.visit(ast.Assign([node.target], node.value))
        return self.generic_visit(node)
