"""Reads what given code says about itself: its docstrings, and comments on lines of their own, are part of the task."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterator
from functools import lru_cache

from agent.source.parsing import UNREADABLE
from llm.replies.files import split_files

MAX_CHARS = 6000
"""The most characters of documentation that are told; the rest is cut off."""
_CODE_COMMENT = re.compile(
    r"#+\s*(?:[\w.\[\]]+\s*[-+*/]?=[^=]|(?:def|return|import|from|if|for|while|with|class)\b.*[:)\]]$|print\()"
)
"""Matches code that was commented out, which documents nothing."""


@lru_cache(maxsize=64)
def documentation(code: str) -> str:
    """Returns public definitions with their docstrings, and comments on lines of their own; "" for code that does not
    parse."""
    if (files := split_files(code)) is not None:
        told = ((path, documentation(text)) for path, text in files.items() if path.endswith(".py"))
        return "\n\n".join(f"# file: {path}\n{said}" for path, said in told if said)[:MAX_CHARS]
    try:
        tree = ast.parse(code)
    except UNREADABLE:
        return ""
    parts = [part for part in (ast.get_docstring(tree), *_definitions(tree), *_comments(code)) if part]
    return "\n\n".join(parts)[:MAX_CHARS]


def _definitions(tree: ast.Module | ast.ClassDef, indent: str = "") -> Iterator[str]:
    """Yields the heads of public definitions, and of every definition with a docstring."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        doc = ast.get_docstring(node)
        said = textwrap.indent(f'"""{doc}"""', "    ") if doc else "    ..."
        inside = "\n\n".join(_definitions(node, "    ")) if isinstance(node, ast.ClassDef) else ""
        if doc or inside or not node.name.startswith("_"):
            told = f"{head_of(node)}:\n{said}" + (f"\n\n{inside}" if inside else "")
            yield textwrap.indent(told, indent)


def head_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    """Returns the line that opens a definition, without its colon."""
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"def {node.name}({ast.unparse(node.args)}){returns}"


def _comments(code: str) -> Iterator[str]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    alone = [
        token.string for token in tokens if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    ]
    telling = [comment for comment in alone if len(comment) > 2 and not _CODE_COMMENT.match(comment)]
    if telling:
        yield "\n".join(telling)
