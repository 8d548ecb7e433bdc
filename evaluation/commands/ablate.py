"""`python -m evaluation ablate`: measures what each kind of evidence adds.

It compares arms on live runs of one model under one budget.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from framework.settings import Settings

from ..arms import ARMS
from ..console import say, show
from ..metrics import figures
from ..trials import Trial, TrialStore
from .compare import COMPARED, differences
from .report import Table, mixed, number, preamble, title
from .run import fill, parser_of, told_how_to_resume

EVIDENCE = (
    "no_examples", "no_independent", "no_reference", "no_properties", "no_mutation", "no_valid_inputs", "no_arbiter",
    "no_critic",
)  # fmt: skip
"""The arms that each leave one kind of evidence out."""
BUDGET = 60_000
"""The tokens of a trial, in every arm. A run without trouble takes a tenth of this."""
JUDGED = ("accepted and right", "accepted and wrong")
"""The figures in which the arms are compared."""


def main(argv: Sequence[str]) -> int:
    """Makes the trials of all arms and prints the comparison. Returns the exit code: 0, or 1 if a trial could not be
    run or graded. Raises one of REFUSALS."""
    parser = parser_of("ablate", "The whole loop, and the same without one kind of evidence after the other.")
    parser.add_argument("--without", default=",".join(EVIDENCE), metavar="A,B", help="arms; by default: %(default)s")
    parser.set_defaults(budget_tokens=BUDGET)
    arguments = parser.parse_args(argv)
    arms = [name.strip() for name in arguments.without.split(",") if name.strip()]
    if unknown := [name for name in arms if name not in ARMS or name == "full"]:
        parser.error(f"unknown arms: {', '.join(unknown)}; there are: {', '.join(ARMS)}")
    with told_how_to_resume(arguments.out):
        return asyncio.run(_ablate(arguments, ["full", *dict.fromkeys(arms)], Settings.from_env()))


async def _ablate(arguments: argparse.Namespace, arms: Sequence[str], settings: Settings) -> int:
    found: dict[str, list[Trial]] = {}
    header: Mapping[str, Any] = {}
    for arm in arms:
        say(f"{arm}: {ARMS[arm][0]}")
        own = argparse.Namespace(**{**vars(arguments), "arm": arm, "out": arguments.out / arm})
        store: TrialStore = await fill(own, settings)
        header, found[arm] = header or store.header(), store.read()
    show(comparison(header, found))
    return 1 if any(trial.error for trials in found.values() for trial in trials) else 0


def comparison(header: Mapping[str, Any], found: Mapping[str, Sequence[Trial]]) -> str:
    """Returns the Markdown that compares each arm with the whole loop. `found` holds the trials by arm, "full" among
    them."""
    asked = {
        f"({arm}), {name}": (found["full"], found[arm], COMPARED[name])
        for arm in found
        if arm != "full"
        for name in JUDGED
    }
    gaps = differences(asked)
    words = [f"* without it {name}: {each.words}." for name, each in gaps.items()]
    rows = [(name, *each.cells) for name, each in gaps.items()]
    method = (
        "Percentage points, an arm less the whole loop, paired over problems: 95 % interval of a cluster bootstrap, and"
        f" the chance of an exact sign test after Holm's correction for {len(asked)} comparisons."
    )
    head = ("arm and figure", "arm - whole loop", "interval", "chance")
    lines = [f"# What each kind of evidence adds: {title(header)}", "", *preamble(header)]
    lines += mixed([trial for trials in found.values() for trial in trials])
    lines += ["## Arms", "", *_arms(found).lines(), "", "## Differences", "", method, ""]
    return "\n".join([*lines, *Table("", head, rows).lines(), "", *words])


def _arms(found: Mapping[str, Sequence[Trial]]) -> Table:
    head = (
        "arm", "trials", "errors", "right, percent", "accepted and right", "wrong among accepted", "verified",
        "right among verified", "calls", "tokens", "all, dollars",
    )  # fmt: skip
    return Table("", head, [_arm(arm, trials) for arm, trials in found.items()])


def _arm(arm: str, trials: Sequence[Trial]) -> tuple[str, ...]:
    of, verified = figures(trials), figures(trials)["verdicts"]["verified"]
    graded = [trial for trial in trials if not trial.error]
    kept = 100 * sum(t.accepted and t.final_correct for t in graded) / len(graded) if graded else None
    tokens = (of["mean_input_tokens"] or 0) + (of["mean_output_tokens"] or 0)
    return (
        arm, str(of["trials"]), str(of["errors"]), number(of["final_correct"]), number(kept),
        number(of["wrong_among_accepted"]), number(verified["share"]), number(verified["right"]),
        number(of["mean_calls"], 2), number(tokens, 0), "unknown" if of["cost_usd"] is None else str(of["cost_usd"]),
    )  # fmt: skip
