"""Shows every check as it was written, suite by suite."""

from __future__ import annotations

from markupsafe import Markup

from agent.events import SuiteWritten
from agent.outcome.words import ORIGIN_WORDS, TIER_WORDS, plural
from demo.look.highlight import python_block
from demo.look.markup import fold_away, join, section_fold, span, tag
from demo.view.fold import RunView
from demo.view.names import check_words


def suites_fold(view: RunView) -> Markup | None:
    if not view.suites:
        return None
    written = f"{plural(len(view.checks), 'check')} in {plural(len(view.suites), 'suite')}"
    return section_fold("suites", "Tests as written", written, suites(view))


def suites(view: RunView) -> Markup:
    return join(_suite(view, suite) for suite in view.suites)


def _suite(view: RunView, suite: SuiteWritten) -> Markup:
    title = f"{plural(len(suite.checks), 'check')} {ORIGIN_WORDS[suite.origin]}"
    header = suite.header.strip()
    shared = (
        fold_away(f"header-{suite.suite}", "Shared lines", python_block(header, "Shared lines")) if header else None
    )
    checks = (_check(view, check.id, suite) for check in suite.checks)
    return tag("section", tag("h3", title), shared, *checks, cls="suite")


def _check(view: RunView, check_id: str, suite: SuiteWritten) -> Markup:
    check = next(one for one in suite.checks if one.id == check_id)
    tier, aside = view.tiers.get(check.id, ""), check.id in view.quarantined
    head = join(
        (
            span("check-name", check_words(view, check.id)),
            span("mark", TIER_WORDS[tier], title=tier) if tier else None,
            span("mark held", "held out") if check.held_out else None,
            span("mark aside", "set aside") if aside else None,
        ),
        " ",
    )
    return fold_away(f"check-{check.id}", head, python_block(check.source, check.name))
