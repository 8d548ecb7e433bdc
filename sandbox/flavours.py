"""Which kind of worker a program needs, told from its text; a wrong guess costs time, never the verdict."""

from __future__ import annotations

import re

from .launch import Flavour
from .types import Program

_DATA = re.compile(r"^[ \t]*(?:import|from)[ \t]+(?:numpy|pandas|matplotlib|scipy|sklearn|seaborn)\b", re.MULTILINE)
_HEAVY = re.compile(
    r"^[ \t]*(?:import|from)[ \t]+(?:asyncio|datetime|decimal|unittest|concurrent|tempfile|statistics)\b", re.MULTILINE
)
"""Modules that a bare worker has not loaded and that take long to load."""
_NOT_PLAIN = re.compile(
    r"\bpytest\b|\bunittest\b|\bhypothesis\b|^class[ \t]+Test|^async[ \t]+def[ \t]+test|^def[ \t]+test\w*\([ \t]*[^)\s]"
    r"|^@|\brun_program\b|^def[ \t]+(?:setup|teardown)",
    re.MULTILINE,
)


def flavour_of(program: Program) -> Flavour:
    """`bare` only for suites that a runner without pytest can handle."""
    texts = [program.solution, program.tests or "", *program.package.values()]
    if any(_DATA.search(text) for text in texts):
        return "data"
    if program.tests is not None and _NOT_PLAIN.search(program.tests):
        return "pytest"
    return "pytest" if any(_HEAVY.search(text) for text in texts) else "bare"
