"""The programs of a run: which one is shown, how it differs from the one before, and which there are."""

from __future__ import annotations

from markupsafe import Markup

from agent.events import CandidateWritten
from demo.facts import outcomes_of
from demo.markup import div, join, span, tag
from demo.view import RunView
from demo.words import ATTEMPT_WORDS, plural

BEST = ""
"""The picker's value for "the program that is handed back"."""


def shown_code(view: RunView, picked: str = BEST) -> str:
    """The outcome's program, the picked one, or the best or newest so far."""
    if picked:
        found = view.candidate(picked)
        return found.code if found else ""
    if view.outcome is not None and isinstance(view.outcome.get("code"), str):
        return str(view.outcome["code"])
    current = _current(view)
    return current.code if current else ""


def choices(view: RunView) -> list[tuple[str, str]]:
    """(label, value) pairs of the version picker."""
    head = "Handed back" if view.outcome is not None else "Best so far"
    return [(head, BEST), *((_label(view, one), one.candidate) for one in view.candidates)]


def _label(view: RunView, one: CandidateWritten) -> str:
    outcomes = outcomes_of(view, one.candidate)
    passed = sum(status == "pass" for status in outcomes.values())
    score = f", {passed} of {plural(len(outcomes), 'check')}" if outcomes else ""
    return f"{one.candidate}: {ATTEMPT_WORDS[one.attempt]}{score}"


def _current(view: RunView) -> CandidateWritten | None:
    return view.candidate(view.best) or (view.candidates[-1] if view.candidates else None)


def diff_panel(view: RunView, picked: str = BEST) -> Markup:
    one = view.candidate(picked) if picked else _handed_back(view)
    if one is None:
        return tag("p", "The program appears here as soon as it is written.", cls="hint")
    source = f"from {one.parent}" if one.parent else "from the attempt before"
    words = [ATTEMPT_WORDS[one.attempt], one.strategy and f"strategy {one.strategy}", one.note]
    head = div("diff-head", span("column-name", one.candidate), " ", ". ".join(word for word in words if word))
    if not one.diff:
        return join((head, tag("p", "No earlier program to compare with.", cls="hint")))
    return join((head, tag("h4", f"Changes {source}"), diff_block(one.diff)))


def _handed_back(view: RunView) -> CandidateWritten | None:
    code = (view.outcome or {}).get("code")
    same = next((one for one in reversed(view.candidates) if one.code == code), None)
    return same or _current(view)


def diff_block(text: str) -> Markup:
    """A unified diff, one element a line, added and removed told apart by sign and colour."""
    lines = [span(_kind(line), line + "\n") for line in text.splitlines()]
    return tag("pre", tag("code", *lines), cls="listing diff", tabindex="0", role="region", aria_label="Changes")


def _kind(line: str) -> str:
    if line.startswith(("+++", "---", "@@")):
        return "diff-meta"
    return {"+": "diff-add", "-": "diff-del"}.get(line[:1], "diff-same")
