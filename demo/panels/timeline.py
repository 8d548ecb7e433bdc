"""Writes the timeline as nested lists.

Phases hold boxes of the diagram, and these hold calls, tools, programs and executions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from markupsafe import Markup

from agent.outcome.boxes import box_named
from agent.outcome.narrate import TimelineEntry
from agent.outcome.words import duration, plural
from demo.look.markup import button, code_block, div, hidden_text, icon, join, span, tag
from demo.view.fold import RunView
from demo.view.names import all_names, in_words

_NOTHING = 0.01
"""Seconds. A box that took longer did something."""
_NUMBER = re.compile(r"\d+")
_TONE_WORDS = {"busy": "in progress", "good": "good", "bad": "problem", "warn": "attention", "done": "done"}


@dataclass(slots=True)
class _Visit:
    """A box of the diagram that was entered, with its lines. If `head` is None, the lines belong to the run as a
    whole."""

    head: TimelineEntry | None
    number: int
    lines: list[TimelineEntry] = field(default_factory=list[TimelineEntry])


def timeline_panel(view: RunView, *, ask: bool = False) -> Markup:
    """Returns the timeline. With `ask` it offers to show what each role was told; only the owner may, because a prompt
    may hold what their other runs learned."""
    entries = sum(not entry.node for entry in view.timeline)
    seconds = duration(view.timeline[-1].at) if view.timeline else ""
    count = " · ".join(filter(None, (plural(entries, "step"), seconds)))
    head = tag("summary", tag("h2", "Timeline"), span("dim", count if view.timeline else "nothing has happened yet"))
    words = "Show what each role was told and answered"
    dialogue = button("expand", "call", words, cls="quiet strong")
    body = div("log", tag("ol", *_phases(view), cls="timeline"), role="log", aria_label="Timeline of the run")
    return tag("details", head, div("own", dialogue) if ask else None, body, cls="fold", data_key="timeline")


def timeline_lines(view: RunView) -> Markup:
    """Returns every phase as a list item, for the pages that have a list of their own."""
    return join(_phases(view))


def _phases(view: RunView) -> list[Markup]:
    names = all_names(view)
    groups: list[tuple[str, list[_Visit]]] = []
    # The start is told while the first box is already at work, but stands before it.
    boxes = sorted(_boxes(view.timeline), key=lambda box: not (box.head is None and box.lines[0].shape == "start"))
    for box in boxes:
        phase = box_named(box.head.node).phase if box.head else ""
        if not groups or groups[-1][0] != phase or not phase:
            groups.append((phase, []))
        groups[-1][1].append(box)
    return [_phase(phase, boxes, names) for phase, boxes in groups]


def _boxes(entries: Sequence[TimelineEntry]) -> list[_Visit]:
    found: list[_Visit] = []
    for number, entry in enumerate(entries):
        if entry.node:
            found.append(_Visit(entry, number))
            continue
        home = next((box for box in reversed(found) if box.head and box.head.node == entry.within), None)
        if entry.within and home:
            home.lines[:] = [line for line in home.lines if not _brings_up_to_date(entry, line)]
            home.lines.append(entry)
        else:
            found.append(_Visit(None, number, [entry]))
    return [box for box in found if not _passed_through(box)]


def _brings_up_to_date(later: TimelineEntry, earlier: TimelineEntry) -> bool:
    """Returns whether two notes differ in figures alone, as those that tell how long a model has been waited for."""
    return later.shape == earlier.shape == "text" and _NUMBER.sub("", later.title) == _NUMBER.sub("", earlier.title)


def _passed_through(box: _Visit) -> bool:
    """Returns whether the box was entered and left with nothing to tell, such as a review that nobody asked for."""
    head = box.head
    return head is not None and not box.lines and head.seconds is not None and head.seconds < _NOTHING


def _phase(phase: str, boxes: list[_Visit], names: Mapping[str, str]) -> Markup:
    if not phase:
        return join(_line(entry, names) for box in boxes for entry in box.lines)
    seconds = sum(box.head.seconds or 0.0 for box in boxes if box.head)
    nested = tag("ol", *(_box(box, names) for box in boxes), cls="boxes")
    return tag(
        "li", div("phase-head", span("phase-name", phase), span("line-time", duration(seconds))), nested, cls="phase"
    )


def _box(box: _Visit, names: Mapping[str, str]) -> Markup:
    if box.head is None:
        return join(_line(entry, names) for entry in box.lines)
    inner = tag("ol", *(_line(entry, names) for entry in box.lines), cls="lines") if box.lines else None
    return tag("li", _words(box.head, names), inner, cls=f"line shape-node tone-{box.head.tone}")


def _line(entry: TimelineEntry, names: Mapping[str, str]) -> Markup:
    return tag("li", _words(entry, names), cls=f"line shape-{entry.shape} tone-{entry.tone}")


def _words(entry: TimelineEntry, names: Mapping[str, str]) -> Markup:
    return _drawn(entry, in_words(names, entry.title), in_words(names, entry.note))


@lru_cache(maxsize=4096)
def _drawn(entry: TimelineEntry, title: str, note: str) -> Markup:
    head = join(
        (
            span("line-sign", icon(entry.shape)),
            span("line-title", title),
            hidden_text(f" ({_TONE_WORDS[entry.tone]})") if entry.tone in _TONE_WORDS else None,
            span("line-note", note) if note else None,
            span("line-time", duration(entry.seconds)) if entry.seconds is not None else None,
        )
    )
    if not entry.body:
        return div("line-words", head)
    return tag(
        "details",
        tag("summary", head, cls="line-words"),
        code_block(entry.body, title),
        cls="line-more",
        data_key=f"line-{entry.at:.3f}-{entry.shape}-{title}",
    )
