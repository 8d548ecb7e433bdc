"""`python -m evaluation replay`: replays policies over stored matrices.

It takes a minute or two, and prints figures with intervals.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.console import say, show, whole, write
from framework.command_line import CommandParser

from . import calibration
from .calibration import cases, certificate
from .data import DATA_HELP, POOLS, SELECTIONS, STORED, StoredTask, load_tasks, load_truth
from .decisions import Row, Seeds, lines_of, sections_of
from .figures import Figures, Scorer, Truth, describe
from .product import PRODUCT
from .references import REFERENCES, Policy

POLICIES: dict[str, Policy] = {**REFERENCES, "product": PRODUCT}
NOTE = (
    "Simulated: stored programs and stored tests of real models; a repair is the next stored sample, which saw no"
    " feedback, so what feedback would gain is not in these figures."
)
CORRECTED = (
    " Correction of the data: {} stored time-outs, whose own stored output equals the expected value, are read as"
    " passes by the product; the references read the letters as published."
)
_LOOP = ("final", "attempts", "broken_of_right", "healed_of_wrong")


def main(argv: Sequence[str]) -> int:
    """Prints the report and returns the exit code 0. Raises DataError for data that cannot be read."""
    options = _parser().parse_args(argv)
    seeds = Seeds(options.seeds)
    tasks, truth = load_tasks(options.data), load_truth(options.data)
    tasks = [task.cut(options.examples) for task in tasks] if options.examples else tasks
    rows: dict[str, dict[str, list[Row]]] = {}
    for name in options.policy or POLICIES:
        say(f"replay: {name} decides on {len(tasks)} tasks; the product takes about a minute, the references less")
        rows[name] = sections_of(POLICIES[name], tasks, seeds)
    if options.decisions is not None:
        write(options.decisions, "".join(lines_of(name, sections) for name, sections in rows.items()))
    say("replay: the intervals of the figures are drawn")
    report = _report(rows, tasks, truth, seeds)
    show(json.dumps(report) if options.json else table(report))
    return 0


def _parser() -> ArgumentParser:
    parser = CommandParser(prog="python -m evaluation replay", description=NOTE)
    parser.add_argument("--data", type=Path, default=STORED, help=DATA_HELP)
    parser.add_argument(
        "--policy",
        action="append",
        choices=sorted(POLICIES),
        metavar="NAME",
        help=f"once or more often; default all: {', '.join(POLICIES)}",
    )
    parser.add_argument("--seeds", type=whole, default=20, help="loop orders; selections draw twice as often (20)")
    parser.add_argument("--examples", type=whole, help="leave each task its first N examples only")
    parser.add_argument("--decisions", type=Path, help="write one JSON object per decision")
    parser.add_argument("--json", action="store_true", help="figures as one JSON object")
    return parser


def _report(
    rows: Mapping[str, Mapping[str, list[Row]]], tasks: Sequence[StoredTask], truth: Truth | None, seeds: Seeds
) -> dict[str, Any]:
    refuted = sum(len(program.refuted) for task in tasks for program in task.programs)
    report: dict[str, Any] = {"tasks": len(tasks), "seeds": seeds.loop, "note": NOTE + CORRECTED.format(refuted)}
    report |= {"timeouts_read_as_passes": refuted, "policies": {}}
    if truth is None:
        note = f"{report['note']} The data hold no truth: decisions only."
        return {**report, "note": note, "policies": dict.fromkeys(rows)}
    scorer = Scorer(tasks, truth)
    report["policies"] = {name: _figures(sections, scorer) for name, sections in rows.items()}
    if "product" in rows:
        report["calibration"] = {
            f"{model}, {named}": certificate(cases(tasks, truth, seeds.loop, groups, model))
            for named, groups in calibration.GROUPS.items()
            for model in calibration.MODELS
        }
        report["product_minus"] = {
            name: scorer.differences(rows["product"], sections) for name, sections in rows.items() if name != "product"
        }
    return report


def _figures(rows: Mapping[str, list[Row]], scorer: Scorer) -> Figures:
    loops = {name: scorer.loop(rows[name]) for name in ("with_examples", "without_examples")}
    return {
        "accept": scorer.accept(rows["accept"]),
        "accept_without_examples": scorer.accept(rows["accept_without_examples"]),
        "select": scorer.select(rows["select"]),
        "select_without_examples": scorer.select(rows["select_without_examples"]),
        "loop": loops if any(loops.values()) else None,
        "verdicts": {name: scorer.verdicts(rows[name]) for name in loops},
    }


def table(report: Mapping[str, Any]) -> str:
    """Returns the report as text: one block for each section, 95 % intervals in brackets."""
    lines = [f"{report['tasks']} tasks, {report['seeds']} orders. {report['note']}"]
    policies: Mapping[str, Any] = report["policies"]
    if not all(policies.values()):
        return "\n".join(lines)
    for suffix in ("", "_without_examples"):
        lines += ["", f"accept{suffix}: right rejected / wrong among accepted, percent"]
        lines += [_accept_line(name, p["accept" + suffix]) for name, p in policies.items() if p["accept" + suffix]]
        lines += ["", f"select{suffix}: right programs chosen, percent"]
        lines += [_select_line(name, p["select" + suffix]) for name, p in policies.items() if p["select" + suffix]]
    for kind in ("with_examples", "without_examples"):
        lines += ["", f"loop {kind}: final, attempts, broken of right, healed of wrong"]
        lines += [_loop_line(name, p["loop"][kind]) for name, p in policies.items() if p["loop"] and p["loop"][kind]]
        for name, policy in policies.items():
            lines += _verdict_lines(name, policy["verdicts"][kind] or {})
    for group, found in report.get("calibration", {}).items():
        lines += _curve_lines(group, found)
    for name, gaps in report.get("product_minus", {}).items():
        lines += ["", f"product minus {name} (paired)"]
        lines += [f"  {figure:<48}{describe(gap)}" for figure, gap in gaps.items()]
    return "\n".join(lines)


def _accept_line(name: str, figures: Mapping[str, Any]) -> str:
    cells = [
        f"{pool} {_cell(figures[pool], 'false_reject')} / {_cell(figures[pool], 'wrong_among_accepted')}"
        for pool in POOLS
    ]
    return f"  {name:<22}" + "   ".join(cells)


def _select_line(name: str, figures: Mapping[str, Any]) -> str:
    return f"  {name:<22}" + "   ".join(f"{pool} {_cell(figures[pool], 'accuracy')}" for pool in SELECTIONS)


def _loop_line(name: str, figures: Mapping[str, Any]) -> str:
    return f"  {name:<22}" + "   ".join(_cell(figures, key) for key in _LOOP)


def _verdict_lines(name: str, figures: Mapping[str, Any]) -> list[str]:
    return [
        f"    {name}, {word}: given {_cell(cells, 'given')}, right {_cell(cells, 'right')}"
        for word, cells in figures.items()
    ]


def _curve_lines(group: str, found: Mapping[str, Any]) -> list[str]:
    title = f"rules for `verified`, {group}: risk {found['risk']:.0%} at confidence {1 - found['level']:.0%}"
    lines = ["", f"{title}, tested in the order [{'; '.join(found['sequence'])}], in use: {found['in_use']}"]
    for point in found["curve"]:
        wrong = "-" if point["wrong"] is None else f"{point['wrong']:.2f}"
        counted = f"{point['wrong_problems']} of {point['problems']} problems wrong"
        bound = f"at most {point['wrong_at_most']:.2f} %, p = {point['p_value']:.3f}"
        share = f"share {point['share']:.2f}, wrong {wrong}, {counted} ({bound})"
        lines.append(f"  {point['rule']}: {share}{', passes in this order' if point['passes'] else ''}")
    return lines


def _cell(figures: Mapping[str, Any], name: str) -> str:
    if figures[name] is None:
        return "-"
    low, high = figures[f"{name}_ci"]
    return f"{figures[name]:.2f} [{low:.2f}, {high:.2f}]"
