"""The plainer panels: the checks as written, and what was learned on the way."""

from __future__ import annotations

from markupsafe import Markup

from agent.events import SuiteWritten
from demo.markup import code_block, div, fold_away, icon, join, span, tag
from demo.view import RunView
from demo.words import ORIGIN_WORDS, TIER_WORDS, plural


def suites_panel(view: RunView) -> Markup:
    """Every check with its source, suite by suite."""
    if not view.suites:
        return tag("p", "The checks appear here as soon as they are written.", cls="hint")
    return join(_suite(view, suite) for suite in view.suites)


def _suite(view: RunView, suite: SuiteWritten) -> Markup:
    title = join(
        (icon("tests"), f"{plural(len(suite.checks), 'check')} {ORIGIN_WORDS[suite.origin]}", span("dim", suite.suite))
    )
    header = (
        fold_away(f"header-{suite.suite}", "Shared lines", code_block(suite.header)) if suite.header.strip() else None
    )
    return tag(
        "section", tag("h4", title), header, *(_check(view, check.id, suite) for check in suite.checks), cls="suite"
    )


def _check(view: RunView, check_id: str, suite: SuiteWritten) -> Markup:
    check = next(one for one in suite.checks if one.id == check_id)
    tier, aside = view.tiers.get(check.id, ""), view.quarantined.get(check.id)
    head = join(
        (
            tag("code", check.name),
            span(f"tier tier-{tier}", tier, title=TIER_WORDS[tier]) if tier else None,
            span("badge held", "held out") if check.held_out else None,
            span("badge aside", "set aside") if aside is not None else None,
        )
    )
    why = tag("p", "Set aside: ", aside, cls="aside-reason") if aside is not None else None
    return fold_away(f"check-{check.id}", head, why, code_block(check.source, check.name))


def learning_panel(view: RunView) -> Markup:
    """Diagnoses in order, then the lessons that the next attempt is given."""
    if not view.diagnoses and not view.lessons:
        return tag("p", "Nothing had to be learned so far.", cls="hint")
    causes = [
        tag(
            "li",
            div("line-title", f"{one.candidate}: at fault is the {one.fault} ({one.category})"),
            tag("p", one.explanation),
            tag("p", span("dim", "Repair: "), one.repair_hint) if one.repair_hint else None,
            span("dim", f"Confidence {one.confidence:.0%}"),
        )
        for one in view.diagnoses
    ]
    lessons = [tag("li", lesson) for lesson in view.lessons]
    return join(
        (
            join((tag("h4", "Lessons that every later attempt is told"), tag("ol", *lessons, cls="lessons")))
            if lessons
            else None,
            join((tag("h4", "What was found"), tag("ul", *causes, cls="causes"))) if causes else None,
        )
    )
