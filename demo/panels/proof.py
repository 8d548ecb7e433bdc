"""Proof: the story of the healing, and every check by attempt."""

from __future__ import annotations

from markupsafe import Markup

from demo.look.markup import div, span, tag
from demo.view.fold import RunView

from .matrix import matrix
from .story import story_panel


def proof_panel(view: RunView) -> Markup:
    return tag(
        "section",
        div("panel-head", tag("h2", "Proof"), span("dim", "click a line to see more") if view.executions else None),
        div("proof-body", story_panel(view), matrix(view)),
        cls="proof",
        aria_label="Proof",
    )
