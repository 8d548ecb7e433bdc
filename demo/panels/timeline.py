"""The live timeline: headings for the boxes of the diagram, a line for each thing that happened in them."""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup

from demo.markup import code_block, div, hidden_text, icon, join, span, tag
from demo.steps import Step
from demo.view import RunView
from demo.words import duration, plural, role_words

_NOTHING = 0.01
"""Seconds; a box that took longer did something."""
_TONE_WORDS = {"busy": "in progress", "good": "good", "bad": "problem", "warn": "attention", "done": "done"}


def timeline_lines(view: RunView) -> Markup:
    """The list items; the list around them belongs to the page, so that the page can tell what was added."""
    if not view.steps:
        return tag("li", "Nothing has happened yet.", cls="line empty")
    after = (*view.steps[1:], None)
    lines = enumerate(zip(view.steps, after, strict=True))
    return join(_line(step, index) for index, (step, following) in lines if not _passed_through(step, following))


def _passed_through(step: Step, following: Step | None) -> bool:
    """A box that was entered and left with nothing to tell, such as a review that nobody asked for."""
    empty = following is not None and following.shape == "node"
    return step.shape == "node" and empty and step.seconds is not None and step.seconds < _NOTHING


@lru_cache(maxsize=4096)
def _line(step: Step, index: int) -> Markup:
    head = join(
        (
            span("line-title", step.title),
            hidden_text(f" ({_TONE_WORDS[step.tone]})") if step.tone in _TONE_WORDS else None,
            span("line-note", step.note) if step.note else None,
        )
    )
    side = duration(step.seconds) if step.seconds is not None else ""
    words = div("line-words", head, span("line-time", side) if side else None)
    if step.body:
        words = tag(
            "details",
            tag("summary", words),
            code_block(step.body, step.title),
            cls="line-more",
            data_key=f"line-{index}",
        )
    return tag(
        "li",
        span("line-sign", icon(step.shape if step.shape != "tests" else "tests")),
        words,
        cls=f"line shape-{step.shape} tone-{step.tone}",
    )


def live_text(view: RunView) -> Markup:
    """What the models are writing at this moment; not announced, it changes too fast to be read out."""
    if not view.streaming:
        return Markup("")
    return join(
        div(
            "writing",
            div("writing-head", span("spinner", aria_hidden="true"), f"{role_words(role)} is writing"),
            tag("pre", text[-1500:], cls="writing-text", aria_hidden="true"),
        )
        for role, text in view.streaming.items()
    )


def status_line(view: RunView, queued: int | None = None) -> Markup:
    """One line for screen readers and for a glance; changes only when the state of the run does."""
    words = {
        "new": "Ready.",
        "running": "Running.",
        "waiting": "Paused: your answer is needed.",
        "finished": "Finished.",
        "failed": "The run could not go on.",
        "stopped": "Stopped.",
    }
    line = words[view.phase] if queued is None else f"In line: {plural(queued, 'run')} before yours."
    return div(f"status status-{view.phase}", span("status-dot", aria_hidden="true"), line, role="status")
