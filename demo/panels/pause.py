"""The pause panel: what the person is asked, with everything needed to answer it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from demo.facts import sequence
from demo.markup import code_block, div, fold_away, icon, join, span, tag
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
    "ambiguous": (
        "The task can be read in several ways",
        "Tick the output you expect: it becomes a check. Without a tick the run goes on with its own assumption.",
    ),
}
_KNOWN = frozenset(
    {"plan", "examples", "code", "candidate", "failures", "call", "options", "task", "check"}
    | {"fault", "category", "confidence", "explanation", "repair_hint"}
)


def pause_panel(shot: Shot) -> Markup:
    if shot.pending is None:
        return Markup("")
    payload = shot.pending.payload
    title, hint = _TITLES.get(shot.pending.kind, ("Your answer is needed", ""))
    return tag(
        "section",
        tag("h3", icon("pause"), title),
        tag("p", hint, cls="hint") if hint else None,
        _plan(payload),
        _cause(payload),
        _program(shot.view, payload),
        tag("p", "What should ", tag("code", str(payload["call"])), " give?") if payload.get("call") else None,
        *(_other(name, value) for name, value in payload.items() if name not in _KNOWN),
        cls="card pause-card",
        aria_label="The run waits for your answer",
    )


def _plan(payload: Mapping[str, Any]) -> Markup | None:
    examples = [str(one) for one in sequence(payload.get("examples"))]
    promised = join((tag("h4", "Examples that the task promises"), code_block("\n".join(examples), "Examples")))
    plan = str(payload.get("plan") or "")
    return join((join((tag("h4", "Plan"), code_block(plan, "Plan"))) if plan else None, promised if examples else None))


def _cause(payload: Mapping[str, Any]) -> Markup | None:
    if not payload.get("explanation"):
        return None
    confidence = payload.get("confidence")
    kind = f"{payload.get('fault', 'unknown')} ({payload.get('category', 'other')}"
    sure = f", confidence {confidence:.0%}" if isinstance(confidence, int | float) else ""
    return div(
        "cause",
        tag("h4", "Diagnosis"),
        tag("p", span("dim", "At fault: "), f"{kind}{sure})"),
        tag("p", str(payload["explanation"])),
        tag("p", span("dim", "Repair: "), str(payload["repair_hint"])) if payload.get("repair_hint") else None,
    )


def _program(view: RunView, payload: Mapping[str, Any]) -> Markup | None:
    """What fails, and the program with its latest changes."""
    found = view.candidate(str(payload.get("candidate") or ""))
    code, failures = str(payload.get("code") or ""), _joined(payload.get("failures"))
    name = f"Program {payload['candidate']}" if payload.get("candidate") else "Program"
    changes = join((tag("h4", "Its changes"), diff_block(found.diff))) if found and found.diff else None
    return join(
        (
            join((tag("h4", "What fails"), code_block(failures, "What fails"))) if failures else None,
            changes,
            fold_away("pause-code", name, code_block(code, name)) if code else None,
        )
    )


def _joined(value: object) -> str:
    return value if isinstance(value, str) else "\n\n".join(str(one) for one in sequence(value))


def _other(name: str, value: object) -> Markup | None:
    if value in (None, "", [], {}):
        return None
    if isinstance(value, str):
        return tag("p", span("dim", f"{name.replace('_', ' ').capitalize()}: "), value)
    words = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return join((tag("h4", name.replace("_", " ").capitalize()), code_block(words, name)))


def options_to_tick(pending: Pending | None) -> list[str]:
    """The concrete outputs of an ambiguous task; [] for the other pauses."""
    return [str(one) for one in sequence(pending.payload.get("options"))] if pending else []
