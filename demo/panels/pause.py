"""Shows a pause: what the person is asked, in words, with everything needed to answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from agent.outcome.words import sentence
from demo.look.highlight import diff_block, python_block
from demo.look.markup import code_block, div, fold_away, join, span, tag
from demo.view.facts import mapping, sequence
from demo.view.names import attempt_names, in_words
from demo.view.shot import Shot

_TITLES = {
    "review_plan": ("May it be written like this?", ""),
    "review_repair": ("May it be repaired like this?", ""),
    "ambiguous": (
        "Which answer do you expect?",
        "The task can be read in several ways. Your choice becomes a check; without one, the run reads it its own way.",
    ),
    "clarify": (
        "How is the task meant?",
        "Choose, or answer in your own words; confirmed without either, the run takes the first choice.",
    ),
    "missing_packages": (
        "Packages are missing",
        "They are installed from wheels, for this run alone, and the program gets no network; or end the run.",
    ),
    "missing_file": (
        "A file is missing",
        "Upload it or paste its content; or go on without it, or end the run.",
    ),
}
"""The heading and the hint for each kind of question."""
_KNOWN = frozenset(
    {"plan", "examples", "code", "candidate", "failures", "call", "options", "task", "check", "files", "meanings"}
    | {"fault", "category", "confidence", "explanation", "repair_hint", "proposals", "diff", "strategy", "note"}
    | {"question", "by", "packages"}
)
"""The fields of a question that have a place of their own; others are shown by name."""


def pause_panel(shot: Shot) -> Markup:
    if shot.pending is None:
        return Markup("")
    payload = shot.pending.payload
    title, hint = _TITLES.get(shot.pending.kind, ("Your answer is needed", ""))
    return tag(
        "section",
        tag("h2", title),
        tag("p", hint, cls="hint") if hint else None,
        tag("p", str(payload["question"])) if payload.get("question") else None,
        _plan(payload),
        _cause(shot, payload),
        _program(payload),
        tag("p", "What should ", tag("code", str(payload["call"])), " give?") if payload.get("call") else None,
        *(_other(name, value) for name, value in payload.items() if name not in _KNOWN),
        cls="pause-card",
        data_question=shot.pending.id,
        aria_label="The run waits for an answer",
    )


def _plan(payload: Mapping[str, Any]) -> Markup | None:
    examples = [str(one) for one in sequence(payload.get("examples"))]
    promised = join((tag("h3", "These examples of the task will decide"), code_block("\n".join(examples), "Examples")))
    plan = str(payload.get("plan") or "")
    return join((join((tag("h3", "Plan"), code_block(plan, "Plan"))) if plan else None, promised if examples else None))


def _cause(shot: Shot, payload: Mapping[str, Any]) -> Markup | None:
    if not payload.get("explanation"):
        return None
    names = attempt_names(shot.view)
    # The change itself says it better.
    hint = None if payload.get("diff") or payload.get("proposals") else payload.get("repair_hint")
    return div(
        "cause",
        tag("p", span("dim", "Cause: "), in_words(names, sentence(str(payload["explanation"])))),
        tag("p", span("dim", "Proposed: "), in_words(names, sentence(str(hint)))) if hint else None,
    )


def _program(payload: Mapping[str, Any]) -> Markup | None:
    """Returns each proposed change and what fails. The program itself is shown only if no change is."""
    proposals = [mapping(one) for one in sequence(payload.get("proposals"))] or [payload]
    changes = [_proposal(one, named=len(proposals) > 1) for one in proposals if one.get("diff")]
    code, failures = str(payload.get("code") or ""), _joined(payload.get("failures"))
    return join(
        (
            *changes,
            fold_away("pause-fails", "What fails", code_block(failures, "What fails")) if failures else None,
            fold_away("pause-code", "The program", python_block(code, "The program")) if code and not changes else None,
        )
    )


def _proposal(proposal: Mapping[str, Any], *, named: bool) -> Markup:
    note = str(proposal.get("note") or "")
    head = tag("b", "The proposed change" + (f" ({proposal.get('strategy')})" if named else ""))
    return join((tag("h3", head, span("dim", f": {note}") if note else None), diff_block(str(proposal["diff"]))))


def _joined(value: object) -> str:
    return value if isinstance(value, str) else "\n\n".join(str(one) for one in sequence(value))


def _other(name: str, value: object) -> Markup | None:
    if value in (None, "", [], {}):
        return None
    if isinstance(value, str):
        return tag("p", span("dim", f"{name.replace('_', ' ').capitalize()}: "), value)
    words = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return join((tag("h3", name.replace("_", " ").capitalize()), code_block(words, name)))
