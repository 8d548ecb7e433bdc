"""Counts figures over many runs, from what their own records say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import mean, median

from markupsafe import Markup

from agent.outcome.words import counted, duration, money, verdict_words
from demo.look.markup import figures, tag
from demo.view.summary import Summary

Columns = dict[str, list[object]]
"""The columns of a plot's table, by name."""


def insights_panel(rows: Sequence[Summary]) -> Markup:
    if not rows:
        words = "Nothing to count yet: run an example, then come back."
        return tag(
            "section", tag("h2", "No runs"), tag("p", words, cls="hint"), tag("a", "To the first page", href="./")
        )
    ended = [row for row in rows if row.verdict]
    broken = [row for row in ended if row.first_failed]
    healed = sum(row.healed for row in broken)
    costs = [row.cost_usd for row in rows]
    total = None if None in costs else sum(cost or 0.0 for cost in costs)
    tiles = [
        ("Runs", f"{len(rows)}, {'each' if len(ended) == len(rows) else len(ended)} with a verdict"),
        ("Verified", f"{sum(row.verdict == 'verified' for row in ended)} of {len(ended)}"),
        ("Healed", f"{healed} of {len(broken)} whose first program failed" if broken else "no first program failed"),
        ("Attempts a run", f"{mean(row.attempts for row in ended):.1f}" if ended else None),
        ("Median time", duration(median(row.seconds for row in ended)) if ended else None),
        ("Calls and tokens", f"{sum(row.calls for row in rows)}, {counted(sum(row.tokens for row in rows))}"),
        ("Cost of all", money(total)),
    ]
    return tag("section", figures(tiles), aria_label="Figures")


def verdict_counts(rows: Sequence[Summary]) -> Columns:
    found = Counter(verdict_words(row.verdict) for row in rows if row.verdict)
    return {"verdict": list(found), "runs": list(found.values())}


def failure_classes(rows: Sequence[Summary]) -> Columns:
    found = Counter(failure for row in rows for failure in row.failures)
    return {"failure": list(found), "times": list(found.values())}


def cost_by_model(rows: Sequence[Summary]) -> Columns:
    return _means(rows, "model", lambda row: row.model, "tokens", lambda row: row.tokens)


def seconds_by_kind(rows: Sequence[Summary]) -> Columns:
    return _means(rows, "kind", lambda row: row.kind, "seconds", lambda row: row.seconds)


def _means(
    rows: Sequence[Summary], key: str, of: Callable[[Summary], str], name: str, value: Callable[[Summary], float]
) -> Columns:
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.verdict and of(row):
            groups[of(row)].append(value(row))
    return {key: list(groups), name: [round(mean(group), 2) for group in groups.values()]}
