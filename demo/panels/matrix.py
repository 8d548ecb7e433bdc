"""Which check passed for which program, and what an attempt broke; each row opens to what was expected."""

from __future__ import annotations

from markupsafe import Markup

from agent.events import CheckListed, SuiteWritten
from agent.state import FAILED
from agent.words import ORIGIN_WORDS, TIER_WORDS, plural
from demo.facts import outcomes_of, regressions
from demo.highlight import python_block
from demo.markup import div, hidden_text, icon, span, tag
from demo.names import attempt_names, check_words, is_property
from demo.view import RunView

from .story import message_of

_SIGNS = {"pass": "pass", "fail": "fail", "error": "error", "timeout": "timeout"}
_WORDS = {"pass": "passes", "fail": "fails", "error": "breaks off", "timeout": "takes too long", "not_run": "not run"}


def matrix(view: RunView) -> Markup:
    if not view.checks or not view.executions:
        none = "No checks here: the output itself was compared." if view.outcome else "Every check will stand here."
        return tag("p", none, cls="hint")
    names = attempt_names(view)
    columns = {name: outcomes_of(view, candidate) for candidate, name in names.items()}
    columns = {name: outcomes for name, outcomes in columns.items() if outcomes}
    of = {name: candidate for candidate, name in names.items()}
    broken = regressions(view)
    head = div(
        "matrix-head",
        span("matrix-name", plural(len(view.checks), "check")),
        *(span("matrix-cell", _short(name), title=name) for name in columns),
        aria_hidden="true",
    )
    rows = [_row(view, suite, check, _Columns(columns, of, broken)) for suite, check in _ordered(view)]
    style = f"--columns:{len(columns)}"
    return div("matrix", head, *rows, style=style, role="group", aria_label="Checks by attempt")


class _Columns:
    """What the rows share: outcomes by attempt, and which of them broke something."""

    def __init__(
        self, outcomes: dict[str, dict[str, str]], ids: dict[str, str], broken: frozenset[tuple[str, str]]
    ) -> None:
        self.outcomes = outcomes
        self.ids = ids
        self.broken = broken


def _ordered(view: RunView) -> list[tuple[SuiteWritten, CheckListed]]:
    """As they were written; once the run is over, what fails in the end stands first."""
    if view.outcome is None:
        return list(view.checks)
    final = outcomes_of(view, str(view.outcome.get("candidate") or ""))
    return sorted(view.checks, key=lambda one: final.get(one[1].id) not in FAILED or one[1].id in view.quarantined)


def _row(view: RunView, suite: SuiteWritten, check: CheckListed, columns: _Columns) -> Markup:
    aside = view.quarantined.get(check.id)
    tier = view.tiers.get(check.id, "")
    words = check_words(view, check.id)
    marks = (
        span("mark", "any input", title="A property, tried on many generated inputs")
        if is_property(check.id)
        else None,
        span("mark held", "held out", title="No repair ever saw this check") if check.held_out else None,
        span("mark aside", "set aside", title=aside) if aside is not None else None,
    )
    cells = [
        _cell(name, outcomes.get(check.id), (check.id, columns.ids[name]) in columns.broken and aside is None)
        for name, outcomes in columns.outcomes.items()
    ]
    name = span("matrix-name", span(f"pip pip-{tier or 'none'}", aria_hidden="true"), span("check-name", words), *marks)
    told = ORIGIN_WORDS[suite.origin] + (f"; {TIER_WORDS[tier]} ({tier})" if tier else "")
    return tag(
        "details",
        tag("summary", name, *cells, title=f"{check.id}: {told}"),
        div(
            "matrix-more",
            tag("p", tag("code", check.name), span("dim", f" {told}")),
            tag("p", "Set aside: ", aside, cls="aside-reason") if aside is not None else None,
            *_messages(view, check.id, columns),
            python_block(check.source, f"Check {check.name}"),
        ),
        cls="matrix-row set-aside" if aside is not None else "matrix-row",
        data_key=f"row-{check.id}",
    )


def _messages(view: RunView, check: str, columns: _Columns) -> list[Markup]:
    told = ((name, message_of(view, columns.ids[name], check)) for name in columns.outcomes)
    return [
        div(
            "failure",
            tag("p", tag("b", name)),
            tag("pre", text, cls="actual", tabindex="0", role="region", aria_label=f"{name}: {check}"),
        )
        for name, text in told
        if text
    ]


def _cell(name: str, outcome: str | None, regressed: bool) -> Markup:
    kind = outcome if outcome in _SIGNS else "none"
    words = _WORDS.get(outcome or "", outcome or "not run") + (", passed before" if regressed else "")
    return span(
        f"matrix-cell cell-{kind}" + (" regression" if regressed else ""),
        icon(_SIGNS.get(kind, "skipped")),
        hidden_text(f" {name}: {words}."),
        title=f"{name}: {words}",
    )


def _short(name: str) -> str:
    """A column's head in a few letters; its whole name is the tooltip."""
    return {"First try": "1st", "Your code": "Yours", "Second opinion": "2nd op.", "Fresh start": "Fresh"}.get(
        name, name.replace("Repair ", "R").replace("Opinion ", "Op. ")
    )
