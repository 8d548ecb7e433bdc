"""Shows what the runs of this browser remember.

Each lesson stands with its task, to be forgotten one by one or all together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from agent.outcome.words import verdict_words
from demo.look.markup import button, div, join, span, tag

from .history import age, delete_button


def memory_head() -> Markup:
    words = (
        "Runs that are asked to (“Remember lessons”) keep what their repairs taught, without keys, and tell it as a "
        "hint to your later runs on similar tasks. It counts for no verdict, is yours alone, and goes with its run."
    )
    return tag("section", tag("h2", "What your runs remember"), tag("p", words, cls="hint"))


def memory_panel(rows: Sequence[Mapping[str, Any]], now: float, *, searched: bool = False) -> Markup:
    """Returns the list of lessons. `now` is Unix time; `searched` says that a search chose the rows."""
    if not rows:
        return tag("p", f"Nothing is remembered {'with these words' if searched else 'yet'}.", cls="hint")
    buttons = (
        button("download", "", "Download", cls="quiet strong"),
        button("clear", "", "Forget all", cls="quiet strong"),
    )
    return join((tag("ul", *(_row(row, now) for row in rows), cls="history"), *buttons))


def _row(row: Mapping[str, Any], now: float) -> Markup:
    task = " ".join(str(row["task"]).split())[:120]
    told = f"{verdict_words(row['verdict'])} · {age(now - row['created'])}"
    run = str(row["run_id"])
    return tag(
        "li",
        div(
            "history-words",
            tag("a", task, href=f"./?run={quote(run, safe='')}"),
            span("dim", told),
            *(tag("p", lesson) for lesson in row["lessons"]),
        ),
        delete_button(run, f"Forget: {task}", "Forget what this run learned"),
    )
