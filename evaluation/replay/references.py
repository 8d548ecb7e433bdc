"""Holds reference policies: what predecessors do, and the best simple rules. The product is compared with them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.trust import Grounds

from .data import StoredProgram, View

Pool = Sequence[StoredProgram]
MAX_ATTEMPTS = 5
"""The most programs that a loop may use."""


@dataclass(frozen=True)
class LoopEnd:
    """The program that a loop returns, whether its gate opened, the attempts it used, and its verdict if it gives
    one."""

    chosen: StoredProgram
    accepted: bool
    attempts: int
    verdict: str | None = None
    grounds: Grounds | None = None
    """The grounds of the verdict, if there is one."""


Accept = Callable[[View, Pool], list[StoredProgram]]
Select = Callable[[View, Pool], StoredProgram]
Loop = Callable[[View, Pool], LoopEnd]


@dataclass(frozen=True)
class Policy:
    """A policy in up to three forms: which programs it accepts, which one it selects, and how it drives a loop. None
    means that it has no such form."""

    accept: Accept | None = None
    select: Select | None = None
    loop: Loop | None = None
    needs_examples: bool = False
    """Whether nothing is left of the policy without examples."""


def anchored(pool: Pool, examples: Sequence[int]) -> list[StoredProgram]:
    """Returns the programs that pass the examples; all programs if none does."""
    return [p for p in pool if p.all(examples)] or list(pool)


def voted(view: View) -> list[int]:
    """Returns the tests that at least two suites state."""
    return [t for t in view.tests if view.votes(t) >= 2]


def agreement_group(pool: Pool, tests: Sequence[int]) -> list[StoredProgram]:
    """CodeT: returns the group of programs with one pass pattern that has the highest sqrt(size) x tests passed."""
    groups: dict[tuple[int, ...], list[StoredProgram]] = defaultdict(list)
    for program in pool:
        groups[tuple(t for t in tests if t in program.passed)].append(program)
    return max(groups.items(), key=lambda item: (math.sqrt(len(item[1])) * len(item[0]), len(item[1])))[1]


def output_cluster(view: View, pool: Pool) -> list[StoredProgram]:
    """Returns the group of programs with equal outputs on test and mutated inputs that has the highest sqrt(size) x
    (0.5 + tests passed)."""
    groups: dict[tuple[str, ...], list[StoredProgram]] = defaultdict(list)
    for program in pool:
        groups[tuple((program.outputs or ())[k] for k in view.probes)].append(program)
    return max(groups.values(), key=lambda group: math.sqrt(len(group)) * (0.5 + group[0].count(view.tests)))


def agreed(view: View, pool: Pool) -> StoredProgram:
    """Returns the program with the highest sqrt(summed output agreement with the pool) x (0.5 + tests passed)."""
    calls = view.probes

    def same(a: StoredProgram, b: StoredProgram) -> float:
        one, two = a.outputs or (), b.outputs or ()
        return sum(one[k] == two[k] not in ("E", "T", "X") for k in calls) / max(1, len(calls))

    return max(pool, key=lambda p: math.sqrt(sum(same(p, x) for x in pool)) * (0.5 + p.count(view.tests)))


def most_fail(pool: Pool, tests: Sequence[int]) -> set[int]:
    return {t for t in tests if sum(t not in p.passed for p in pool) > len(pool) / 2}


def all_fail(pool: Pool, tests: Sequence[int]) -> set[int]:
    return {t for t in tests if not any(t in p.passed for p in pool)}


def best_by(pool: Pool, tests: Sequence[int] | set[int]) -> StoredProgram:
    return max(pool, key=lambda p: p.count(tests))  # the earliest on ties


def _passing(view: View, pool: Pool) -> list[StoredProgram]:
    return [p for p in pool if p.all(view.examples)]


def _accept_unless_most_fail(view: View, pool: Pool) -> list[StoredProgram]:
    kept = set(view.tests) - most_fail(pool, view.tests)
    return [p for p in _passing(view, pool) if p.all(kept)]


def _accept_voted(view: View, pool: Pool) -> list[StoredProgram]:
    trusted = voted(view)
    return [p for p in _passing(view, pool) if p.all(trusted)]


def _accept_group(view: View, pool: Pool) -> list[StoredProgram]:
    passing = _passing(view, pool)
    return agreement_group(passing, view.tests) if passing else []


def _accept_cluster(view: View, pool: Pool) -> list[StoredProgram]:
    passing = _passing(view, pool)
    return output_cluster(view, passing) if passing else []


def _select_unless_most_fail(view: View, pool: Pool) -> StoredProgram:
    good = anchored(pool, view.examples)
    return best_by(good, set(view.tests) - most_fail(good, view.tests))


def _select_voted(view: View, pool: Pool) -> StoredProgram:
    good = anchored(pool, view.examples)
    trusted = voted(view)
    return best_by([p for p in good if p.all(trusted)] or good, view.tests)


Opens = Callable[[View, Pool], bool]
"""Returns whether the last of the programs seen so far ends the loop."""
Fallback = Callable[[View, Pool], StoredProgram]


def _loop(gate: Opens, fallback: Fallback) -> Loop:
    def play(view: View, attempts: Pool) -> LoopEnd:
        seen: list[StoredProgram] = []
        for program in attempts[:MAX_ATTEMPTS]:
            seen.append(program)
            if gate(view, seen):
                return LoopEnd(program, True, len(seen))
        return LoopEnd(fallback(view, seen), False, len(seen))

    return play


def _gate_all(view: View, seen: Pool) -> bool:
    return seen[-1].all(view.tests)


def _gate_examples(view: View, seen: Pool) -> bool:
    return seen[-1].all(view.examples)


def _gate_votes(view: View, seen: Pool) -> bool:
    return seen[-1].all(view.examples) and seen[-1].all(voted(view))


def _gate_votes_stated(view: View, seen: Pool) -> bool:
    """Stays closed if there is neither an example nor a voted test."""
    return bool(view.examples or voted(view)) and _gate_votes(view, seen)


def _gate_dropping(drop: Callable[[Pool, Sequence[int]], set[int]]) -> Opens:
    def opens(view: View, seen: Pool) -> bool:
        if not seen[-1].all(view.examples):
            return False
        good = [p for p in seen if p.all(view.examples)]
        dropped = drop(good, view.tests) - set(view.examples) if len(good) > 1 else set[int]()
        return seen[-1].all(set(view.tests) - dropped)

    return opens


def _best_seen(view: View, seen: Pool) -> StoredProgram:
    return best_by(seen, view.tests)


def _best_anchored(view: View, seen: Pool) -> StoredProgram:
    good = anchored(seen, view.examples)
    return best_by(good, set(view.tests) - all_fail(good, view.tests))


def _best_voted(view: View, seen: Pool) -> StoredProgram:
    return _best_anchored(view, seen) if view.examples else _best_seen(view, seen)


def _best_agreed(view: View, seen: Pool) -> StoredProgram:
    return agreed(view, anchored(seen, view.examples))


REFERENCES: dict[str, Policy] = {
    "naive_all_pass_last": Policy(
        accept=lambda view, pool: [p for p in pool if p.all(view.tests)],
        select=lambda view, pool: next((p for p in pool if p.all(view.tests)), pool[0]),
        loop=_loop(_gate_all, lambda _view, seen: seen[-1]),
    ),
    "best_so_far": Policy(select=_best_seen, loop=_loop(_gate_all, _best_seen)),
    "codet": Policy(
        accept=lambda view, pool: agreement_group(pool, view.tests),
        select=lambda view, pool: agreement_group(pool, view.tests)[0],
    ),
    "examples_gate": Policy(
        accept=_passing,
        select=lambda view, pool: anchored(pool, view.examples)[0],
        loop=_loop(_gate_examples, _best_anchored),
        needs_examples=True,
    ),
    "examples_codet": Policy(
        accept=_accept_group, select=lambda view, pool: agreement_group(anchored(pool, view.examples), view.tests)[0]
    ),
    "examples_drop_most": Policy(
        accept=_accept_unless_most_fail,
        select=_select_unless_most_fail,
        loop=_loop(_gate_dropping(most_fail), _best_anchored),
    ),
    "examples_drop_all": Policy(loop=_loop(_gate_dropping(all_fail), _best_anchored)),
    "examples_sqrt_cluster": Policy(
        accept=_accept_cluster, select=lambda view, pool: output_cluster(view, anchored(pool, view.examples))[0]
    ),
    "examples_vote2": Policy(accept=_accept_voted, select=_select_voted, loop=_loop(_gate_votes, _best_voted)),
    "votes_then_agreement": Policy(select=_best_agreed, loop=_loop(_gate_votes_stated, _best_agreed)),
}
