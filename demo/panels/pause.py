"""The pause panel: what the person is asked, with everything needed to answer it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from demo.facts import mapping, sequence
from demo.markup import code_block, div, icon, join, span, tag
from demo.panels.code import diff_block
from demo.shot import Shot
from demo.view import RunView
from framework.engine import Pending

_TITLES = {
    "review_plan": ("Review before anything is written", "Approve it, say what should be different, or end the run."),
    "review_repair": (
        "Review before the repair",
        "The cause that was found is below. Approve the repair, steer it, or end the run.",
    ),
    "ambiguous": ("The task can be read in two ways", "Tick the output you expect. Your choice becomes a check."),
}
_KNOWN = frozenset({"plan", "diff", "diagnosis", "code", "input", "call", "outputs", "candidate"})


def pause_panel(shot: Shot) -> Markup:
    if shot.pending is None:
        return Markup("")
    view, payload = shot.view, shot.pending.payload
    title, hint = _TITLES.get(shot.pending.kind, ("Your answer is needed", ""))
    return tag(
        "section",
        tag("h3", icon("pause"), title),
        tag("p", hint, cls="hint") if hint else None,
        _known(view, payload),
        *(
            _other(name, value)
            for name, value in payload.items()
            if name not in _KNOWN and value not in (None, "", [], {})
        ),
        cls="card pause-card",
        aria_label="The run waits for your answer",
    )


def _known(view: RunView, payload: Mapping[str, Any]) -> Markup:
    cause = mapping(payload.get("diagnosis"))
    call = payload.get("call") or payload.get("input")
    return join(
        (
            join((tag("h4", "Plan"), code_block(str(payload["plan"]), "Plan"))) if payload.get("plan") else None,
            _diagnosis(cause) if cause else _other("diagnosis", payload.get("diagnosis")),
            join((tag("h4", "Changes so far"), diff_block(str(payload["diff"])))) if payload.get("diff") else None,
            join((tag("h4", "Program"), code_block(_code(view, payload), "Program"))) if _code(view, payload) else None,
            tag("p", "What should ", tag("code", str(call)), " give?") if call else None,
        )
    )


def _code(view: RunView, payload: Mapping[str, Any]) -> str:
    if payload.get("code"):
        return str(payload["code"])
    found = view.candidate(str(payload.get("candidate") or ""))
    return found.code if found else ""


def _diagnosis(cause: Mapping[str, Any]) -> Markup:
    confidence = cause.get("confidence")
    sure = f", confidence {confidence:.0%}" if isinstance(confidence, int | float) else ""
    return div(
        "cause",
        tag("h4", "Diagnosis"),
        tag(
            "p", span("dim", "At fault: "), f"{cause.get('fault', 'unknown')} ({cause.get('category', 'other')}{sure})"
        ),
        tag("p", str(cause.get("explanation") or "")),
        tag("p", span("dim", "Repair: "), str(cause["repair_hint"])) if cause.get("repair_hint") else None,
    )


def _other(name: str, value: object) -> Markup | None:
    if value in (None, "", [], {}):
        return None
    words = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return join((tag("h4", name.replace("_", " ").capitalize()), code_block(words, name)))


def outputs_to_tick(pending: Pending | None) -> list[str]:
    """The concrete outputs of an ambiguous task; [] for the other pauses."""
    if pending is None:
        return []
    return [str(one) for one in sequence(pending.payload.get("outputs"))]
