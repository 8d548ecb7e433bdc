"""Finds the one program of a reply, and refuses to guess.

Of several blocks, the one counts that defines the names which were asked for. Usage examples, outputs, quotes of the
question and excerpts may stand beside it and are left out. If two programs define the names, neither is chosen.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from llm.errors import InvalidReply

from .blocks import Block, VisibleReply
from .edits import SEARCH_LINE, check_edits, joined_edits

LOOKS_LIKE_PYTHON = re.compile(r"^(async def|def|class|import|from|@\w)\b", re.MULTILINE)
PYTHON_INFO = re.compile(r"i?py(thon)?[\d.]*\b|\S+\.py$")
NO_LANGUAGE = ("", "code", "text", "txt", "plaintext", "plain")
ELIDED = re.compile(r"^[(\[<\s]*(\.\.\.|…)|(\.\.\.|…)[)\]>\s]*$")
LEFT_OUT = re.compile(r"\b(rest|remaining|existing|previous|unchanged|same|omitted|other)\b", re.IGNORECASE)
MAGIC = re.compile(r"^(?:%|!)\s*\w[^\n]*$", re.MULTILINE)
"""A notebook's commands, which are no part of a program."""
SHELL = re.compile(r"\s*(?:>>>|\.\.\.|[$#%]|python3?\s|pip3?\s|uv\s|echo\s|cat\s|\./|\d)")
"""How lines begin that are typed at a prompt, or shown by it, beside a program."""
MAX_WORD_LINES = 40
"""The lines of words that may follow a program without a fence."""
CLOSED_IN_LINE = re.compile(r"(?:`{3,}|~{3,})?(?:\s{0,9}</?\w{1,20}>)?$")
"""How the last line of a block ends if the closing fence has no line of its own."""
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


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known about the program before the reply is read."""

    edits: bool = False
    """Whether edits may stand in place of the program. A block that is labelled as edits then counts as edits."""
    takes_edits: bool = False
    """Whether edits may stand there although they were not asked for. Then only their SEARCH marks tell them."""
    names: tuple[str, ...] = ()
    """The names that the program must define; empty if nothing is asked for by name."""
    asked: str = ""
    """The words of the question. A block that repeats a part of them is a quote."""

    @property
    def may_be_edits(self) -> bool:
        return self.edits or self.takes_edits


def choose_program(page: VisibleReply, wanted: Wanted) -> tuple[str | None, tuple[str, ...]]:
    """Returns the reply's only program (or edits) and the liberties taken; None if no block holds one. Raises
    InvalidReply."""
    notes: dict[str, None] = {}
    held = [_whole(block, notes) for block in page.blocks]
    blocks = [block for block in held if _may_hold_program(block, wanted)]
    if not blocks:
        return _mislabelled(held, wanted)
    if wanted.may_be_edits and (edits := joined_edits([block.text for block in blocks])) is not None:
        return _edits(edits, blocks, notes)
    chosen = _chosen(blocks, wanted, notes)
    if wanted.edits and chosen.info in ("edits", "diff"):
        check_edits(chosen.text)
    code = _without_magic(chosen.text, notes)
    if not chosen.closed and syntax_problem(code) is not None:
        raise InvalidReply("The fenced block is not closed. " + ONE_BLOCK)
    check_program(code)
    return code, tuple(notes)


def bare_program(page: VisibleReply, wanted: Wanted) -> tuple[str, tuple[str, ...]] | None:
    """Returns a program that stands in the reply without a fence, and the liberties taken; None if there is none.
    Sentences may stand before and after it."""
    text = "\n".join(page.lines)
    if is_program(text):
        check_program(text)
        return text.rstrip("\n") + "\n" * max(1, len(text) - len(text.rstrip("\n"))), ("a program without a fence",)
    first = LOOKS_LIKE_PYTHON.search(text)
    if first is None:
        return None
    lines = text[first.start() :].split("\n")
    while lines and (lines[-1].strip().isidentifier() or not lines[-1].strip()):
        lines.pop()
    for _ in range(MAX_WORD_LINES):
        if not lines or is_program("\n".join(lines)):
            break
        if lines[-1].strip() and not _is_sentence(lines[-1]):
            return None
        lines.pop()
    code = "\n".join(lines).rstrip() + "\n"
    if not is_program(code) or not defines(code, wanted.names):
        return None
    check_program(code)
    return code, ("a program without a fence",)


def check_program(code: str) -> None:
    """Raises InvalidReply, worded for the model, if the text is not a whole Python program."""
    tree = _parsed(code)
    if isinstance(tree, str):
        raise InvalidReply(f"The program does not parse: {tree}")
    if not tree.body:
        raise InvalidReply("The fenced block holds no statement. " + ONE_BLOCK)
    refuse_elision(code)


def syntax_problem(code: str) -> str | None:
    """Returns why a text is not Python; None if it is."""
    tree = _parsed(code)
    return tree if isinstance(tree, str) else None


def is_program(code: str) -> bool:
    """Returns whether the text is Python that does more than name a value: it defines, imports or assigns something."""
    tree = _parsed(code)
    return not isinstance(tree, str) and any(isinstance(node, STATEMENTS) for node in tree.body)


def is_python(info: str) -> bool:
    """Returns whether the first word after a fence names Python, or a Python file."""
    return PYTHON_INFO.match(info) is not None


def defines(code: str, names: Collection[str]) -> bool:
    """Returns whether a text is Python that defines all the names at its top level."""
    tree = _parsed(code)
    return not isinstance(tree, str) and set(names) <= set(_defined(tree.body))


def refuse_elision(code: str) -> None:
    """Raises InvalidReply if a comment stands for lines that were left out."""
    for line in code.splitlines():
        comment = line.strip()
        if comment.startswith("#") and ELIDED.search(comment.lstrip("# ")) and LEFT_OUT.search(comment):
            raise InvalidReply(f"The program leaves parts out ({comment[:80]!r}). Write it in full.")


def _parsed(code: str) -> ast.Module | str:
    """Returns the program's syntax tree, or what is wrong with the text."""
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


def _defined(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yields the names that statements define, those within `if` and `try` included."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.Import() | ast.ImportFrom():
                yield from (alias.asname or alias.name for alias in node.names)
            case ast.If() | ast.Try():
                yield from _defined([*node.body, *node.orelse])
            case _:
                pass


def _whole(block: Block, notes: dict[str, None]) -> Block:
    """Returns a block whose closing fence is missing, or stands at the end of its last line, without that fence."""
    if block.closed:
        return block
    notes["a block that was not closed"] = None
    text = CLOSED_IN_LINE.sub("", block.text.rstrip())
    return replace(block, text=text.rstrip() + "\n")


def _may_hold_program(block: Block, wanted: Wanted) -> bool:
    if is_python(block.info) or (wanted.edits and block.info in ("edits", "diff")):
        return True
    if block.info in ("edits", "diff"):
        return _marked(block, wanted)
    if block.info not in NO_LANGUAGE:
        return False
    return syntax_problem(block.text) is None or bool(LOOKS_LIKE_PYTHON.search(block.text)) or _marked(block, wanted)


def _marked(block: Block, wanted: Wanted) -> bool:
    return wanted.may_be_edits and bool(SEARCH_LINE.search(block.text))


def _mislabelled(blocks: Sequence[Block], wanted: Wanted) -> tuple[str | None, tuple[str, ...]]:
    """Returns the only block that defines what was asked for, whatever language it claims to be."""
    found = [block for block in blocks if wanted.names and defines(block.text, wanted.names)]
    if len(found) != 1:
        if any(not block.closed and block.info != "json" for block in blocks):
            raise InvalidReply("The fenced block is not closed. " + ONE_BLOCK)
        return None, ()
    check_program(found[0].text)
    return found[0].text, (f"a program in a block of {found[0].info!r}",)


def _edits(edits: str, blocks: Sequence[Block], notes: dict[str, None]) -> tuple[str, tuple[str, ...]]:
    whole = [block for block in blocks if not SEARCH_LINE.search(block.text) and is_program(block.text)]
    if whole:
        raise InvalidReply("There are edits and a whole program, so it is not clear which one counts.")
    check_edits(edits)
    refuse_elision(edits)
    return edits, (*notes, *(("edits in several blocks",) if len(blocks) > 1 else ()))


def _chosen(blocks: Sequence[Block], wanted: Wanted, notes: dict[str, None]) -> Block:
    """Returns the block that holds the program. Raises InvalidReply if that is not clear."""
    distinct = _without_excerpts(blocks)
    if len(blocks) > len(distinct):
        notes["a repeated excerpt of the program"] = None
    if len(distinct) == 1:
        return distinct[0]
    defining = [block for block in distinct if wanted.names and defines(block.text, wanted.names)]
    new = [block for block in defining if block.text.strip() not in wanted.asked]
    if len(new or defining) == 1:
        notes["other blocks beside the program"] = None
        return (new or defining)[0]
    tagged = [block for block in distinct if block.info not in NO_LANGUAGE]
    rest = tagged or distinct
    main = [block for block in rest if not any(_shows(block, other) for other in rest if other is not block)]
    if len(main) != 1:
        raise InvalidReply(f"There are {len(rest)} code blocks, so it is not clear which one counts. " + ONE_BLOCK)
    if tagged and any(LOOKS_LIKE_PYTHON.search(block.text) for block in distinct if block not in tagged):
        raise InvalidReply("There is a second program in a block without a language. " + ONE_BLOCK)
    notes["a block without a program" if len(rest) == 1 else "a usage example beside the program"] = None
    return main[0]


def _shows(block: Block, program: Block) -> bool:
    """Returns whether a block only uses what another defines: it defines nothing itself and calls something of the
    other."""
    if all(SHELL.match(line) for line in block.text.splitlines() if line.strip()):
        return True
    tree, other = _parsed(block.text), _parsed(program.text)
    if isinstance(tree, str) or isinstance(other, str):
        return False
    if not tree.body:
        return True
    own = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    if any(not node.name.startswith(("test", "Test", "main")) for node in own):
        return False
    known = {
        node.name for node in other.body if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
    }
    return bool(known & {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})


def _without_excerpts(blocks: Sequence[Block]) -> list[Block]:
    """Drops blocks that only repeat lines of another block."""
    kept: list[Block] = []
    for block in sorted(blocks, key=lambda block: len(block.text), reverse=True):
        if not any("\n" + block.text.strip("\n") + "\n" in "\n" + other.text for other in kept):
            kept.append(block)
    return sorted(kept, key=lambda block: block.first)


def _without_magic(code: str, notes: dict[str, None]) -> str:
    if syntax_problem(code) is None or not MAGIC.search(code):
        return code
    notes["a notebook's commands left out"] = None
    return MAGIC.sub("", code)


def _is_sentence(line: str) -> bool:
    """Returns whether a line is a sentence for a reader: never one that is indented, or that could be a part of the
    program."""
    could_be_code = LOOKS_LIKE_PYTHON.match(line) or line.rstrip().endswith((":", "(", "[", "{", ",", "\\", "=", "+"))
    return not line[:1].isspace() and syntax_problem(line) is not None and not could_be_code
