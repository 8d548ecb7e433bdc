"""Learn-then-test: which rule for `verified` keeps its promise, and how often each kind of evidence was right.

A rule says how many model-written checks must pass (or an independent program agree instead) before the task's own
examples are enough. Runs of one problem are not independent, so problems are what is counted: a problem is wrong for a
rule as soon as one of its `verified` runs is. That is stricter than the share of wrong runs, and needs no model of how
runs depend on each other.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.trust import LEAST_CHECKS, Grounds
from evaluation.intervals import at_most, upper_bound, wilson

from .data import POOLS, SAME_MODEL, Program, Task, View, loop_order, pool_order
from .figures import Truth
from .product import PRODUCT

RISK, LEVEL = 0.05, 0.05
"""`verified` may be wrong this often, and the rule may fail to keep that with this probability."""
SEQUENCE = (1, 0)
"""Rules in the order of testing; the first that fails ends it. One further check comes first because without any only
the examples speak; requiring more (2, 3, 4) leaves too few problems for any certificate, so it is shown, not tested."""
SHOWN = (4, 3, 2, 1, 0)
FEWEST_PROBLEMS = 10
"""A kind of evidence on fewer problems gets no chance: nothing could be said about it."""
GROUPS = ("gpt35x1", "gpt35x5")
"""Runs with one blind suite, as live runs have it, and with five."""


@dataclass(frozen=True, slots=True)
class Case:
    """One simulated run: the problem, what its verdict rests on, and whether its program is right."""

    problem: str
    grounds: Grounds
    right: bool


def cases(tasks: Sequence[Task], truth: Truth, seeds: int, groups: Sequence[str]) -> list[Case]:
    """Runs with examples over the programs of one model, in `seeds` orders for each group of suites."""
    found: list[Case] = []
    for task in tasks:
        orders = [loop_order(task, seed) for seed in range(seeds)]
        for group in groups:
            found += _ends(task, truth, task.view(group, with_examples=True), orders)
    return found


def _ends(task: Task, truth: Truth, view: View, orders: Sequence[Sequence[Program]]) -> Iterator[Case]:
    assert PRODUCT.loop is not None
    for order in orders:
        end = PRODUCT.loop(view, order) if order else None
        if end is not None and end.grounds is not None:
            yield Case(task.id, end.grounds, truth[task.id][end.chosen.id])


def certificate(found: Sequence[Case]) -> dict[str, Any]:
    """The risk-coverage curve over the rules, and which of them is certified."""
    curve = [_point(found, least) for least in SHOWN]
    certified: list[int] = []
    for least in SEQUENCE:
        point = next(point for point in curve if point["least_checks"] == least)
        if point["p_value"] > LEVEL:
            break
        certified.append(least)
    for point in curve:
        point["certified"] = point["least_checks"] in certified
    return {"risk": RISK, "level": LEVEL, "sequence": list(SEQUENCE), "in_use": LEAST_CHECKS, "curve": curve}


def _point(found: Sequence[Case], least: int) -> dict[str, Any]:
    taken = [case for case in found if case.grounds.clear and case.grounds.reaches(least)]
    wrong = {case.problem for case in taken if not case.right}
    problems = len({case.problem for case in taken})
    return {
        "least_checks": least,
        "share": round(100 * len(taken) / len(found), 2) if found else None,
        "wrong": round(100 * sum(not case.right for case in taken) / len(taken), 2) if taken else None,
        "problems": problems,
        "wrong_problems": len(wrong),
        "wrong_at_most": round(100 * upper_bound(len(wrong), problems, LEVEL), 2),
        "p_value": round(at_most(len(wrong), problems, RISK), 4),
    }


def chances(found: Iterable[Case]) -> dict[str, dict[str, float]]:
    """Kind of evidence -> {value, low, high, runs, problems}: each problem counts once, by its share of right runs."""
    kinds: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for case in found:
        kinds[case.grounds.kind][case.problem].append(case.right)
    return {kind: _share(by) for kind, by in sorted(kinds.items()) if len(by) >= FEWEST_PROBLEMS}


def _share(by_problem: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    shares = [sum(right) / len(right) for right in by_problem.values()]
    right = math.fsum(shares)
    low, high = wilson(right, len(shares))
    # Jeffreys' estimate: a handful of problems without a wrong one is no certainty.
    told = {"value": (right + 0.5) / (len(shares) + 1), "low": low, "high": high}
    runs = sum(map(len, by_problem.values()))
    return {**{name: round(value, 3) for name, value in told.items()}, "runs": runs, "problems": len(shares)}


def table(tasks: Sequence[Task], truth: Truth, seeds: int) -> dict[str, Any]:
    """The content of agent/trust/chances.json: every pool, with and without examples, with one suite and with five."""
    found: list[Case] = []
    for task in tasks:
        orders = [loop_order(task, seed) for seed in range(seeds)]
        orders += [pool_order(task, pool, seed) for pool in POOLS for seed in range(seeds)]
        for group, known in itertools.product(GROUPS, (True, False)):
            found += _ends(task, truth, task.view(group, with_examples=known), orders)
    source = (
        f"stored programs of GPT-4, GPT-3.5 and open models and tests of {SAME_MODEL} on {len(tasks)} HumanEval"
        " problems (simulated repairs; the policy was tuned on the same problems; other models and tasks may do worse)"
    )
    command = f"python -m evaluation calibrate --data DIR --seeds {seeds}"
    return {"command": command, "source": source, "kinds": chances(found)}
