"""The test x attempt matrix: which check passed for which program, and what an attempt broke."""

from __future__ import annotations

from markupsafe import Markup

from agent.events import CandidateWritten, CheckListed, SuiteWritten
from demo.facts import outcomes_of, regressions
from demo.markup import div, hidden_text, icon, join, span, tag
from demo.view import RunView
from demo.words import ATTEMPT_WORDS, ORIGIN_WORDS, TIER_WORDS

_SIGNS = {
    "pass": "pass",
    "fail": "fail",
    "error": "error",
    "timeout": "timeout",
    "skipped": "skipped",
    "not_run": "skipped",
}


def matrix(view: RunView) -> Markup:
    if not view.checks or not view.executions:
        return tag("p", "The matrix appears with the first execution.", cls="hint")
    broken = regressions(view)
    columns = [one for one in view.candidates if outcomes_of(view, one.candidate)]
    table = {one.candidate: outcomes_of(view, one.candidate) for one in columns}
    head = tag("tr", tag("th", "Check", scope="col"), *(_column(one, view.best) for one in columns))
    rows = [_row(view, suite, check, table, broken) for suite, check in view.checks]
    return join(
        (
            tag(
                "div",
                tag(
                    "table",
                    tag("caption", "Rows are checks, columns are attempts", cls="sr"),
                    tag("thead", head),
                    tag("tbody", *rows),
                    cls="matrix",
                ),
                cls="scroll",
                tabindex="0",
                role="region",
                aria_label="Test by attempt matrix",
            ),
            _legend(),
        )
    )


def _column(one: CandidateWritten, best: str | None) -> Markup:
    mark = span("badge best", "best") if one.candidate == best else None
    return tag(
        "th", span("column-name", one.candidate), span("column-kind", ATTEMPT_WORDS[one.attempt]), mark, scope="col"
    )


def _row(
    view: RunView,
    suite: SuiteWritten,
    check: CheckListed,
    table: dict[str, dict[str, str]],
    broken: frozenset[tuple[str, str]],
) -> Markup:
    aside = view.quarantined.get(check.id)
    tier = view.tiers.get(check.id, "")
    marks = (
        span(f"tier tier-{tier}", tier, title=TIER_WORDS.get(tier, "")) if tier else None,
        span("origin", ORIGIN_WORDS[suite.origin]),
        span("badge held", "held out", title="No repair prompt ever sees it") if check.held_out else None,
        span("badge aside", "set aside", title=aside) if aside is not None else None,
    )
    name = tag("th", tag("code", check.name), div("marks", *marks), scope="row")
    cells = [
        _cell(outcomes.get(check.id), (check.id, candidate) in broken and aside is None)
        for candidate, outcomes in table.items()
    ]
    return tag("tr", name, *cells, cls="set-aside" if aside is not None else None)


def _cell(outcome: str | None, regressed: bool) -> Markup:
    if outcome is None:
        return tag("td", hidden_text("not run"), cls="cell none")
    words = outcome + (", passed before" if regressed else "")
    return tag(
        "td",
        icon(_SIGNS.get(outcome, "error")),
        hidden_text(words),
        span("regressed", "broke", aria_hidden="true") if regressed else None,
        cls=f"cell cell-{outcome}" + (" regression" if regressed else ""),
        title=words,
    )


def _legend() -> Markup:
    items = [span(f"legend-item cell-{name}", icon(sign), name) for name, sign in _SIGNS.items()]
    return div("legend", *items, aria_hidden="true")
