"""python -m evaluation replay: policies over stored matrices, in a minute or two, with intervals."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.console import Parser, say, show, whole, write

from . import calibration
from .calibration import cases, certificate
from .data import DATA_HELP, STORED, StoredTask, load_tasks, load_truth
from .decisions import SECTIONS, Row, Seeds, sections_of
from .figures import (
    Figures,
    Spread,
    Truth,
    accept_figures,
    differences,
    loop_figures,
    select_figures,
    verdict_figures,
)
from .product import PRODUCT
from .references import REFERENCES, Policy
from .table import table

POLICIES: dict[str, Policy] = {**REFERENCES, "product": PRODUCT}
NOTE = (
    "Simulated: stored programs and stored tests of real models; a repair is the next stored sample, which saw no"
    " feedback, so what feedback would gain is not in these figures."
)
CORRECTED = (
    " Correction of the data: {} stored time-outs, whose own stored output equals the expected value, are read as"
    " passes by the product; the references read the letters as published."
)


def main(argv: Sequence[str]) -> int:
    """Returns the exit code 0. Raises DataError for data that cannot be read."""
    options = _parser().parse_args(argv)
    seeds = Seeds(options.seeds)
    tasks, truth = load_tasks(options.data), load_truth(options.data)
    tasks = [task.cut(options.examples) for task in tasks] if options.examples else tasks
    rows: dict[str, dict[str, list[Row]]] = {}
    for name in options.policy or POLICIES:
        say(f"replay: {name} decides on {len(tasks)} tasks; the product takes about a minute, the references less")
        rows[name] = sections_of(name, POLICIES[name], tasks, seeds)
    if options.decisions is not None:
        # The decisions of the contract; the two further sections of the report are left out.
        decided = (row for sections in rows.values() for section in SECTIONS for row in sections[section])
        write(options.decisions, "".join(json.dumps(row) + "\n" for row in decided))
    say("replay: the intervals of the figures are drawn")
    report = _report(rows, tasks, truth, seeds)
    show(json.dumps(report) if options.json else table(report))
    return 0


def _parser() -> ArgumentParser:
    parser = Parser(prog="python -m evaluation replay", description=NOTE)
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
    boot = Spread(len(tasks))
    report["policies"] = {name: _figures(sections, tasks, truth, boot) for name, sections in rows.items()}
    if "product" in rows:
        report["calibration"] = {
            f"{model}, {named}": certificate(cases(tasks, truth, seeds.loop, groups, model))
            for named, groups in calibration.GROUPS.items()
            for model in calibration.MODELS
        }
        report["product_minus"] = {
            name: differences(rows["product"], sections, tasks, truth, boot)
            for name, sections in rows.items()
            if name != "product"
        }
    return report


def _figures(rows: Mapping[str, list[Row]], tasks: Sequence[StoredTask], truth: Truth, boot: Spread) -> Figures:
    loops = {name: loop_figures(rows[name], tasks, truth, boot) for name in ("with_examples", "without_examples")}
    return {
        "accept": accept_figures(rows["accept"], tasks, truth, boot),
        "accept_without_examples": accept_figures(rows["accept_without_examples"], tasks, truth, boot),
        "select": select_figures(rows["select"], tasks, truth, boot),
        "select_without_examples": select_figures(rows["select_without_examples"], tasks, truth, boot),
        "loop": loops if any(loops.values()) else None,
        "verdicts": {name: verdict_figures(rows[name], tasks, truth, boot) for name in loops},
    }
