"""Lists the runs of this browser, newest first.

Each row tells verdict, task, age, model and cost, and opens or is deleted with one click.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from markupsafe import Markup

from agent.outcome.words import SCRIPTED, money, verdict_words
from demo.look.markup import button, div, join, span, tag
from demo.view.summary import Summary

from .strip import VERDICT_LOOKS

_STATES = {"queued": "Queued", "running": "Running", "waiting": "Waits for you"}
_BROKEN_OFF = {"new": "not begun", "stopped": "stopped"}
_AGES = ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute"))


def history_panel(rows: Sequence[Summary], now: float, *, more: bool = False, searched: bool = False) -> Markup:
    """Returns the list. `now` is Unix time, `more` says that there are older runs, and `searched` that a search chose
    the rows."""
    if not rows:
        empty = "No run fits." if searched else "Your runs will be listed here. They belong to this browser alone."
        return div("history-empty", tag("p", empty, cls="hint"))
    older = button("expand", "", "Older runs", cls="quiet strong") if more else None
    return join((tag("ul", *(_row(row, now) for row in rows), cls="history"), older))


def history_head() -> Markup:
    return div("panel-head", tag("h2", "History"), button(None, "", "Close", data_drawer="close"))


def state_words(row: Summary) -> str:
    if not row.verdict:
        return _STATES[row.status]
    words, ended = verdict_words(row.verdict), "could not run" if row.error else _BROKEN_OFF.get(row.status)
    return f"{words} ({ended})" if ended else words


def _row(row: Summary, now: float) -> Markup:
    run = quote(row.run_id, safe="")
    model = SCRIPTED if row.scripted else row.model
    cost = money(row.cost_usd) if row.calls and not row.scripted else ""
    told = " · ".join(filter(None, (state_words(row), age(now - row.created), model, cost)))
    undecided = "busy" if row.status in ("queued", "running") else "plain"
    tone, _ = VERDICT_LOOKS.get(row.verdict, (undecided, ""))
    first = row.title.replace("`", "") or "(no title)"
    return tag(
        "li",
        span(f"dot tone-{tone}", aria_hidden="true"),
        div(
            "history-words",
            tag("a", first, href=f"?run={run}", data_do="select", data_name=row.run_id),
            span("dim", told),
        ),
        delete_button(row.run_id, f"Delete: {first}", "Delete this run"),
    )


def delete_button(run_id: str, words: str, title: str) -> Markup:
    return button("delete", "trash", data_name=run_id, title=title, aria_label=words)


def age(seconds: float) -> str:
    """Returns how long ago something was, in the largest whole unit."""
    for length, unit in _AGES:
        count = int(seconds // length)
        if count:
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
