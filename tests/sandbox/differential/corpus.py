"""Ordinary programs, right and wrong ones, each with the tests that a person might write for it.

One text file a suite under `suites/`. What stands before the first `=== ` line says what it is about; `slow: ...` there
keeps it out of the quick tests. Then come sections:

    === right                    a whole program that the tests should pass; `=== right: by recursion` is another one
    === wrong: forgets the last  a whole program with a plausible mistake, or edits of the first right one:
                                 lines with `-` are replaced by the lines with `+` that follow them
    === tests                    the suite; without an import of the program it begins with `from solution import *`
    === file data.csv            a data file of the run

In a program a line `--- shop/cart.py` begins a module of a package.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path

SUITES = Path(__file__).parent / "suites"
IMPORT = "from solution import *"
_SECTION = re.compile(r"^=== (.+)\n", re.MULTILINE)
_MODULE = re.compile(r"^--- (.+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One program and the suite that judges it."""

    suite: str
    program: str
    """`right`, `right: ...` or `wrong: ...`"""
    tests: str
    solution: str = ""
    package: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    slow: bool = False

    @property
    def id(self) -> str:
        return f"{self.suite}: {self.program}"

    @property
    def is_right(self) -> bool:
        return self.program.startswith("right")

    @property
    def sources(self) -> list[str]:
        return list(self.package.values()) or [self.solution]

    @property
    def only_functions(self) -> bool:
        """No class of its own is in the program."""
        nodes = [node for source in self.sources for node in ast.walk(ast.parse(source))]
        named = {getattr(node, "id", getattr(node, "attr", "")) for node in nodes}
        return not any(isinstance(node, ast.ClassDef) for node in nodes) and not named & {"namedtuple", "type"}

    @property
    def module(self) -> str:
        """The suite as it is handed to a person."""
        name = next(iter(self.package), "solution").partition("/")[0].removesuffix(".py")
        return self.tests if re.search(rf"^\s*(from|import) {name}\b", self.tests, re.MULTILINE) else self._starred

    @property
    def _starred(self) -> str:
        return f"{IMPORT}\n\n{self.tests}"


@cache
def cases() -> list[Case]:
    """Every program of every suite."""
    return [case for path in sorted(SUITES.glob("*.txt")) for case in read(path.stem, path.read_text("utf-8"))]


def read(suite: str, text: str) -> list[Case]:
    """The programs of one file. Raises ValueError for a text that is no suite."""
    about, *parts = _SECTION.split(text)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    if len(sections) * 2 != len(parts) or "tests" not in sections or "right" not in sections:
        raise ValueError(f"{suite}: sections that are missing or there twice")
    files = {name.removeprefix("file "): body.encode() for name, body in sections.items() if name.startswith("file ")}
    made: list[Case] = []
    for name, body in sections.items():
        if name.startswith(("right", "wrong: ")):
            solution, package = _modules(_edited(suite, sections["right"], body))
            slow = "slow:" in about
            made.append(Case(suite, name, sections["tests"], solution, package, files, slow))
        elif name != "tests" and not name.startswith("file "):
            raise ValueError(f"{suite}: an unknown section {name!r}")
    return made


def _edited(suite: str, right: str, body: str) -> str:
    lines = [line for line in body.splitlines() if line.strip()]
    if not all(line.startswith(("-", "+")) for line in lines) or lines[0].startswith("--- "):
        return body
    for old, new in _edits(lines):
        if right.count(old) != 1:
            raise ValueError(f"{suite}: {right.count(old)} places hold {old!r}")
        right = right.replace(old, new)
    return right


def _edits(lines: list[str]) -> list[tuple[str, str]]:
    blocks = [
        (sign, "".join(f"{line[1:]}\n" for line in block)) for sign, block in groupby(lines, key=lambda line: line[0])
    ]
    if [sign for sign, _ in blocks] != ["-", "+"] * (len(blocks) // 2):
        raise ValueError("an edit is lines with - and then lines with +")
    return [(blocks[at][1], blocks[at + 1][1]) for at in range(0, len(blocks), 2)]


def _modules(body: str) -> tuple[str, dict[str, str]]:
    first, *parts = _MODULE.split(body)
    return (first, {}) if not parts else ("", dict(zip(parts[::2], parts[1::2], strict=True)))
