"""Shows the results of benchmarks: every percentage beside its 95 % interval, and what in a benchmark is simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from agent.outcome.words import plural, verdict_words
from demo.look.markup import div, table, table_row, tag

_RATES = (
    ("first_correct", "First program right"),
    ("final_correct", "Returned program right"),
    ("healed_of_wrong", "Wrong first programs healed"),
    ("broken_of_right", "Right first programs broken"),
    ("wrong_among_accepted", "Wrong among the accepted"),
)


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """One benchmark: its title, and its figures under the names of `evaluation.metrics`."""

    title: str
    repair: bool
    figures: Mapping[str, Any]
    simulated: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class BenchmarkProgress:
    """How far the benchmark is that the page started."""

    running: bool = False
    done: int = 0
    total: int = 0
    lines: tuple[str, ...] = field(default=())
    error: str = ""


def benchmarks_panel(rows: Sequence[BenchmarkResult]) -> Markup:
    return tag("section", tag("h2", "Results"), *(_result(row) for row in rows), cls="folds")


def _result(row: BenchmarkResult) -> Markup:
    told = row.figures
    rates = [_row(words, told[name], told[f"{name}_ci"]) for name, words in _RATES]
    verdicts = [
        _row(f"Right where it said {verdict_words(word)}", one["right"], one["right_ci"], one["trials"])
        for word, one in told["verdicts"].items()
    ]
    mode = "with repair" if row.repair else "first program only"
    size = f"{told['problems']} problems, {plural(told['trials'], 'trial')}, {mode}"
    note = tag("p", "Simulated: " + "; ".join(row.simulated) + ".", cls="hint") if row.simulated else None
    shown = table(row.title, ("Figure", "Percent", "95 % interval", "Trials"), filter(None, (*rates, *verdicts)))
    return tag("section", tag("h3", row.title), tag("p", size, cls="hint"), shown, note, cls="fold fold-body")


def _row(
    words: str, percent: float | None, interval: Sequence[float] | None, trials: int | None = None
) -> Markup | None:
    if percent is None:
        return None
    between = f"{interval[0]:.1f} to {interval[1]:.1f}" if interval else "not known"
    return table_row(words, f"{percent:.1f}", between, trials)


def progress_panel(state: BenchmarkProgress) -> Markup:
    if state.error:
        return tag("p", state.error, role="alert", cls="key-told")
    if not state.total:
        return tag("p", "None is running.", cls="hint")
    word = "Running" if state.running else "Ended"
    bar = tag("progress", value=state.done, max=state.total, aria_label="Trials done")
    lines = (tag("li", line) for line in state.lines[-8:])
    return div(
        "bench", tag("p", f"{word}: {state.done} of {state.total} trials ", bar, role="status"), tag("ul", *lines)
    )
