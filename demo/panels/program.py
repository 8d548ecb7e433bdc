"""Shows the programs of a run in tabs, one for each attempt.

A tab has the code and the changes. What is being written now appears in the same box.
"""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

from agent.events import CandidateWritten
from agent.outcome.words import plural, role_words, sentence
from agent.session.roles import ROLES
from demo.look.highlight import diff_block, python_block
from demo.look.markup import button, div, hidden_text, icon, join, span, tag, with_code
from demo.view.facts import handed_back
from demo.view.fold import RunView
from demo.view.names import attempt_names, in_words, short_name
from demo.view.shot import Shot

from .output import explanation, output_panel
from .story import counted_outcomes, tone_of

WRITERS = ("generator", "spec_tester", "adversarial_tester")
"""Whose text fills the box first if several roles write at once."""
_CODE_WRITERS = frozenset(role.name for role in ROLES if role.writes_code)
_LIVE, _OUTPUT = "live", "output"
_ROOM = 2
"""The number of tabs for whose names a phone has room."""


def program_panel(shot: Shot) -> Markup:
    view = shot.view
    names = attempt_names(view)
    latest = {one.candidate: one for one in view.candidates}
    writing = _writing(view)
    output = output_panel(shot)
    chosen = _LIVE if writing and _worth_reading(view, *writing) else _OUTPUT if output else handed_back(view)
    crowded = len(latest) + bool(output) > _ROOM
    panes = [_attempt(view, one, names, open_=one.candidate == chosen) for one in latest.values()]
    if writing:
        panes.append(_live(view, *writing, open_=chosen == _LIVE))
    if output:
        # What the person asked to see comes first and in the same box, so that nothing moves when it appears.
        words = "Explanation" if explanation(view) else "Output"
        panes.insert(0, _tab("attempt", _OUTPUT, words, output, open_=chosen == _OUTPUT))
    return tag(
        "section",
        div("panel-head", tag("h2", "Program"), _tools(shot)),
        div("tabs crowded" if crowded else "tabs", *(panes or [_nothing(view)]), role="group", aria_label="Attempts"),
        cls="program",
        aria_label="Program",
    )


def shown_code(view: RunView) -> str:
    if view.conclusion is not None:
        return view.conclusion.code
    found = view.candidate(handed_back(view))
    return found.code if found else ""


def _tools(shot: Shot) -> Markup | None:
    code = shown_code(shot.view)
    if not code or shot.view.conclusion is None:
        return None
    save = f"runs/{quote(shot.link_ref, safe='')}/solution.py"
    lines = plural(len(code.strip().splitlines()), "line")
    return div(
        "tools",
        span("dim", lines),
        button("edit", "edit", "Edit"),
        button(None, "copy", "Copy", data_copy=handed_back(shot.view)),
        tag(
            "a",
            icon("down"),
            span("label", ".py"),
            href=save,
            download="solution.py",
            cls="quiet",
            aria_label="Download solution.py",
        ),
    )


def _attempt(view: RunView, one: CandidateWritten, names: dict[str, str], *, open_: bool) -> Markup:
    outcomes = counted_outcomes(view, one.candidate)
    passed = sum(status == "pass" for status in outcomes.values())
    tone = tone_of(view, one.candidate)
    score = span("score", f"{passed}/{len(outcomes)}") if outcomes else None
    best = hidden_text(", handed back") if view.conclusion is not None and one.candidate == handed_back(view) else None
    name = names[one.candidate]
    label = join(
        (span(f"dot dot-{tone}", aria_hidden="true"), span("whole", name, data_short=short_name(name)), score, best)
    )
    return _tab("attempt", one.candidate, label, _pane(one, names), open_=open_)


def _pane(one: CandidateWritten, names: dict[str, str]) -> Markup:
    name = names[one.candidate]
    source = f"against “{names[one.parent]}”" if one.parent in names else ""
    changes = diff_block(one.diff, f"Changes of {name}") if one.diff and one.parent else None
    code = python_block(one.code, f"Program: {name}")
    if changes is None:
        why = "Written without seeing the others. " if one.attempt == "independent" else ""
        told = why + sentence(in_words(names, one.note))
        return join((tag("p", told, cls="note") if told else None, code))
    inner = join(
        (
            _tab(f"view-{one.candidate}", f"{one.candidate}-code", "Code", code, open_=True),
            _tab(f"view-{one.candidate}", f"{one.candidate}-diff", join(("Diff ", span("dim", source))), changes),
        )
    )
    # The story tells what the attempt changed.
    return div("tabs inner", inner, role="group", aria_label=f"Views of {name}")


def _tab(group: str, key: str, label: object, pane: object, *, open_: bool = False) -> Markup:
    """Returns a radio button, its label and its pane. A row of them works without any script."""
    return join(
        (
            tag("input", type="radio", name=group, id=f"tab-{key}", data_key=key, checked=open_, cls="tab-radio"),
            tag("label", label, for_=f"tab-{key}", cls="tab"),
            div("tab-pane", pane),
        )
    )


def _writing(view: RunView) -> tuple[str, str] | None:
    """Returns (role, text) of the reply that fills the box now; None if nobody writes."""
    if not view.streaming:
        return None
    role = next((role for role in WRITERS if role in view.streaming), next(iter(view.streaming)))
    return role, view.streaming[role]


def _worth_reading(view: RunView, role: str, text: str) -> bool:
    """Returns whether what is being written takes the place of a program that is there: code does, an empty box or the
    JSON in which a model judges does not."""
    return not view.candidates or (bool(text.strip()) and role in _CODE_WRITERS)


def _live(view: RunView, role: str, text: str, *, open_: bool) -> Markup:
    others = [role_words(one).lower() for one in view.streaming if one != role]
    beside = f"; so is the {' and the '.join(others)}" if others else ""
    head = div("note", span("spinner", aria_hidden="true"), f"The {role_words(role).lower()} is writing{beside}.")
    body = tag("pre", text, cls="listing writing-text", tabindex="0", role="region", aria_label="Text being written")
    return _tab("attempt", _LIVE, "Being written", join((head, body)), open_=open_)


def _nothing(view: RunView) -> Markup:
    ended = view.lifecycle in ("finished", "failed", "stopped")
    words = "No program was written." if ended else "The program appears here as it is written."
    # The verdict strip has only two lines, so that on a phone the advice in a long error would be cut off.
    cause = tag("p", with_code(sentence(view.error))) if view.error else None
    return div("empty-box", div("empty-words", cause, tag("p", words, cls="hint")))
