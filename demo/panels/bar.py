"""Writes the bar over a run: its task, who works on it, what it has cost, and what can be done with it."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

from agent.outcome.report import usage_of
from agent.outcome.words import SCRIPTED, SCRIPTED_LONG, counted, duration, money, plural, who_answers
from demo.look.markup import button, div, hidden_text, icon, join, span, tag
from demo.view.fold import RunView
from demo.view.shot import Shot


def title_panel(shot: Shot) -> Markup:
    """Returns the title: the first line of the task, which opens to the whole text."""
    task = shot.view.started.task.strip() if shot.view.started else shot.title.strip()
    first, _, rest = task.partition("\n")
    back = button("clear", "back", "New")
    heading = tag("h1", first.replace("`", "") or "Your run", cls="task-title")
    if not rest.strip():
        return div("bar-title", back, heading, data_run=shot.ref, data_wish=shot.wish)
    whole = tag("pre", task, cls="task-text", tabindex="0", role="region", aria_label="The whole task")
    more = tag("details", tag("summary", heading), whole, cls="task", data_key="task")
    return div("bar-title", back, more, data_run=shot.ref, data_wish=shot.wish)


def meters_panel(view: RunView) -> Markup:
    """Returns one line that grows with the run: model, time, calls, tokens, cost."""
    if view.started is None:
        return Markup("")
    usage = usage_of(view.calls)
    live = view.lifecycle == "running"
    seconds = view.timeline[-1].at if view.timeline else 0.0
    time = span("meter", duration(seconds), data_clock=f"{seconds:.1f}" if live else None, title="Time so far")
    spent = span("meter", money(usage.cost_usd), title="Cost of the model's replies") if usage.calls else None
    calls = span("meter calls", plural(usage.calls, "call"), title="Model calls")
    tokens = span("meter wide", f"{counted(usage.tokens)} tokens", title="In and out")
    return div("meters", model_chip(view), time, calls, tokens if usage.calls else None, spent)


def model_chip(view: RunView) -> Markup | None:
    """Returns the chip that says who writes the programs; None before the run has started."""
    if view.started is None:
        return None
    if view.scripted:
        return span("chip model scripted", span("dot", aria_hidden="true"), SCRIPTED, title=SCRIPTED_LONG)
    words = who_answers(view.started.provider, view.started.model)
    return span("chip model", span("dot", aria_hidden="true"), words, title="Who writes the programs of this run")


def actions_panel(shot: Shot) -> Markup:
    """Returns the buttons for what this person may do with this run now."""
    if not shot.run_id:
        return Markup("")
    run = quote(shot.link_ref, safe="")
    ended = shot.status in ("done", "stopped") or bool(shot.view.error)
    # A run that is listed but never began can be started, too.
    continuable = shot.mine and shot.status in ("stopped", "new")
    download = tag(
        "a", icon("down"), span("label", "Download"), href=f"runs/{run}/bundle.zip", download=True, cls="quiet"
    )
    return div(
        "actions",
        _button("stop", "stop", "Stop", cls="quiet danger") if shot.busy and shot.mine else None,
        _button("apply", "run", "Continue", cls="quiet strong") if continuable else None,
        _button("retry", "again", "Run again") if ended else None,
        _button("edit", "edit", "Edit task") if ended else None,
        _button("play", "start", "Replay", cls="quiet minor") if ended else None,
        _button("expand", "compare", "Compare", cls="quiet minor") if ended and shot.view.candidates else None,
        button(None, "link", "Copy link", cls="quiet minor", data_copy_link=f"?run={run}"),
        download if shot.view.conclusion is not None else None,
        hidden_text("" if shot.mine else "This run belongs to somebody else; you are looking on."),
    )


def _button(event: str, sign: str, words: str, *, cls: str = "quiet") -> Markup:
    return button(event, sign, words, cls=cls, title=words)


def status_line(view: RunView, queued: int | None = None) -> Markup:
    """Returns one line for screen readers. It changes only when the state of the run does."""
    words = {
        "new": "Ready.",
        "running": "Running.",
        "waiting": "Paused: your answer is needed.",
        "finished": "The run has ended.",
        "failed": "The run could not go on.",
        "stopped": "Stopped.",
    }
    line = words[view.lifecycle] if queued is None else f"In line: {plural(queued, 'run')} before yours."
    return join((div(f"status status-{view.lifecycle}", line, role="status"),))
