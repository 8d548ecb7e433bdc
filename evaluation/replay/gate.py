"""python -m evaluation gate: the product's policy against its own decisions as they were stored with the shipped data.

Nothing here depends on load or luck: an unchanged policy decides the same, digit for digit.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from pathlib import Path

from evaluation.console import show, write
from framework.command_line import CommandParser

from .data import STORED, DataError, known_truth, load_tasks, rows
from .decisions import Row, Seeds, lines_of, sections_of
from .figures import Scorer, describe
from .product import PRODUCT

DECISIONS = "decisions.jsonl"
SEEDS = Seeds(3)
HIGHER_IS_BETTER = ("accuracy", "final")
"""Of these figures, more is better. All others count what should not happen, or what it cost."""


def main(argv: Sequence[str]) -> int:
    """Compares the policy's decisions with the stored ones, or stores new ones. Returns the exit code: 0, or 1 if a
    figure became worse beyond noise. Raises DataError."""
    parser = CommandParser(prog="python -m evaluation gate", description=__doc__)
    parser.add_argument("--data", type=Path, default=STORED, help="folder with matrices, truth and decisions")
    parser.add_argument(
        "--store", action="store_true", help="keep the decisions of now; for a policy changed on purpose"
    )
    options = parser.parse_args(argv)
    return _store(options.data) if options.store else _judge(options.data)


def _store(folder: Path) -> int:
    lines = lines_of("product", sections_of(PRODUCT, load_tasks(folder), SEEDS))
    write(folder / f"{DECISIONS}.xz", lzma.compress(lines.encode(), preset=9))
    return 0


def _judge(folder: Path) -> int:
    """Prints the paired difference of every figure, now minus stored. A figure fails if its interval lies wholly on the
    bad side."""
    tasks, truth = load_tasks(folder), known_truth(folder)
    now: dict[str, list[Row]] = sections_of(PRODUCT, tasks, SEEDS)
    then: dict[str, list[Row]] = {section: [] for section in now}
    for row in rows(folder, DECISIONS):
        then[row["kind"].removeprefix("loop_")].append(row)
    found = Scorer(tasks, truth).differences(now, then)
    if not found:
        raise DataError(f"{folder / DECISIONS} holds no decision of these tasks")
    failed = {name for name, (_, low, high) in found.items() if (high < 0 if _is_gain(name) else low > 0)}
    for name, gap in found.items():
        show(f"{name:<40} {describe(gap)}{'   WORSE' if name in failed else ''}")
    show(f"{len(found)} figures, now less stored: {len(failed)} became worse beyond noise")
    return 1 if failed else 0


def _is_gain(name: str) -> bool:
    return name.rpartition(".")[2] in HIGHER_IS_BETTER
