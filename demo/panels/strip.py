"""Writes the verdict strip: a word, one sentence, and what was counted.

It has the same height in every state of a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from agent.events.conclusion import Conclusion
from agent.outcome.boxes import box_named
from agent.outcome.words import (
    decisive_first,
    duration,
    plural,
    reads_well,
    role_words,
    sentence,
    verdict_words,
)
from demo.look.markup import div, hidden_text, icon, join, span, tag, with_code
from demo.view.facts import CheckFact, check_facts, origin_of, quarantine_facts, verdict_of
from demo.view.fold import RunView
from demo.view.names import all_names, in_words
from demo.view.phases import PhaseProgress, phase_progress
from demo.view.shot import Shot

from .bar import status_line


@dataclass(frozen=True, slots=True)
class Headline:
    """What the strip says: its colour, its icon, a word and a sentence."""

    tone: str
    sign: str
    word: str
    reason: str


def verdict_strip(shot: Shot) -> Markup:
    view = shot.view
    head = headline(shot)
    side = stepper(phase_progress(view)) if view.conclusion is None else chips(check_facts(view))
    return tag(
        "section",
        span("verdict-sign", span("spinner") if head.tone == "busy" else icon(head.sign), aria_hidden="true"),
        div(
            "verdict-words",
            tag("h2", head.word),
            tag("p", with_code(head.reason), cls="verdict-reason", title=head.reason),
        ),
        div("verdict-side", side),
        status_line(view, shot.queued),
        cls=f"strip tone-{head.tone}",
        aria_label="Verdict",
    )


VERDICT_LOOKS = {
    "verified": ("good", "shield"),
    "partly_verified": ("fair", "shield"),
    "unverified": ("warn", "question"),
    "failed": ("bad", "fail"),
}
"""The tone and the sign of each verdict."""


def headline(shot: Shot) -> Headline:
    view = shot.view
    if shot.queued is not None:
        return Headline("busy", "node", "In line", f"{plural(shot.queued, 'run')} before yours; it starts by itself.")
    if view.conclusion is None or view.lifecycle in ("failed", "waiting", "running"):
        return _unfinished(view, mine=shot.mine)
    verdict = verdict_of(view)
    return Headline(*VERDICT_LOOKS[verdict], verdict_words(verdict), _reason(view, view.conclusion))


def _reason(view: RunView, outcome: Conclusion) -> str:
    told = outcome.verdict_reason
    if outcome.verdict == "verified":
        aside = [origin_of(view, name) for name, _ in quarantine_facts(view)]
        return _all_well(check_facts(view), aside) or sentence(told)
    words = in_words(all_names(view), sentence(reads_well(decisive_first(told))))
    return words or f"Ended: {outcome.stop_reason}"


def _all_well(facts: Sequence[CheckFact], aside: Sequence[str]) -> str:
    """Returns one plain sentence from the counts; "" if there is nothing to count or a check of the person or the task
    does not pass. `aside` holds the origin of each check that was set aside."""
    own = [fact for fact in facts if fact.group == "T0"]
    others = [fact for fact in facts if fact.group not in ("T0", "kept")]
    passed, failed = (sum((fact.outcome == "pass") is good for fact in others) for good in (True, False))
    if not own or any(fact.outcome != "pass" for fact in own):
        return ""
    whose = "check" if any(fact.origin == "person" for fact in own) else "example"
    parts = [f"Your {whose} passes" if len(own) == 1 else f"Your {len(own)} {whose}s pass"]
    if passed:
        parts.append(f"{plural(passed, 'more check')} pass" + ("es" if passed == 1 else ""))
    if failed:
        parts.append(f"{failed} of the model's own did not, which decides nothing")
    parts += _as_before([fact.outcome for fact in facts if fact.group == "kept"], aside.count("kept"))
    wrong = len(aside) - aside.count("kept")
    verb = "was" if wrong == 1 else "were"
    parts.append(f"{plural(wrong, 'wrong check')} {verb} set aside" if wrong else "nothing is disputed")
    return ", ".join(parts) + "."


def _as_before(outcomes: Sequence[str], aside: int) -> list[str]:
    """Returns on how many of the recorded inputs the program does what the given one did. What was set aside is no
    check that somebody got wrong: there the given program was."""
    same, of = outcomes.count("pass"), len(outcomes) + aside
    return [f"on {same} of {plural(of, 'other input')} it does what your code did"] if of else []


def _unfinished(view: RunView, *, mine: bool) -> Headline:
    if view.lifecycle == "failed":
        return Headline("bad", "error", verdict_words(verdict_of(view)), f"It could not run: {view.error}")
    if view.lifecycle == "waiting":
        words = "The run is paused until you answer; nothing is spent meanwhile."
        return Headline("warn", "pause", "Waiting for you" if mine else "Waiting for its owner", words)
    if view.lifecycle == "stopped":
        words = "It was stopped: nothing after the last line of the timeline was run."
        return Headline("plain", "stop", verdict_words(verdict_of(view)), words)
    return Headline("busy", "node", _doing(view), _saying(view))


def _doing(view: RunView) -> str:
    if view.active:
        return box_named(view.active[-1]).doing
    return "Going on" if view.timeline else "Getting ready"


def _saying(view: RunView) -> str:
    if view.active and view.active[-1] in ("repair", "learn", "review_repair") and view.diagnoses:
        return in_words(all_names(view), sentence(view.diagnoses[-1].explanation))
    facts = check_facts(view)
    failing = sum(fact.outcome not in ("pass", "not_run", "not executed") for fact in facts)
    if failing:
        return f"{failing} of {plural(len(facts), 'check')} fail; the cause is looked for before anything is changed."
    if facts:
        return f"All {plural(len(facts), 'check')} pass so far. The verdict is counted at the end."
    writing = " and the ".join(role_words(role).lower() for role in view.streaming)
    verb = "are" if len(view.streaming) > 1 else "is"
    return f"The {writing} {verb} writing." if writing else "The verdict is counted at the end, never before."


def stepper(found: Sequence[PhaseProgress]) -> Markup:
    words = {"todo": "to come", "now": "in progress", "done": "done", "unneeded": "not needed"}
    items = [
        tag(
            "li",
            span("step-sign", icon("pass") if stage.state == "done" else None, aria_hidden="true"),
            span("step-name", stage.name),
            hidden_text(f" ({words[stage.state]})"),
            cls=f"step step-{stage.state}",
            aria_current="step" if stage.state == "now" else None,
            title=f"{stage.name}: {duration(stage.seconds)}" if stage.seconds else stage.name,
        )
        for stage in found
    ]
    return tag("ol", *items, cls="stepper", aria_label="Phases of the run")


CHIPS = (
    ("T0", "your examples", "Promised by you or by the task: they decide (T0)."),
    ("T1", "confirmed", "Confirmed by a second, independent source (T1)."),
    ("T2", "model's own", "The model's own checks: they never decide alone (T2)."),
    ("kept", "as before", "What your code did before on inputs that nobody complained about: guards every repair."),
)
"""The groups of checks (`facts.group_of`) with their words and their explanation."""


def chips(facts: Sequence[CheckFact]) -> Markup:
    return join(_chip(facts, *one) for one in CHIPS)


def _chip(facts: Sequence[CheckFact], group: str, words: str, title: str) -> Markup | None:
    mine = [fact for fact in facts if fact.group == group]
    if not mine:
        return span("count none", "no example of yours", title=title) if group == "T0" else None
    words = whose(group, words, any(fact.origin == "person" for fact in mine))
    passed = sum(fact.outcome == "pass" for fact in mine)
    tone = "all" if passed == len(mine) else "some"
    return span(f"count {tone}", tag("b", f"{passed}/{len(mine)}"), f" {words}", title=title)


def whose(group: str, words: str, by_person: bool) -> str:
    return "your checks" if group == "T0" and by_person else words
