"""Reads doctest sessions in the task text or in the person's code."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module

from agent.source.inputs import literal, split_assert
from agent.source.parsing import UNREADABLE, module_of

from .names import Names
from .types import Example
from .values import is_error, literal_call, meant_a_tuple, promise, spelled

_PROMPT = re.compile(r"^[ \t]*(?:[*#-][ \t]+)?>>>[ ]?(.*)$")
_MORE = re.compile(r"^[ \t]*(?:[*#-][ \t]+)?\.\.\.[ ]?(.*)$")
_IMPORTS = (ast.Import, ast.ImportFrom)
_HOMES = ("datetime", "decimal", "fractions", "collections", "pathlib")
"""The modules whose classes people write as values."""
_BUILTINS = frozenset(dir(builtins))
_PROSE = re.compile(r"(?:\w+\W+){3,}\w+\W*[.:!?]\Z")
_VARIES = re.compile(r"\.\.\.| at 0x|(?:^|\s)\{(?!\})[^:]*\}$")
_STOP = re.compile(r"^\s*(?:\"\"\"|'''|```|~~~|$)")


@dataclass(slots=True)
class _Prompted:
    source: str
    start: int
    end: int
    """`start` is where the prompt begins, `end` where the last line of output ends."""
    want: list[str] = field(default_factory=list[str])
    """The lines of output, as far as they are indented deeper than the prompt."""


def doctest_examples(text: str, names: Names, is_law: Callable[[int, int], bool]) -> list[Example]:
    """Returns one example for each expected value whose place (start, end) `is_law` accepts. The session's earlier
    statements are put before it."""
    found: list[Example] = []
    for session in _sessions(text):
        setup: list[str] = []
        for step in session:
            example = _example(step, setup, names) if is_law(step.start, step.end) else None
            if example is not None:
                found.append(_importing(example, names))
            setup = _after(step, setup)
    return found


def _sessions(text: str) -> list[list[_Prompted]]:
    """Returns sessions, each a list of prompts that follow one another; anything between them but their output begins a
    new session."""
    sessions: list[list[_Prompted]] = [[]]
    reading: _Prompted | None = None
    place = 0
    for line in text.split("\n"):
        start, place = place, place + len(line) + 1
        prompt, more = _PROMPT.match(line), _MORE.match(line)
        if prompt:
            reading = _Prompted(prompt.group(1).rstrip(), start, place - 1)
            sessions[-1].append(reading)
        elif more and reading is not None and not reading.want:
            reading.source += "\n" + more.group(1).rstrip()
        elif _STOP.match(line):
            reading = None
            if line.strip():
                sessions.append([])
        elif reading is not None:
            reading.want.append(_dedented(line, text[reading.start : reading.end]))
            reading.end = place - 1
        else:
            sessions.append([])
    return sessions


def _importing(example: Example, names: Names) -> Example:
    """Returns the example with an import for each name of the standard library that a session uses as if everybody knew
    it: `asyncio.run(f(2))`, `f(date(2020, 5, 1))`."""
    nodes = [*ast.walk(module_of(example.source))]
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {(alias.asname or alias.name).split(".")[0] for n in nodes if isinstance(n, _IMPORTS) for alias in n.names}
    bound |= names.known | {"pytest"}
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    modules = {n.value.id for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
    homes = {name: home for name in called for home in _HOMES if _is_home(home, name)}
    lines = [f"from {homes[name]} import {name}" for name in sorted(homes.keys() - bound - _BUILTINS)]
    missing = (modules & sys.stdlib_module_names) - homes.keys() - bound
    lines += [f"import {name}" for name in sorted(missing)]
    return replace(example, source="\n".join([*lines, example.source])) if lines else example


def _is_home(module: str, name: str) -> bool:
    """Returns whether the module defines a class of this name."""
    found = getattr(import_module(module), name, None)
    return isinstance(found, type) and found.__module__.split(".")[0] == module


def _dedented(line: str, prompt: str) -> str:
    """Returns a line of output without the white space that stands before its prompt, too, or behind the line."""
    deep, indent = (len(one) - len(one.lstrip()) for one in (line, prompt))
    return line[min(deep, indent) :].rstrip()


def _example(step: _Prompted, setup: list[str], names: Names) -> Example | None:
    source, want = _canonical(step.source), " ".join(map(str.strip, step.want))
    if source is None:
        return None
    stated = _comparison(source, step, names) if not setup and want in ("", "True") else None
    if stated is not None or not want:
        return stated
    if not _names_used("\n".join([*setup, source])) & names.known:
        return None
    sentence = f">>> {step.source} {want}"
    if want.startswith("Traceback"):
        return _error_example(source, setup, step.want, sentence)
    if source.startswith("print("):
        return _printed_example(source, setup, step.want, sentence)
    inner = re.sub(r"\A(?:pprint\.)?pp(?:rint)?(\(.*\))\Z", r"\1", source)  # shows a value as a session does
    shown = _canonical(inner)
    if shown is None or {"print", "pprint"} & _names_used(shown):
        return None
    return _value_example(shown, setup, want, sentence)


def _value_example(source: str, setup: list[str], want: str, sentence: str) -> Example | None:
    value = literal(want)
    if value is None or meant_a_tuple(want, value[0]):
        return None
    call = literal_call(source)
    if not setup and call is not None:
        return promise(call, spelled(want, value[0]), sentence)
    lines = [*setup, f"assert ({source}) == {value[0]!r}"]
    return Example("\n".join(lines), " ".join(sentence.split()))


def _printed_example(source: str, setup: list[str], want: list[str], sentence: str) -> Example | None:
    """Reads `>>> print(f(2))`: the text of the value is shown, apart from blanks that end its lines. A last line "None"
    is what a function that prints gives back; prose may follow several lines without a blank line between; addresses
    and the order of a set are another in each run."""
    call = ast.parse(source, mode="eval").body
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return None
    doubtful = want[-1].strip() == "None" or any(map(_PROSE.search, want[1:]))
    if _VARIES.search(" ".join(want)) or (len(want) > 1 and doubtful):
        return None
    shown = ["" if line == "<BLANKLINE>" else line for line in want]
    said = f"[line.rstrip() for line in str({ast.unparse(call.args[0])}).split('\\n')]"
    return Example("\n".join([*setup, f"assert {said} == {shown!r}"]), " ".join(sentence.split()))


def _comparison(source: str, step: _Prompted, names: Names) -> Example | None:
    """Reads `>>> f(2) == 4`: some authors write the value as a comparison, with or without its True."""
    pair = split_assert(f"assert {source}")
    if pair is None or literal_call(pair[0]) is None or pair[0].split("(")[0] not in names.known:
        return None
    if not step.want and "==" not in source:
        return None
    return promise(*pair, f">>> {step.source}")


def _error_example(source: str, setup: list[str], want: list[str], sentence: str) -> Example | None:
    error = want[-1].split(":")[0].strip()
    if not is_error(error):
        return None
    lines = [*setup, f"with pytest.raises({error}):", f"    {source}"]
    return Example("\n".join(lines), " ".join(sentence.split()))


def _after(step: _Prompted, setup: list[str]) -> list[str]:
    """Returns the statements that a later prompt may rely on. An expression without earlier statements leaves nothing
    behind."""
    try:
        last = ast.parse(step.source).body[-1:]
    except UNREADABLE:
        return setup
    if not setup and last and isinstance(last[0], ast.Expr):
        return setup
    return setup if (step.want and step.want[0].startswith("Traceback")) else [*setup, step.source]


def _canonical(source: str) -> str | None:
    """Returns an expression without its comments; None for a statement."""
    try:
        return ast.unparse(ast.parse(source, mode="eval"))
    except UNREADABLE:
        return None


def _names_used(source: str) -> set[str]:
    return {node.id for node in ast.walk(module_of(source)) if isinstance(node, ast.Name)}
