"""What given code says of itself: its docstrings and the comments that hold examples are part of the task."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from agent.state import AgentState

from .symptoms import reproduction_of

MAX_CHARS = 6000
"""Characters of documentation that are told; a longer one is cut at its end."""
_TELLING = re.compile(
    r">>>|->|=>|==|\be\.?g\b|\bexamples?\b|\binputs?\b|\boutputs?\b|\b(?:pre|post)conditions?\b|\breturns?\b|\braises?\b"
    r"|\bmust\b|\bshould\b|\balways\b|\bnever\b|\bassum\w+",
    re.I,
)


def documentation(code: str) -> str:
    """Signatures with their docstrings, and comments that say what is right; "" for code without any, or that does not
    parse."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    parts = [part for part in (ast.get_docstring(tree), *_definitions(tree), *_comments(code)) if part]
    return "\n\n".join(parts)[:MAX_CHARS]


def task_told(state: AgentState) -> str:
    """The task as every role is told it: with the documentation inside the given code, and what running it showed."""
    if not state.task.code:
        return state.task.text
    told, said = [state.task.text], documentation(state.task.code)
    if said:
        told.append(f"What the person's program says of itself is part of the task:\n\n{said}")
    if shown := reproduction_of(state).told:
        lines = "\n".join(f"- {line}" for line in shown)
        told.append(
            f"Run as it was given, the program does what is reported; this is wrong and has to change:\n{lines}"
        )
    return "\n\n".join(told)


def _definitions(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            doc = ast.get_docstring(node)
            if doc:
                yield f'{head_of(node)}:\n    """{doc}"""'


def head_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    """The line that opens a definition, without its colon."""
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"def {node.name}({ast.unparse(node.args)}){returns}"


def _comments(code: str) -> Iterator[str]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    found = [token.string for token in tokens if token.type == tokenize.COMMENT and _TELLING.search(token.string)]
    if found:
        yield "\n".join(found)
