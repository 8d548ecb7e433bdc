"""Compares two programs: their figures, the checks in which they differ, and their code."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from markupsafe import Markup

from agent.outcome.report import usage_of
from agent.outcome.words import counted, duration, money, plural, verdict_words, who_answers
from demo.look.highlight import diff_block
from demo.look.markup import join, listed, table, table_row, tag
from demo.view.facts import handed_back, outcomes_of, verdict_of
from demo.view.names import attempt_names, check_words
from demo.view.shot import Shot

from .program import shown_code


@dataclass(frozen=True, slots=True)
class ComparedProgram:
    """One of the two programs that are compared: a candidate of a run."""

    shot: Shot
    candidate: str

    @property
    def name(self) -> str:
        return attempt_names(self.shot.view).get(self.candidate, "No program")

    @property
    def code(self) -> str:
        view = self.shot.view
        if self.candidate == handed_back(view):
            return shown_code(view)
        found = view.candidate(self.candidate)
        return found.code if found else ""

    @property
    def verdict(self) -> str:
        """The verdict in words. Only the program that is handed back has one."""
        view = self.shot.view
        told = verdict_of(view)
        return verdict_words(told) if told and self.candidate == handed_back(view) else "none: not handed back"


def compare_panel(left: ComparedProgram, right: ComparedProgram) -> Markup:
    same_run = left.shot.run_id == right.shot.run_id
    heads = [side.name if same_run else f"{_title(side)}: {side.name}" for side in (left, right)]
    rows = [*_of_programs(left, right), *([] if same_run else _of_runs(left, right))]
    body = (table_row(name, one, other, cls=None if one == other else "differs") for name, one, other in rows)
    return tag(
        "section",
        table("Figures of both", ("Figure", *heads), body),
        _checks(left, right) if same_run else None,
        _changes(left, right),
        cls="compared",
        aria_label="Comparison",
    )


def _title(side: ComparedProgram) -> str:
    return (side.shot.title or "Run").replace("`", "")[:60]


def _of_programs(left: ComparedProgram, right: ComparedProgram) -> list[tuple[str, ...]]:
    return [
        ("Verdict", left.verdict, right.verdict),
        ("Checks passed", _passed(left), _passed(right)),
        ("Length", *(plural(len(side.code.strip().splitlines()), "line") for side in (left, right))),
    ]


def _passed(side: ComparedProgram) -> str:
    outcomes = outcomes_of(side.shot.view, side.candidate)
    return f"{sum(status == 'pass' for status in outcomes.values())} of {len(outcomes)}"


def _of_runs(left: ComparedProgram, right: ComparedProgram) -> list[tuple[str, ...]]:
    views = [side.shot.view for side in (left, right)]
    usages = [usage_of(view.calls) for view in views]
    models = [who_answers(view.started.provider, view.started.model) if view.started else "" for view in views]
    return [
        ("Model", models[0], models[1]),
        ("Attempts", str(len(views[0].candidates)), str(len(views[1].candidates))),
        ("Model calls", str(usages[0].calls), str(usages[1].calls)),
        ("Tokens", *(counted(usage.tokens) for usage in usages)),
        ("Cost", money(usages[0].cost_usd), money(usages[1].cost_usd)),
        ("Time", *(duration(view.timeline[-1].at if view.timeline else 0.0) for view in views)),
    ]


def _checks(left: ComparedProgram, right: ComparedProgram) -> Markup | None:
    """Returns the checks that one of two attempts passes and the other does not, or one sentence if there are none."""
    view = left.shot.view
    one, other = outcomes_of(view, left.candidate), outcomes_of(view, right.candidate)
    differ = [name for name in one if name in other and (one[name] == "pass") != (other[name] == "pass")]
    if not differ:
        return tag("p", "Both end alike on every check that ran on both.", cls="hint")
    passes = {name: right.name if other[name] == "pass" else left.name for name in differ}
    items = (join((tag("code", check_words(view, name)), f": only “{who}” passes it")) for name, who in passes.items())
    return listed("Checks that tell them apart", items)


def _changes(left: ComparedProgram, right: ComparedProgram) -> Markup:
    lines = difflib.unified_diff(left.code.splitlines(), right.code.splitlines(), lineterm="", n=3)
    text = "\n".join(lines)
    changes = (
        diff_block(text, f"From {left.name} to {right.name}") if text else tag("p", "The code is the same.", cls="hint")
    )
    return join((tag("h3", f"From “{left.name}” to “{right.name}”"), changes))
