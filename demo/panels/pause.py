"""Shows a pause: what the person is asked, in words, with everything needed to answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from markupsafe import Markup

from agent.outcome.words import sentence
from agent.state.questions import Payload, Proposal, QuestionKind
from demo.look.highlight import diff_block
from demo.look.markup import code_block, div, fold_away, join, span, tag
from demo.view.names import attempt_names, in_words
from demo.view.shot import Shot

_TITLES: Mapping[QuestionKind, tuple[str, str]] = {
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


def pause_panel(shot: Shot) -> Markup:
    if shot.pending is None:
        return Markup("")
    payload = cast(Payload, shot.pending.payload)
    title, hint = _TITLES[cast(QuestionKind, shot.pending.kind)]
    return tag(
        "section",
        tag("h2", title),
        tag("p", hint, cls="hint") if hint else None,
        tag("p", asked) if (asked := payload.get("question")) else None,
        _plan(payload),
        _cause(shot, payload),
        _program(payload),
        tag("p", "What should ", tag("code", call), " give?") if (call := payload.get("call")) else None,
        tag("p", span("dim", "Reason: "), reason) if (reason := payload.get("reason")) else None,
        cls="pause-card",
        data_question=shot.pending.id,
        aria_label="The run waits for an answer",
    )


def _plan(payload: Payload) -> Markup | None:
    examples, plan = payload.get("examples", []), payload.get("plan")
    promised = join((tag("h3", "These examples of the task will decide"), code_block("\n".join(examples), "Examples")))
    return join((join((tag("h3", "Plan"), code_block(plan, "Plan"))) if plan else None, promised if examples else None))


def _cause(shot: Shot, payload: Payload) -> Markup | None:
    """Returns the cause of the failure. What the repair does about it is said better by the change itself."""
    cause = in_words(attempt_names(shot.view), sentence(payload.get("explanation", "")))
    return div("cause", tag("p", span("dim", "Cause: "), cause)) if cause else None


def _program(payload: Payload) -> Markup | None:
    """Returns each proposed change and what fails."""
    proposals, failures = payload.get("proposals", []), "\n\n".join(payload.get("failures", []))
    return join(
        (
            *(_proposal(one, named=len(proposals) > 1) for one in proposals),
            fold_away("pause-fails", "What fails", code_block(failures, "What fails")) if failures else None,
        )
    )


def _proposal(proposal: Proposal, *, named: bool) -> Markup:
    head = tag("b", "The proposed change" + (f" ({proposal['strategy']})" if named else ""))
    note = span("dim", f": {proposal['note']}") if proposal["note"] else None
    return join((tag("h3", head, note), diff_block(proposal["diff"])))
