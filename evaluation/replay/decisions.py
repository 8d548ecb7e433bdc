"""Records what a policy decides on each task and seed, as plain rows. No truth is known here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .data import POOLS, SELECTIONS, StoredProgram, StoredTask, loop_order, selection_draw
from .references import Policy

Row = dict[str, Any]
ACCEPT_GROUP, LOOP_GROUP = "all", "gpt35x5"
"""The groups of suites that judge in `accept` and in `loop`."""
SECTIONS = ("accept", "select", "with_examples", "without_examples")
"""The sections whose decisions are written to a file."""


@dataclass(frozen=True)
class Seeds:
    """How often each task is drawn: `loop` orders, and twice as many selections."""

    loop: int = 20

    @property
    def select(self) -> int:
        return 2 * self.loop


def accept_rows(policy: Policy, tasks: Sequence[StoredTask], *, with_examples: bool = True) -> Iterator[Row]:
    """Yields one row for every program of every pool."""
    if policy.accept is None:
        return
    for pool_name, models in POOLS.items():
        for task in tasks:
            pool = task.pool(models)
            view = task.view(ACCEPT_GROUP, with_examples=with_examples)
            taken = {program.id for program in policy.accept(view, pool)}
            for program in pool:
                yield {
                    "kind": "accept",
                    "pool": pool_name,
                    "task_id": task.id,
                    "candidate": program.id,
                    "accepted": program.id in taken,
                }


def select_rows(
    policy: Policy, tasks: Sequence[StoredTask], seeds: Seeds, *, with_examples: bool = True
) -> Iterator[Row]:
    """Yields one row for every draw: the first attempt, and the one that the policy chose of all."""
    if policy.select is None:
        return
    for pool_name, (_, _, group) in SELECTIONS.items():
        for task in tasks:
            view = task.view(group, with_examples=with_examples)
            for seed in range(seeds.select):
                draw = selection_draw(task, pool_name, seed)
                if draw:
                    yield {
                        "kind": "select",
                        "pool": pool_name,
                        "seed": seed,
                        "task_id": task.id,
                        "first": draw[0].id,
                        "chosen": policy.select(view, draw).id,
                    }


def loop_rows(policy: Policy, tasks: Sequence[StoredTask], seeds: Seeds, *, with_examples: bool) -> Iterator[Row]:
    """Yields one row for every order of attempts: with which program the loop began, what it returned, and after how
    many attempts."""
    if policy.loop is None or (policy.needs_examples and not with_examples):
        return
    kind = "loop_with_examples" if with_examples else "loop_without_examples"
    for task in tasks:
        view = task.view(LOOP_GROUP, with_examples=with_examples)
        for seed in range(seeds.loop):
            order: list[StoredProgram] = loop_order(task, seed)
            if order:
                end = policy.loop(view, order)
                row: Row = {"kind": kind, "seed": seed, "task_id": task.id, "first": order[0].id}
                row |= {"chosen": end.chosen.id, "accepted": end.accepted, "attempts": end.attempts}
                yield row if end.verdict is None else {**row, "verdict": end.verdict}


def sections_of(policy: Policy, tasks: Sequence[StoredTask], seeds: Seeds) -> dict[str, list[Row]]:
    bare = not policy.needs_examples
    return {
        "accept": list(accept_rows(policy, tasks)),
        "accept_without_examples": list(accept_rows(policy, tasks, with_examples=False)) if bare else [],
        "select": list(select_rows(policy, tasks, seeds)),
        "select_without_examples": list(select_rows(policy, tasks, seeds, with_examples=False)) if bare else [],
        "with_examples": list(loop_rows(policy, tasks, seeds, with_examples=True)),
        "without_examples": list(loop_rows(policy, tasks, seeds, with_examples=False)),
    }


def lines_of(name: str, sections: Mapping[str, Sequence[Row]]) -> str:
    """Returns the decisions of SECTIONS for a file, one JSON object with the policy's name in each line. The report's
    two further sections are left out."""
    return "".join(json.dumps({"policy": name, **row}) + "\n" for section in SECTIONS for row in sections[section])
