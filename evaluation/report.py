"""`report DIR`: what the trials say, with intervals, and what of it is simulated."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .arms import ARMS
from .console import Parser, say, show
from .metrics import MEANS, RATES, figures, pass_at_k, risk_coverage
from .significance import reliability
from .suites import BadSuite
from .trials import Trial, TrialStore


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0; 2 for a folder without trials."""
    parser = Parser(prog="python -m evaluation report", description="Figures of the trials in a folder.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of trials")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write one self-contained page")
    arguments = parser.parse_args(argv)
    store = TrialStore(arguments.folder)
    try:
        show(markdown(store.header(), store.read()))
        if arguments.html:
            # Here, because pictures take a second to import, which no other command needs.
            draw = importlib.import_module("evaluation.page").page
            arguments.html.write_text(draw(store.header(), store.read(), str(arguments.folder)), encoding="utf-8")
    except OSError as error:
        say(f"python -m evaluation report: {arguments.html} cannot be written: {error.strerror}")
        return 2
    except BadSuite as error:
        say(f"python -m evaluation report: {error}")
        return 2
    return 0


def markdown(header: Mapping[str, Any], trials: Sequence[Trial]) -> str:
    """Returns the report of some trials as Markdown."""
    told = figures(trials)
    lines = [f"# {header['suite']} with {header['provider']} {header['model']}", ""]
    lines += preamble(header)
    lines.append(
        f"{told['trials']} trials on {told['problems']} problems, {told['errors']} could not be run or graded."
    )
    lines += ["", "| figure | percent | 95 % interval |", "|---|---|---|"]
    lines += [f"| {name.replace('_', ' ')} | {number(told[name])} | {interval(told[f'{name}_ci'])} |" for name in RATES]
    lines += ["", "| verdict | trials | right by the hidden tests, percent | 95 % interval | share, percent |"]
    lines += ["|---|---|---|---|---|"]
    lines += [
        f"| {word} | {v['trials']} | {number(v['right'])} | {interval(v['right_ci'])} | {number(v['share'])} |"
        for word, v in told["verdicts"].items()
        if v["trials"]
    ]
    lines += [*_curve(trials), *_reliability(trials)]
    means = ", ".join(f"{name.replace('_', ' ')} {told[f'mean_{name}']}" for name in MEANS)
    cost, each = ("unknown" if told[name] is None else f"${told[name]}" for name in ("cost_usd", "cost_per_solved_usd"))
    lines += ["", f"Mean per trial: {means}; cost of all: {cost}; per solved problem: {each} and "]
    lines[-1] += f"{told['tokens_per_solved'] or 'unknown'} tokens."
    return "\n".join([*lines, *_pass_at(trials), *_errors(trials)])


def _curve(trials: Sequence[Trial]) -> list[str]:
    """Risk and coverage: what is returned if only verdicts of at least some calibrated chance are taken."""
    points = risk_coverage(trials)
    if not points:
        return []
    head = "| taken: calibrated chance of at least | share of trials, percent | wrong, percent | 95 % interval |"
    rows = [
        f"| {p['chance']:.3f} | {number(p['share'])} | {number(p['wrong'])} | {interval(p['wrong_ci'])} |"
        for p in points
    ]
    return ["", head, "|---|---|---|---|", *rows]


def _reliability(trials: Sequence[Trial]) -> list[str]:
    """Returns lines that set the calibrated chance beside how often the programs were right."""
    groups = reliability(trials)
    if not groups:
        return []
    head = "| calibrated chance | its mean, percent | trials | right, percent | 95 % interval |"
    rows = [
        f"| {g['from']:.2f} to {g['to']:.2f} | {number(g['chance'])} | {g['trials']} | {number(g['right'])} "
        f"| {interval(g['right_ci'])} |"
        for g in groups
    ]
    return ["", head, "|---|---|---|---|---|", *rows]


def preamble(header: Mapping[str, Any]) -> list[str]:
    """What a reader must know before the first figure."""
    lines = [f"SIMULATED: {line}" for line in header["simulated"]]
    lines += ["Simulated parts: compare policies with these figures, not models."] if lines else []
    if header.get("arm", "full") != "full":
        lines.append(f"Arm: {header['arm']} ({ARMS[header['arm']][0]}).")
    lines += [f"Budget: {header['budget_tokens']} tokens for each trial."] if header.get("budget_tokens") else []
    lines += ["Baseline: the first program only, no repair."] if header["no_repair"] else []
    return [*lines, ""] if lines else []


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def interval(bounds: Sequence[float] | None) -> str:
    return "-" if bounds is None else f"{bounds[0]:.1f} to {bounds[1]:.1f}"


def _pass_at(trials: Sequence[Trial]) -> list[str]:
    """pass@k of the final programs, where problems have several samples."""
    groups: dict[str, list[bool]] = {}
    for trial in trials:
        if not trial.error:
            groups.setdefault(trial.problem, []).append(trial.final_correct)
    most = min((len(group) for group in groups.values()), default=0)
    if most < 2:
        return []
    shares = [
        f"pass@{k} {100 * sum(pass_at_k(len(g), sum(g), k) for g in groups.values()) / len(groups):.1f} %"
        for k in sorted({1, most})
    ]
    return ["", ", ".join(shares)]


def _errors(trials: Sequence[Trial]) -> list[str]:
    failed = [f"* {trial.key}: {trial.error}" for trial in trials if trial.error]
    return ["", "Could not be run or graded:", *failed] if failed else []
