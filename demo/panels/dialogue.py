"""Shows what only the owner of a run may see and do: read each role's prompts and replies, and take links back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from agent.events.transcript import NOTHING, as_text
from agent.outcome.narrate import TimelineEntry
from agent.outcome.words import role_words
from demo.look.markup import button, div, span
from demo.view.fold import RunView
from demo.view.shot import Shot


def links_panel(shot: Shot) -> Markup:
    if not shot.mine or not shot.run_id:
        return Markup("")
    words = span("dim", "Whoever has a link to this run may look at it, and cannot steer it.")
    return div("own", words, button("clear", "unlink", "Take links back", cls="quiet strong"))


def with_dialogue(view: RunView, rows: Sequence[Mapping[str, Any]]) -> RunView:
    """Returns the view with prompts and replies in its call lines, in the words of `python -m agent show`. Calls that
    were not paid have no line of their own and stand at the end."""
    left = dict(enumerate(rows, 1))
    calls = iter(view.calls)
    entries: list[TimelineEntry] = []
    for entry in view.timeline:
        call = next(calls, None) if entry.shape == "call" else None
        mine = (call.role, call.question, call.prompt) if call else None
        number = next((key for key, row in left.items() if (row["role"], row["question"], row["prompt"]) == mine), 0)
        entries.append(replace(entry, body=_words(number, left.pop(number))) if number else entry)
    entries += [
        TimelineEntry("call", f"{role_words(row['role'])} was asked", body=_words(at, row)) for at, row in left.items()
    ]
    return replace(view, timeline=tuple(entries) if rows else (*view.timeline, TimelineEntry("text", NOTHING)))


def _words(number: int, row: Mapping[str, Any]) -> str:
    return as_text(number, row).partition("\n")[2]
