"""What kind of task a text is, and whether it deserves a plan first; by code, because a model would cost a call."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from .types import TaskKind
from .vocabulary import hints, pattern

_FUNCTION = re.compile(r"\bdef\s+\w+\s*\(|\bfunctions?\b|\bmethod\b", re.I)
_CLASS = re.compile(
    r"^[ \t]*class\s+\w+|\bclass\s+(?:called\s+|named\s+)?`?[A-Z]\w+"
    r"|\b(?:write|implement|create|design|build|make)\s+(?:\w+\s+){0,3}class\b",
    re.M,
)
_PROGRAM = re.compile(
    r"\b(?:stdin|standard input|stdout|standard output|command[- ]line|argv|cli\b"
    r"|reads? (?:\w+ ){0,4}from (?:the )?(?:console|input|stdin)"
    r"|(?:write|create|implement|make|build) (?:a |an )?(?:\w+ ){0,2}(?:program|script)\b)",
    re.I,
)
_DATA = re.compile(
    r"[\w-]+\.(?:csv|tsv|xlsx?|parquet|json|jsonl|sqlite|db)\b|\b(?:dataset|dataframe|spreadsheet)\b", re.I
)
_HARD = re.compile(
    r"\b(?:parser?|parsing|tokeni[sz]er|lexer|interpreter|compiler|evaluator|scheduler|simulat\w+|concurren\w+"
    r"|thread[- ]safe|async\w*|lru|lfu|cache|trie|heap|graph|shortest path|dijkstra|topological|dynamic programming"
    r"|backtracking|knapsack|sudoku|state machine|transaction\w*|rate limit\w*|efficient\w*|time complexity|matrix"
    r"|regular expression engine|serializ\w+)\b|O\([^)\n]+\)",
    re.I,
)
_LONG = 900
"""Characters from which a task text usually holds several requirements."""


def kind_of(text: str, code: str | None, files: Collection[str]) -> TaskKind:
    """fix, extend: code is given. class, function: said so. data: files, or their names, and no function asked for."""
    if code and code.strip():
        return "extend" if _asks_for_more(text) else "fix"
    if _CLASS.search(text):
        return "class"
    if _FUNCTION.search(text):
        return "function"
    if files or (_DATA.search(text) and not _PROGRAM.search(text)):
        return "data"
    return "program" if _PROGRAM.search(text) else "function"


def form_of(text: str, code: str) -> TaskKind:
    """What of given code is to be called: its public functions, its classes, or the program as a whole."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        return "function"
    functions = [n.name for n in body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name[0] != "_"]
    has_class = any(isinstance(node, ast.ClassDef) for node in body)
    if functions and _STARTS.search(code) and _PROGRAM.search(text):
        return "function" if any(f"{name}(" in text for name in functions if name != "main") else "program"
    return "function" if functions else "class" if has_class else "program"


_STARTS = re.compile(r"__name__\s*==|\binput\(|sys\.(?:argv|stdin)|argparse")
"""What a program has that is started as a whole."""


def _asks_for_more(text: str) -> bool:
    lowered, parts = text.lower(), hints("extends")
    return (parts is None or any(part in lowered for part in parts)) and pattern("extends").search(text) is not None


def is_hard(text: str, code: str | None) -> bool:
    """Long, several parts, or two hints at a known difficulty."""
    hints = {match.group().lower() for match in _HARD.finditer(text)}
    parts = len(re.findall(r"\bdef\s+\w+|^[ \t]*(?:\d+[.)]|[-*])\s", text, re.M))
    return len(text) + len(code or "") // 4 > _LONG or len(hints) >= 2 or parts >= 6
