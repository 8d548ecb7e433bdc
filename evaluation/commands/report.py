"""`report DIR`: prints what the trials say, with intervals, and what of it is simulated."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from framework.command_line import CommandParser

from ..arms import ARMS
from ..console import show, write
from ..metrics import MEANS, RATES, by_problem, failure_classes, figures, pass_rates, risk_coverage
from ..significance import opinions, reliability
from ..trials import Rating, Trial, TrialStore

OPINION = (
    "A model's opinion, 0 to 3, and no part of the other figures. Labelled: answers that were rated by hand; kappa is"
    " the quadratically weighted agreement with them: 0 is what chance gives, 1 the same."
)


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a report, in words that are ready to be shown."""

    heading: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def lines(self) -> list[str]:
        """Returns the table as Markdown, without its heading."""
        rows = [self.head, ["---"] * len(self.head), *self.rows]
        return [f"| {' | '.join(row)} |" for row in rows]


def main(argv: Sequence[str]) -> int:
    """Prints the report and returns the exit code 0. Raises BadSuite for a folder without trials, and for a page that
    cannot be written."""
    parser = CommandParser(prog="python -m evaluation report", description="Figures of the trials in a folder.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of trials")
    parser.add_argument(
        "--json", action="store_true", help="all figures, those of each problem too, as one JSON object"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write one self-contained page")
    arguments = parser.parse_args(argv)
    store = TrialStore(arguments.folder)
    told = as_json if arguments.json else markdown
    show(told(store.header(), store.read(), store.ratings()))
    if arguments.html:
        # It is imported only now, because its pictures take a second to import and no other command needs them.
        write(arguments.html, importlib.import_module("evaluation.page").page(store))
    return 0


def markdown(header: Mapping[str, Any], trials: Sequence[Trial], ratings: Sequence[Rating] = ()) -> str:
    lines = [f"# {title(header)}", "", *preamble(header), *mixed(trials), counted(trials), *_errors(trials)]
    for table in tables(trials, ratings):
        lines += ["", f"## {table.heading}", "", *([table.note, ""] if table.note else []), *table.lines()]
    return "\n".join(lines)


def as_json(header: Mapping[str, Any], trials: Sequence[Trial], ratings: Sequence[Rating] = ()) -> str:
    """Returns all that a report says, and the figures of each problem, as one JSON object."""
    found = {
        "header": header,
        "made": made_by(trials),
        "figures": figures(trials),
        "pass_at": pass_rates(trials),
        "risk_coverage": risk_coverage(trials),
        "reliability": reliability(trials),
        "failures": failure_classes(trials),
        "problems": by_problem(trials),
        "judges": opinions(ratings),
    }
    return json.dumps(found)


def title(header: Mapping[str, Any]) -> str:
    return f"{header['suite']} with {header['provider']} {header['model']}"


def counted(trials: Sequence[Trial]) -> str:
    graded = [trial for trial in trials if not trial.error]
    problems, errors = len({trial.problem for trial in graded}), len(trials) - len(graded)
    return f"{len(graded)} trials on {problems} problems, {errors} could not be run or graded."


def tables(trials: Sequence[Trial], ratings: Sequence[Rating]) -> list[Table]:
    """Returns all tables of a report that have rows. A model's opinions come last and stand apart."""
    told = figures(trials)
    rates = [(name.replace("_", " "), told[name], told[f"{name}_ci"]) for name in RATES]
    rates += [(name, *found) for name, found in pass_rates(trials).items()]
    found = [
        Table("Figures", ("figure", "percent", "95 % interval"), [(n, number(v), interval(ci)) for n, v, ci in rates]),
        _verdicts(told["verdicts"]),
        *_chances(trials),
        Table("Cost", ("of what", "value"), _costs(told)),
        Table(
            "Where it failed",
            ("class", "trials"),
            [(why, str(count)) for why, count in failure_classes(trials).most_common()],
        ),
        _judged(ratings),
    ]
    return [table for table in found if table.rows]


def _verdicts(told: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = [
        (
            word, str(v["trials"]), number(v["right"]), interval(v["right_ci"]), number(v["share"]),
            interval(v["share_ci"]),
        )
        for word, v in told.items()
        if v["trials"]
    ]  # fmt: skip
    right, bounds = "right by the hidden tests, percent", "95 % interval"
    return Table("Verdicts", ("verdict", "trials", right, bounds, "share, percent", bounds), rows)


def _chances(trials: Sequence[Trial]) -> list[Table]:
    """Returns the tables that show what the calibrated chance is good for, and whether it is honest."""
    return [
        Table(
            "If only verdicts of a calibrated chance are taken",
            ("calibrated chance of at least", "share of trials, percent", "wrong, percent", "95 % interval"),
            [
                (f"{p['chance']:.3f}", number(p["share"]), number(p["wrong"]), interval(p["wrong_ci"]))
                for p in risk_coverage(trials)
            ],
        ),
        Table(
            "Whether the calibrated chance is honest",
            ("calibrated chance", "its mean, percent", "trials", "right, percent", "95 % interval"),
            [
                (
                    f"{g['from']:.2f} to {g['to']:.2f}", number(g["chance"]), str(g["trials"]), number(g["right"]),
                    interval(g["right_ci"]),
                )
                for g in reliability(trials)
            ],
        ),
    ]  # fmt: skip


def _judged(ratings: Sequence[Rating]) -> Table:
    """Returns the table of what a model thinks of the answers, which no other table contains."""
    return Table(
        "Model judge",
        (
            "judge", "rated", "mean", "95 % interval", "0, 1, 2, 3", "labelled", "same score", "kappa",
            "95 % interval",
        ),
        [
            (
                f"{r['judge']}, {r['kind']}", str(r["rated"]), number(r["mean"], 2), interval(r["mean_ci"], 2),
                ", ".join(map(str, r["scores"])), str(r["labelled"]), str(r["same"]), number(r["kappa"], 2),
                interval(r["kappa_ci"], 2),
            )
            for r in opinions(ratings)
        ],
        OPINION,
    )  # fmt: skip


def _costs(told: Mapping[str, Any]) -> list[tuple[str, str]]:
    means = [(f"{name.replace('_', ' ')}, mean of a trial", number(told[f"mean_{name}"], 2)) for name in MEANS]
    sums = {"all, dollars": "cost_usd", "a solved problem, dollars": "cost_per_solved_usd"}
    sums["a solved problem, tokens"] = "tokens_per_solved"
    return means + [(words, "unknown" if told[name] is None else str(told[name])) for words, name in sums.items()]


def preamble(header: Mapping[str, Any]) -> list[str]:
    """Returns what a reader must know before the first figure."""
    lines = [f"SIMULATED: {line}" for line in header["simulated"]]
    lines += ["Simulated parts: compare policies with these figures, not models."] if lines else []
    if header["arm"] != "full":
        lines.append(f"Arm: {header['arm']} ({ARMS[header['arm']][0]}).")
    lines += [f"Budget: {header['budget_tokens']} tokens for each trial."] if header.get("budget_tokens") else []
    return [*lines, ""] if lines else []


def mixed(trials: Sequence[Trial]) -> list[str]:
    """Returns a warning if the trials do not all come from the same commit."""
    made = made_by(trials)
    if len(made) < 2:
        return []
    told = ", ".join(f"{count} by {name}" for name, count in made.items())
    return [f"MIXED: not one version made these trials: {told}.", ""]


def made_by(trials: Sequence[Trial]) -> dict[str, int]:
    """Returns how many trials each commit made. A folder that several commits filled is no single measurement."""
    return dict(Counter(str(trial.made.get("commit") or "unknown") for trial in trials))


def number(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def interval(bounds: Sequence[float] | None, digits: int = 1) -> str:
    return "-" if bounds is None else f"{bounds[0]:.{digits}f} to {bounds[1]:.{digits}f}"


def _errors(trials: Sequence[Trial]) -> list[str]:
    failed = [f"* {trial.key}: {trial.error}" for trial in trials if trial.error]
    return ["", "Could not be run or graded:", *failed] if failed else []
