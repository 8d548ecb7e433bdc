"""`compare DIR DIR`: prints paired differences between two folders of trials, second minus first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from framework.command_line import CommandParser

from ..console import show
from ..metrics import Count, gap, problem_gaps
from ..significance import holm, problems_needed, sign_test, verdict
from ..trials import Trial, TrialStore
from .report import Table, interval, preamble, title

COMPARED: dict[str, Count] = {
    "first correct": lambda trial: trial.first_correct,
    "final correct": lambda trial: trial.final_correct,
    "accepted and right": lambda trial: trial.accepted and trial.final_correct,
    "accepted and wrong": lambda trial: trial.accepted and not trial.final_correct,
}
"""The figures that are compared, each as what it counts of a trial."""

METHOD = (
    "Percentage points, paired over problems: 95 % interval of a cluster bootstrap over problems, and the chance of an "
    f"exact sign test after Holm's correction for {len(COMPARED)} comparisons."
)


@dataclass(frozen=True, slots=True)
class Difference:
    """How a figure of some trials differs from the same figure of others, in percentage points."""

    cells: tuple[str, str, str]
    """The difference, its interval and the corrected chance, for a table."""
    problems: int
    words: str


def differences(
    asked: Mapping[str, tuple[Sequence[Trial], Sequence[Trial], Count]],
) -> dict[str, Difference]:
    """Returns the difference second - first of each figure by its name. A figure whose trials have no problem in common
    is left out."""
    gaps = {name: problem_gaps(*trials_and_figure) for name, trials_and_figure in asked.items()}
    chances = holm({name: sign_test(each) for name, each in gaps.items()})
    found: dict[str, Difference] = {}
    for name, each in gaps.items():
        if each:
            told = gap(each)
            difference, bounds = told["difference"], told["ci"]
            words = verdict(difference, bounds, chances[name], len(each), problems_needed(each))
            cells = f"{difference:+.1f}", interval(bounds), f"{chances[name]:.3f}"
            found[name] = Difference(cells, len(each), words)
    return found


def main(argv: Sequence[str]) -> int:
    """Prints the comparison and returns the exit code 0. Raises BadSuite for a folder without trials."""
    parser = CommandParser(prog="python -m evaluation compare", description="Paired differences, second minus first.")
    parser.add_argument("folders", type=Path, nargs=2, metavar="DIR", help="two folders of trials")
    folders: list[Path] = parser.parse_args(argv).folders
    show(_table(TrialStore(folders[0]), TrialStore(folders[1])))
    return 0


def _table(first: TrialStore, second: TrialStore) -> str:
    headers = [first.header(), second.header()]
    lines = [line for store, header in zip((first, second), headers, strict=True) for line in _heading(store, header)]
    lines += [METHOD, ""]
    trials = first.read(), second.read()
    found = differences({name: (*trials, hit) for name, hit in COMPARED.items()})
    head = ("figure", "second - first", "interval", "chance", "problems")
    rows = [(name, *each.cells, str(each.problems)) for name, each in found.items()]
    rows += [(name, "-", "-", "-", "0") for name in COMPARED if name not in found]
    words = [f"* {name}: {each.words}." for name, each in found.items()] or ["The folders have no problem in common."]
    return "\n".join([*lines, *Table("", head, rows).lines(), "", *words])


def _heading(store: TrialStore, header: dict[str, Any]) -> list[str]:
    named = f"{store.folder}: {title(header)}"
    return [named, *(preamble(header) or [""])]
