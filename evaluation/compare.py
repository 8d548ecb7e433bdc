"""`compare DIR DIR`: paired differences between two folders of trials, second minus first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .console import Parser, say, show
from .metrics import Count, paired
from .report import interval, preamble
from .suites import BadSuite
from .trials import TrialStore

COMPARED: dict[str, Count] = {
    "first correct": lambda trial: trial.first_correct,
    "final correct": lambda trial: trial.final_correct,
    "accepted and right": lambda trial: trial.accepted and trial.final_correct,
    "accepted and wrong": lambda trial: trial.accepted and not trial.final_correct,
}


def main(argv: Sequence[str]) -> int:
    """0; 2 for a folder without trials."""
    parser = Parser(prog="python -m evaluation compare", description="Paired differences, second minus first.")
    parser.add_argument("folders", type=Path, nargs=2, metavar="DIR")
    folders: list[Path] = parser.parse_args(argv).folders
    try:
        show(_table(TrialStore(folders[0]), TrialStore(folders[1])))
    except BadSuite as error:
        say(f"python -m evaluation compare: {error}")
        return 2
    return 0


def _table(first: TrialStore, second: TrialStore) -> str:
    headers = [first.header(), second.header()]
    lines = [line for store, header in zip((first, second), headers, strict=True) for line in _about(store, header)]
    lines += ["Percentage points, paired over problems, 95 % interval; an interval that holds 0 is noise.", ""]
    lines += ["| figure | second - first | interval | problems |", "|---|---|---|---|"]
    trials = first.read(), second.read()
    for name, hit in COMPARED.items():
        found = paired(*trials, hit)
        shown = "-" if found["difference"] is None else f"{found['difference']:+.1f}"
        lines.append(f"| {name} | {shown} | {interval(found['ci'])} | {found['problems']} |")
    return "\n".join(lines)


def _about(store: TrialStore, header: dict[str, object]) -> list[str]:
    named = f"{store.folder}: {header['suite']} with {header['provider']} {header['model']}"
    return [named, *(preamble(header) or [""])]
