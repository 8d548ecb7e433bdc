"""Which kind of worker a program needs, told from its text; a wrong guess costs time, never the verdict."""

from __future__ import annotations

import re
import sys

from .launch import Flavour
from .types import Program

_NAME = r"[\w.]+(?:[ \t]+as[ \t]+\w+)?"
_IMPORT = re.compile(rf"^[ \t]*(?:from[ \t]+(\w+)|import[ \t]+({_NAME}(?:[ \t]*,[ \t]*{_NAME})*))", re.MULTILINE)
_DATA = frozenset(("numpy", "pandas", "matplotlib", "scipy", "sklearn", "seaborn"))
_HEAVY = frozenset(
    ("asyncio", "concurrent", "datetime", "decimal", "hypothesis", "pytest", "statistics", "tempfile", "unittest")
)
"""Modules that a bare worker has not loaded and that take long to load."""
_PYTEST_WORDS = ("pytest", "unittest", "run_program")
_NOT_PLAIN = re.compile(
    r"^(?:@|class[ \t]+Test|async[ \t]+def[ \t]+test|def[ \t]+(?:setup|teardown)|def[ \t]+test\w*\([ \t]*[^)\s])",
    re.MULTILINE,
)


def flavour_of(program: Program) -> Flavour:
    """`bare` only for suites that a runner without pytest can handle."""
    tests = program.tests or ""
    imported = {name for text in (program.solution, tests, *program.package.values()) for name in _imported(text)}
    if imported & _DATA:
        return "data"
    if program.coverage or any(word in tests for word in _PYTEST_WORDS) or _NOT_PLAIN.search(tests):
        return "pytest"
    own = {"solution", *(path.partition("/")[0].removesuffix(".py") for path in program.package)}
    installed = imported - sys.stdlib_module_names - own
    return "pytest" if installed or imported & _HEAVY else "bare"


def _imported(text: str) -> set[str]:
    """First parts of the names that a source seems to import."""
    names = [name.split() for first, more in _IMPORT.findall(text) for name in (first, *more.split(","))]
    return {words[0].partition(".")[0] for words in names if words}
