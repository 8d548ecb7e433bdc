"""`compare DIR DIR`: prints paired differences between two folders of trials, second minus first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .console import Parser, show
from .metrics import Count, paired, problem_gaps
from .report import Table, interval, preamble, title
from .significance import holm, problems_needed, sign_test, verdict
from .trials import TrialStore

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


def main(argv: Sequence[str]) -> int:
    """Prints the comparison and returns the exit code 0. Raises BadSuite for a folder without trials."""
    parser = Parser(prog="python -m evaluation compare", description="Paired differences, second minus first.")
    parser.add_argument("folders", type=Path, nargs=2, metavar="DIR", help="two folders of trials")
    folders: list[Path] = parser.parse_args(argv).folders
    show(_table(TrialStore(folders[0]), TrialStore(folders[1])))
    return 0


def _table(first: TrialStore, second: TrialStore) -> str:
    headers = [first.header(), second.header()]
    lines = [line for store, header in zip((first, second), headers, strict=True) for line in _heading(store, header)]
    lines += [METHOD, ""]
    trials = first.read(), second.read()
    gaps = {name: problem_gaps(*trials, hit) for name, hit in COMPARED.items()}
    chances = holm({name: sign_test(each) for name, each in gaps.items()})
    words, rows = list[str](), list[tuple[str, ...]]()
    for name, hit in COMPARED.items():
        found = paired(*trials, hit)
        difference, bounds, problems = found["difference"], found["ci"], found["problems"]
        if difference is None:
            rows.append((name, "-", "-", "-", "0"))
            continue
        rows.append((name, f"{difference:+.1f}", interval(bounds), f"{chances[name]:.3f}", str(problems)))
        needed = problems_needed(gaps[name])
        words.append(f"* {name}: {verdict(difference, bounds, chances[name], problems, needed)}.")
    head = ("figure", "second - first", "interval", "chance", "problems")
    return "\n".join(
        [*lines, *Table("", head, rows).lines(), "", *(words or ["The folders have no problem in common."])]
    )


def _heading(store: TrialStore, header: dict[str, Any]) -> list[str]:
    named = f"{store.folder}: {title(header)}"
    return [named, *(preamble(header) or [""])]
