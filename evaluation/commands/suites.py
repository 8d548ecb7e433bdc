"""`python -m evaluation suites`: lists the suites, and what a figure on each is worth."""

from __future__ import annotations

import json
from collections.abc import Sequence

from framework.command_line import CommandParser

from ..console import show
from ..suites import SUITES, ProblemSuite


def main(argv: Sequence[str]) -> int:
    parser = CommandParser(prog="python -m evaluation suites", description="The suites that can be run.")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    if parser.parse_args(argv).json:
        told = {n: {"about": s.about, "licence": s.licence, "contaminated": s.contaminated, "data": s.data} for n, s in
                SUITES.items()}  # fmt: skip
        show(json.dumps({"suites": told}))
        return 0
    show("\n\n".join(_entry(name, suite) for name, suite in SUITES.items()))
    return 0


def _entry(name: str, suite: ProblemSuite) -> str:
    data = f" --data {suite.data.partition(',')[0].replace(' ', '_')}" if suite.data else ""
    proof = f"python -m evaluation grade --suite {name}{data}" if suite.answers else "none: it has no right programs"
    return "\n".join(
        [
            f"{name}: {suite.about}",
            f"  licence:       {suite.licence}",
            f"  contamination: {suite.contaminated}",
            f"  data:          {suite.data or 'comes with the project'}",
            f"  proof:         {proof}",
        ]
    )
