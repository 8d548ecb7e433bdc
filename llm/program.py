"""Finds the one program of a reply, and refuses to guess."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence

from .blocks import Block, Page
from .errors import InvalidReply

PYTHON = ("python", "py", "python3", "py3", "python3.11")
LOOKS_LIKE_PYTHON = re.compile(r"^(async def|def|class|import|from|@\w)\b", re.MULTILINE)
LEFT_OUT = re.compile(r"\b(rest|remaining|existing|previous|unchanged|same|omitted)\b", re.IGNORECASE)
SEARCH, DIVIDE, REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
STATEMENTS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
)
ONE_BLOCK = "Give the whole program in exactly one fenced ```python block."


def choose_program(page: Page, *, edits: bool) -> tuple[str | None, tuple[str, ...]]:
    """The reply's only program (or edits) and the liberties taken; None without a block. Raises InvalidReply."""
    if any(not block.closed and block.info != "json" for block in page.blocks):
        raise InvalidReply("The fenced block is not closed. " + ONE_BLOCK)
    blocks = [block for block in page.blocks if _may_hold_program(block, edits)]
    if not blocks:
        return None, ()
    distinct = _without_excerpts(blocks)
    tagged = [block for block in distinct if block.info]
    chosen = _only(tagged or distinct, edits)
    notes = list[str]()
    if len(blocks) > len(distinct):
        notes.append("a repeated excerpt of the program")
    if tagged and len(distinct) > len(tagged):
        _refuse_second_program([block for block in distinct if not block.info])
        notes.append("a block without a program")
    return chosen, tuple(notes)


def check_program(code: str) -> None:
    """Raises InvalidReply, worded for the model, for text that is not a whole Python program."""
    tree = _parsed(code)
    if isinstance(tree, str):
        raise InvalidReply(f"The program does not parse: {tree}")
    if not tree.body:
        raise InvalidReply("The fenced block holds no statement. " + ONE_BLOCK)
    _refuse_elision(code)


def syntax_problem(code: str) -> str | None:
    """Why a text is not Python, or None."""
    tree = _parsed(code)
    return tree if isinstance(tree, str) else None


def is_program(code: str) -> bool:
    """Python that does more than name a value: it defines, imports or assigns something."""
    tree = _parsed(code)
    return not isinstance(tree, str) and any(isinstance(node, STATEMENTS) for node in tree.body)


def _parsed(code: str) -> ast.Module | str:
    """The program, or what is wrong with it."""
    if "\ufffd" in code or "\x00" in code:
        return "it contains a character that is not valid text"
    try:
        code.encode()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: it is nested too deeply or contains a character that is not valid text"


def _refuse_elision(code: str) -> None:
    for line in code.splitlines():
        comment = line.strip()
        dotted = comment.startswith("#") and ("..." in comment or "…" in comment)
        if dotted and LEFT_OUT.search(comment):
            raise InvalidReply(f"The program leaves parts out ({comment[:80]!r}). Write it in full.")


def _may_hold_program(block: Block, edits: bool) -> bool:
    if block.info in PYTHON or (edits and block.info in ("edits", "diff")):
        return True
    if block.info:
        return False
    return (
        syntax_problem(block.text) is None
        or bool(LOOKS_LIKE_PYTHON.search(block.text))
        or (edits and SEARCH in block.text)
    )


def _only(blocks: Sequence[Block], edits: bool) -> str:
    if len(blocks) > 1:
        raise InvalidReply(f"There are {len(blocks)} code blocks, so it is not clear which one counts. " + ONE_BLOCK)
    code = blocks[0].text
    if edits and (SEARCH in code or blocks[0].info in ("edits", "diff")):
        _check_edits(code)
        _refuse_elision(code)
    else:
        check_program(code)
    return code


def _refuse_second_program(blocks: Sequence[Block]) -> None:
    if any(LOOKS_LIKE_PYTHON.search(block.text) for block in blocks):
        raise InvalidReply("There is a second program in a block without a language. " + ONE_BLOCK)


def _without_excerpts(blocks: Sequence[Block]) -> list[Block]:
    """Drop blocks that only repeat lines of another block."""
    kept: list[Block] = []
    for block in sorted(blocks, key=lambda block: len(block.text), reverse=True):
        if not any("\n" + block.text.strip("\n") + "\n" in "\n" + other.text for other in kept):
            kept.append(block)
    return sorted(kept, key=lambda block: block.first)


def _check_edits(text: str) -> None:
    """SEARCH, divider and REPLACE lines must follow each other, with nothing but blank lines between two edits."""
    state, count = REPLACE, 0
    follows = {REPLACE: SEARCH, SEARCH: DIVIDE, DIVIDE: REPLACE}
    for line in text.splitlines():
        mark = line.rstrip()
        if mark == follows[state]:
            state, count = mark, count + (mark == REPLACE)
        elif mark in (SEARCH, REPLACE) or (state == REPLACE and mark):
            raise InvalidReply(
                f"The edits are not well formed near {line[:60]!r}: after {state!r} must come {follows[state]!r}."
            )
    if state != REPLACE or not count:
        raise InvalidReply(
            f"The edits are not complete: {SEARCH!r}, {DIVIDE!r} and {REPLACE!r} must follow each other."
        )
