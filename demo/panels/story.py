"""Tells the heal story: how each attempt did, what failed, why, and what the next one changed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup

from agent.events import CandidateWritten, ChecksRan, Diagnosed
from agent.outcome.words import plural, sentence
from agent.state import FAILED
from demo.look.markup import div, icon, join, span, tag
from demo.view.facts import handed_back, outcomes_of
from demo.view.fold import RunView
from demo.view.names import attempt_names, check_words, in_words

_SHOWN = 1
"""How many failing checks the story tells; the matrix holds all of them."""
_WHOLE = 2
"""The number of programs up to which every part of the story is open. With more, only the part of the program that is
handed back, or of the newest, is open."""
_VALUES = {name: re.compile(rf"^\s*{name}: (.*)$", re.MULTILINE) for name in ("actual", "expected")}
"""The lines of a message that tell what a check got and what it expected."""


def story_panel(view: RunView) -> Markup:
    names = attempt_names(view)
    latest = {one.candidate: one for one in view.candidates}
    told = [one for one in latest.values() if outcomes_of(view, one.candidate) or one.note]
    if not told:
        ended = view.lifecycle in ("finished", "failed", "stopped")
        words = "It never came to a program." if ended else "What fails, why, and what heals it will stand here."
        return div("story", tag("p", words, cls="hint"))
    best = handed_back(view)
    rows = (_chapter(view, one, names, open_=len(told) <= _WHOLE or one.candidate == best) for one in told)
    return tag("ol", *rows, cls="story", aria_label="How the program came about")


def _chapter(view: RunView, one: CandidateWritten, names: Mapping[str, str], *, open_: bool) -> Markup:
    outcomes = counted_outcomes(view, one.candidate)
    passed = sum(status == "pass" for status in outcomes.values())
    failing = [check for check, status in outcomes.items() if status in FAILED]
    tone = tone_of(view, one.candidate)
    count = _pass_words(passed, len(outcomes)) if outcomes else _as_script(view, one.candidate)
    head = tag("span", tag("b", names[one.candidate]), f": {count}", cls="story-head")
    changed = one.parent and one.note
    more = [
        tag("p", span("dim", "Changed: "), in_words(names, one.note), cls="story-note") if changed else None,
        *(_failure(view, one.candidate, check, len(failing) - _SHOWN) for check in failing[:_SHOWN]),
        _cause(view, one.candidate, names),
    ]
    key = f"story-{one.candidate}"
    return tag(
        "li",
        span("story-sign", icon({"good": "pass", "bad": "fail"}.get(tone, "node")), aria_hidden="true"),
        tag("details", tag("summary", head), *more, cls="story-words", open=open_, data_key=key)
        if any(more)
        else div("story-words", head),
        cls=f"chapter tone-{tone}",
    )


def _pass_words(passed: int, of: int) -> str:
    return f"its one check {'passes' if passed else 'fails'}" if of == 1 else f"{passed} of {of} checks pass"


def counted_outcomes(view: RunView, candidate: str) -> dict[str, str]:
    """Returns the latest outcome of each check for the candidate, by check id, without checks that were set aside."""
    return {check: status for check, status in outcomes_of(view, candidate).items() if check not in view.quarantined}


def tone_of(view: RunView, candidate: str) -> str:
    """Returns "good", "bad", or "none" for what has not run yet. A script is judged by how it ended."""
    if outcomes_of(view, candidate):
        return "bad" if any(one in FAILED for one in counted_outcomes(view, candidate).values()) else "good"
    ran = _last_run(view, candidate)
    return "none" if ran is None else "good" if ran.status in ("ok", "pass") else "bad"


def _as_script(view: RunView, candidate: str) -> str:
    ran = _last_run(view, candidate)
    if ran is None:
        return "not run yet"
    if outcomes_of(view, candidate):
        return "all its checks were set aside"
    if ran.status in ("ok", "pass"):
        return "ran to its end" + (f" and printed {plural(len(ran.stdout.splitlines()), 'line')}" if ran.stdout else "")
    told = (ran.error or ran.stderr).strip().splitlines()
    return f"broke off: {told[-1]}" if told else f"broke off ({ran.status})"


def _last_run(view: RunView, candidate: str) -> ChecksRan | None:
    return next((run for run in reversed(view.executions) if run.candidate == candidate), None)


def _failure(view: RunView, candidate: str, check: str, more: int) -> Markup:
    """Returns the check, and what it got beside what it expected. The matrix holds the whole message and the `more`
    other failures."""
    message = message_of(view, candidate, check)
    told = {name: found[1] for name, pattern in _VALUES.items() if (found := pattern.search(message))}
    rows = [
        (tag("dt", words), tag("dd", told[name]))
        for name, words in (("actual", "gave"), ("expected", "expected"))
        if name in told
    ]
    body = tag("dl", *(one for row in rows for one in row), cls="values") if rows else None
    first = message.strip().partition("\n")[0]
    body = body or (tag("p", tag("code", first)) if first else None)
    others = span("dim", f"and {more} more") if more > 0 else None
    return div("failure", tag("p", icon("fail"), tag("code", check_words(view, check)), others, title=check), body)


def message_of(view: RunView, candidate: str, check: str) -> str:
    """Returns what the executor said of a failing check when it last ran."""
    told = (
        run.messages[check] for run in reversed(view.executions) if run.candidate == candidate and check in run.messages
    )
    return next(told, "")


def _cause(view: RunView, candidate: str, names: Mapping[str, str]) -> Markup | None:
    found: Diagnosed | None = next((one for one in reversed(view.diagnoses) if one.candidate == candidate), None)
    if found is None:
        return None
    fault = {"code": "", "test": "the check is wrong: ", "task": "the task leaves it open: "}.get(found.fault, "")
    words = in_words(names, sentence(fault + found.explanation))
    return join((tag("p", span("dim", "Cause: "), words, cls="story-cause"),))
