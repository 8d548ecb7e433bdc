"""Writes a run as one page that needs nothing else: every panel is drawn, and the timeline plays again line by line."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from markupsafe import Markup

from agent.events import AgentEvent
from agent.outcome.words import SCRIPTED_LONG
from framework.engine import Envelope

from .look.assets import PANELS, TOKENS
from .look.markup import div, join, span, tag
from .panels.bar import meters_panel
from .panels.folds import folds_panel
from .panels.matrix import proof_panel
from .panels.program import program_panel
from .panels.strip import verdict_strip
from .panels.timeline import timeline_lines
from .view.fold import view_of
from .view.shot import Shot

_PAGE_CSS = """
body { margin: 0 auto; max-width: 1000px; padding: 24px 16px; background: var(--sunken); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.6rem; } .sha .timeline { max-height: none; }
li.later { display: none; } button { font: inherit; padding: 0.3rem 0.9rem; }
"""
# This plays the timeline: each line appears after the pause that the run took there, but after at most one second.
_PLAY = """
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.body.classList.toggle('dark', dark.matches);
paint(); dark.addEventListener('change', paint);
const lines = [...document.querySelectorAll('.timeline .line')];
const moments = JSON.parse(document.body.dataset.moments);
let playing = 0;
document.querySelector('#play').addEventListener('click', async () => {
  const mine = ++playing;
  lines.forEach(line => line.classList.add('later'));
  for (let at = 0; at < lines.length && mine === playing; at++) {
    const pause = at ? Math.min(1000, 1000 * (moments[at] - moments[at - 1])) : 0;
    await new Promise(done => setTimeout(done, pause));
    lines[at].classList.remove('later');
  }
});
"""


def replay_page(envelopes: Sequence[Envelope[AgentEvent]], pictures: Sequence[tuple[str, str, bytes]] = ()) -> str:
    """Returns the page as HTML. `pictures` are (name, MIME type, bytes) of images that the program made."""
    view = view_of(envelopes)
    task = view.started.task if view.started else ""
    shot = Shot("", view, "done")
    parts = [
        tag("h1", "Replay of a run"),
        tag("p", SCRIPTED_LONG) if view.scripted else None,
        tag("pre", task, cls="listing"),
        meters_panel(view),
        verdict_strip(shot),
        program_panel(shot),
        proof_panel(view),
        tag("h2", "Timeline ", tag("button", "Play again", id="play", type="button")),
        tag("ol", timeline_lines(view), cls="timeline"),
        folds_panel(view),
        _part("Pictures", *(_picture(*one) for one in pictures)) if pictures else None,
    ]
    moments = "[" + ",".join(f"{entry.at:.3f}" for entry in view.timeline) + "]"
    return str(_page(div("sha", *parts), moments))


def _page(body: Markup, moments: str) -> Markup:
    # The policy lets nothing in from elsewhere, whatever the texts of the run contain.
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    head = join(
        (
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("title", "Replay of a run"),
            tag("style", Markup(TOKENS + PANELS + _PAGE_CSS)),
        )
    )
    script = tag("script", Markup(_PLAY))
    return Markup("<!doctype html>") + tag(
        "html", tag("head", head), tag("body", body, script, data_moments=moments), lang="en"
    )


def _part(title: str, *children: object) -> Markup:
    return join((tag("h2", title), *children))


def _picture(name: str, mime: str, data: bytes) -> Markup:
    source = f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"
    return tag(
        "figure", tag("img", src=source, alt=f"Picture {name}"), tag("figcaption", span("dim", name)), cls="file"
    )
