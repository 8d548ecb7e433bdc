"""Writes the proof: the story of the healing, and which check passed for which program.

Each row opens to what was expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from agent.events import CheckListed, SuiteWritten
from agent.outcome.words import ORIGIN_WORDS, TIER_WORDS, plural
from agent.state import FAILED
from agent.trust.facts import ANCHORS
from demo.look.highlight import python_block
from demo.look.markup import div, hidden_text, icon, span, tag
from demo.view.facts import group_of, handed_back, outcomes_of, regressions
from demo.view.fold import RunView
from demo.view.names import attempt_names, check_words, is_property, sentence_case, short_name

from .story import message_of, story_panel
from .strip import CHIPS, whose

_SIGNS = {"pass": "pass", "fail": "fail", "error": "error", "timeout": "timeout"}
_NONE = {
    "finished": "No checks here: the output itself was compared.",
    "failed": "No check was run.",
    "stopped": "No check was run.",
}
_FEW = 3
"""The number of attempts up to which a phone has room for the name of a check beside them."""
_WORDS = {"pass": "passes", "fail": "fails", "error": "breaks off", "timeout": "takes too long", "not_run": "not run"}


def proof_panel(view: RunView) -> Markup:
    return tag(
        "section",
        div("panel-head", tag("h2", "Proof"), span("dim", "click a line to see more") if view.executions else None),
        div("proof-body", story_panel(view), matrix(view)),
        cls="proof",
        aria_label="Proof",
    )


def matrix(view: RunView) -> Markup:
    if not view.checks or not view.executions:
        none = _NONE.get(view.lifecycle, "Every check will stand here.")
        return tag("p", none, cls="hint")
    names = attempt_names(view)
    columns = {name: outcomes_of(view, candidate) for candidate, name in names.items()}
    columns = {name: outcomes for name, outcomes in columns.items() if outcomes}
    head = div(
        "matrix-head",
        span("matrix-name", plural(len(view.checks), "check")),
        *(span("matrix-cell", short_name(name), title=name) for name in columns),
        aria_hidden="true",
    )
    shared = _Columns(columns, {name: candidate for candidate, name in names.items()}, regressions(view))
    groups = (_group(view, group, words, shared) for group, words, _ in CHIPS)
    style = f"--columns:{len(columns)}"
    many = " many" if len(columns) > _FEW else ""
    return div(f"matrix{many}", head, *groups, style=style, role="group", aria_label="Checks by attempt")


@dataclass(frozen=True, slots=True)
class _Columns:
    """What the rows share. Each attempt is known by its name."""

    outcomes: dict[str, dict[str, str]]
    ids: dict[str, str]
    broken: frozenset[tuple[str, str]]
    """The (check, attempt) pairs in which the attempt fails what an earlier one passed."""


def _group(view: RunView, group: str, words: str, columns: _Columns) -> Markup | None:
    """Returns the checks of one group: a line that counts them, open if they decide or if something is left to
    explain."""
    mine = [one for one in _ordered(view) if group_of(_tier(view, *one), one[0].origin) == group]
    if not mine:
        return None
    ids = [check.id for _, check in mine if check.id not in view.quarantined]
    cells = (_count(name, [outcomes.get(one) for one in ids]) for name, outcomes in columns.outcomes.items())
    by_person = any(suite.origin == "person" for suite, _ in mine)
    name = span("matrix-name", sentence_case(whose(group, words, by_person)))
    left = group == "T0" or len(ids) < len(mine) or bool(_failing(view).intersection(ids))
    rows = (_row(view, suite, check, columns) for suite, check in mine)
    return tag(
        "details",
        tag("summary", name, *cells),
        *rows,
        cls="matrix-group",
        open=left and view.conclusion is not None,
        data_key=f"group-{group}",
    )


def _count(name: str, outcomes: Sequence[str | None]) -> Markup:
    passed, ran = outcomes.count("pass"), len(outcomes) - outcomes.count(None)
    kind = "none" if not ran else "pass" if passed == ran else "fail"
    told = (f"{passed}/{ran}", hidden_text(f" pass for {name}.")) if ran else (hidden_text(f" {name}: none counts."),)
    return span(f"matrix-cell cell-{kind}", *told, title=name)


def _tier(view: RunView, suite: SuiteWritten, check: CheckListed) -> str:
    """Returns the tier of a check. Before the first judgement its origin tells what to expect."""
    return view.tiers.get(check.id) or ("T0" if suite.origin in ANCHORS else "T2")


def _failing(view: RunView) -> set[str]:
    outcomes = outcomes_of(view, handed_back(view))
    return {check for check, outcome in outcomes.items() if outcome in FAILED}


def _ordered(view: RunView) -> list[tuple[SuiteWritten, CheckListed]]:
    """Returns the checks as they were written. Once the run is over, those that fail in the end stand first."""
    failing = _failing(view) if view.conclusion is not None else set[str]()
    return sorted(view.checks, key=lambda one: one[1].id not in failing or one[1].id in view.quarantined)


def _row(view: RunView, suite: SuiteWritten, check: CheckListed, columns: _Columns) -> Markup:
    aside = view.quarantined.get(check.id)
    tier = view.tiers.get(check.id, "")
    words = check_words(view, check.id)
    marks = (
        span("mark", "any input", title="A property, tried on many generated inputs")
        if is_property(check.id)
        else None,
        span("mark held", "held out", title="No repair ever saw this check") if check.held_out else None,
        span("mark aside", "changed" if suite.origin == "kept" else "set aside", title=aside)
        if aside is not None
        else None,
    )
    cells = [
        _cell(name, outcomes.get(check.id), (check.id, columns.ids[name]) in columns.broken and aside is None)
        for name, outcomes in columns.outcomes.items()
    ]
    name = span("matrix-name", span("check-name", words), *marks)
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
