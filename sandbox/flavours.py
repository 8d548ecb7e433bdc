"""Which kind of worker a program needs, told from its text; a wrong guess costs time, never the verdict."""

from __future__ import annotations

import re

from .launch import Flavour
from .types import Program

_DATA = re.compile(r"^\s*(?:import|from)\s+(?:numpy|pandas|matplotlib|scipy|sklearn|seaborn)\b", re.MULTILINE)
_NOT_PLAIN = re.compile(
    r"\bpytest\b|\bunittest\b|\bhypothesis\b|^class\s+Test|^\s*async\s+def\s+test|^\s*def\s+test\w*\(\s*[^)\s]|^@|\brun_program\b"
    r"|^def\s+(?:setup|teardown)",
    re.MULTILINE,
)


def flavour_of(program: Program) -> Flavour:
    """`bare` only for suites that a runner without pytest can handle."""
    texts = [program.solution, program.tests or "", *program.package.values()]
    if any(_DATA.search(text) for text in texts):
        return "data"
    return "pytest" if program.tests is not None and _NOT_PLAIN.search(program.tests) else "bare"
