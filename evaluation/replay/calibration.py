"""`python -m evaluation calibrate`: finds which rule for `verified` keeps its promise.

It also counts how often each kind of evidence was right.

A rule says how many model-written checks must pass (or that an independent program must agree) before the task's own
examples are enough, and whether a check may have been set aside on the way. Runs of one problem are not independent, so
problems are counted: a problem is wrong for a rule as soon as one of its `verified` runs is wrong. That is stricter
than the share of wrong runs, and needs no model of how runs depend on each other.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.trust import LEAST_CHECKS, Grounds
from agent.trust.chance import TABLE
from agent.trust.corroboration import PASSING_FOR_EACH_SET_ASIDE, Corroboration
from evaluation.console import whole, write
from evaluation.metrics import at_most, upper_bound, wilson
from framework.command_line import CommandParser

from .data import (
    DATA_HELP,
    ONE_SUITE,
    POOLS,
    SAME_MODEL,
    STORED,
    StoredProgram,
    StoredTask,
    View,
    known_truth,
    load_tasks,
    loop_order,
    pool_order,
)
from .figures import Truth
from .product import PRODUCT

RISK, LEVEL = 0.05, 0.05
"""How often `verified` may be wrong, and how likely a rule may be to break that promise, both as shares."""


@dataclass(frozen=True, slots=True)
class VerdictRule:
    """What a run needs for `verified` besides passing the task's own examples."""

    least_checks: int
    undisputed: bool = False
    """Whether no check may have been set aside as wrong."""
    as_single: bool = False
    """Whether the rule is the product's for a task with a single example."""

    def covers(self, grounds: Grounds) -> bool:
        """Returns whether a run with these grounds is `verified` by the rule."""
        single = Corroboration(
            grounds.checks, grounds.agrees, grounds.set_aside, scarce="the task gives only one example"
        )
        reached = not single.lacks if self.as_single else grounds.reaches(self.least_checks)
        return grounds.clear and reached and not (self.undisputed and grounds.disputed)

    @property
    def words(self) -> str:
        if self.as_single:
            return f"a program agrees, further checks > {PASSING_FOR_EACH_SET_ASIDE} x set aside"
        return f"further checks >= {self.least_checks}" + (", none set aside" if self.undisputed else "")


IN_USE, SINGLE = VerdictRule(LEAST_CHECKS), VerdictRule(LEAST_CHECKS, as_single=True)
SEQUENCE = (VerdictRule(1, undisputed=True), VerdictRule(1), VerdictRule(0))
"""The rules in the order of testing, the strictest first; the first rule that fails ends the test. Rules with more
checks (2, 3, 4) leave too few problems for any certificate, so they are shown and not tested."""
SHOWN = (VerdictRule(4), VerdictRule(3), VerdictRule(2), *SEQUENCE)
FEWEST_PROBLEMS = 10
"""The fewest problems on which a kind of evidence gets a chance; fewer would say nothing."""
GROUPS: dict[str, tuple[str, ...]] = {"one suite": tuple(ONE_SUITE), "five suites": ("gpt35x5",)}
"""Groups of runs: with one blind suite, as live runs have it (each of the five in turn), and with all five at once."""
MODELS = (SAME_MODEL, *POOLS)
"""Whose programs the runs use: samples of the model that also wrote the tests, or programs of several models."""


@dataclass(frozen=True, slots=True)
class Case:
    """One simulated run: the problem, the grounds of its verdict, and whether its program is right."""

    problem: str
    grounds: Grounds
    right: bool


def cases(
    tasks: Sequence[StoredTask], truth: Truth, seeds: int, groups: Sequence[str], model: str = SAME_MODEL
) -> list[Case]:
    """Returns runs with examples over the programs of one model or pool, in `seeds` orders for each group of suites."""
    found: list[Case] = []
    for task in tasks:
        orders = orders_of(task, model, seeds)
        for group in groups:
            found += _cases_of(task, truth, task.view(group, with_examples=True), orders)
    return found


def orders_of(task: StoredTask, model: str, seeds: int) -> list[Sequence[StoredProgram]]:
    """Returns the programs in the order of each seed. Seeds for which the pool has no program are left out."""
    orders = (loop_order(task, seed) if model == SAME_MODEL else pool_order(task, model, seed) for seed in range(seeds))
    return [order for order in orders if order]


def _cases_of(task: StoredTask, truth: Truth, view: View, orders: Sequence[Sequence[StoredProgram]]) -> Iterator[Case]:
    """Yields the runs of one task, judged by one group of suites."""
    assert PRODUCT.loop is not None
    for order in orders:
        end = PRODUCT.loop(view, order)
        if end.grounds is not None:
            yield Case(task.id, end.grounds, truth[task.id][end.chosen.id])


def certificate(found: Sequence[Case]) -> dict[str, Any]:
    """Returns the risk-coverage curve over the rules, and which of them pass learn-then-test in that order. It does not
    account for looks at the data before the order was chosen."""
    single = bool(found) and all(case.grounds.few for case in found)
    points = {rule: _point(found, rule) for rule in ((SINGLE, *SHOWN) if single else SHOWN)}
    for rule in SEQUENCE:
        if points[rule]["p_value"] > LEVEL:
            break
        points[rule]["passes"] = True
    sequence = [rule.words for rule in SEQUENCE]
    in_use = (SINGLE if single else IN_USE).words
    return {"risk": RISK, "level": LEVEL, "sequence": sequence, "in_use": in_use, "curve": list(points.values())}


def _point(found: Sequence[Case], rule: VerdictRule) -> dict[str, Any]:
    taken = [case for case in found if rule.covers(case.grounds)]
    wrong = {case.problem for case in taken if not case.right}
    problems = len({case.problem for case in taken})
    return {
        "rule": rule.words,
        "least_checks": rule.least_checks,
        "undisputed": rule.undisputed,
        "share": round(100 * len(taken) / len(found), 2) if found else None,
        "wrong": round(100 * sum(not case.right for case in taken) / len(taken), 2) if taken else None,
        "problems": problems,
        "wrong_problems": len(wrong),
        "wrong_at_most": round(100 * upper_bound(len(wrong), problems, LEVEL), 2),
        "p_value": round(at_most(len(wrong), problems, RISK), 4),
        "passes": False,
    }


def chances(found: Iterable[Case]) -> dict[str, dict[str, float]]:
    """Returns {value, low, high, runs, problems} for each kind of evidence. Each problem counts once, by its share of
    right runs."""
    kinds: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for case in found:
        kinds[case.grounds.kind][case.problem].append(case.right)
    return {kind: _share(by) for kind, by in sorted(kinds.items()) if len(by) >= FEWEST_PROBLEMS}


def _share(by_problem: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    shares = [sum(right) / len(right) for right in by_problem.values()]
    right = math.fsum(shares)
    low, high = wilson(right, len(shares))
    # This is Jeffreys' estimate, because a handful of problems without a wrong one is no certainty.
    told = {"value": (right + 0.5) / (len(shares) + 1), "low": low, "high": high}
    runs = sum(map(len, by_problem.values()))
    return {**{name: round(value, 3) for name, value in told.items()}, "runs": runs, "problems": len(shares)}


def table(tasks: Sequence[StoredTask], truth: Truth, seeds: int) -> dict[str, Any]:
    """Returns the content of agent/trust/chances.json: every pool, with all examples, one and none, and with one suite
    and five."""
    found: list[Case] = []
    groups = [group for named in GROUPS.values() for group in named]
    for task in tasks:
        orders = [order for model in MODELS for order in orders_of(task, model, seeds)]
        told = (task, task.cut(1)) if len(task.examples) > 1 else (task,)
        for group in groups:
            for known in told:
                found += _cases_of(task, truth, known.view(group, with_examples=True), orders)
            found += _cases_of(task, truth, task.view(group, with_examples=False), orders)
    source = (
        f"stored programs of GPT-4, GPT-3.5 and open models and tests of {SAME_MODEL} on {len(tasks)} HumanEval"
        " problems (simulated repairs; the policy was tuned on the same problems; other models and tasks may do worse)"
    )
    command = f"python -m evaluation calibrate --data DIR --seeds {seeds}"
    return {"command": command, "source": source, "kinds": chances(found)}


def main(argv: Sequence[str]) -> int:
    """Counts on stored runs the chances that verdicts carry, and writes them to their file. Returns the exit code 0.
    Raises DataError if the data cannot be read or do not say which programs are right."""
    about = "Count on stored runs the chances that verdicts carry, and write them to their file."
    parser = CommandParser(prog="python -m evaluation calibrate", description=about)
    parser.add_argument("--data", type=Path, default=STORED, help=DATA_HELP)
    parser.add_argument("--seeds", type=whole, default=20, help="orders of the programs for each problem (20)")
    parser.add_argument("--out", type=Path, default=TABLE, help=f"the file to write ({TABLE.name} of agent/trust)")
    options = parser.parse_args(argv)
    told = table(load_tasks(options.data), known_truth(options.data), options.seeds)
    write(options.out, json.dumps(told, indent=1) + "\n")
    return 0
