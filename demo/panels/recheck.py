"""Shows how an edited program did on the stored checks.

It is counted like any other program, and kept apart from the verdict above it.
"""

from __future__ import annotations

from markupsafe import Markup

from agent.outcome.words import plural
from demo.look.markup import div, icon, span, tag
from sandbox.types import CheckResult, Execution


def recheck_panel(ran: Execution) -> Markup:
    passed = sum(check.status == "pass" for check in ran.checks)
    good = ran.status in ("pass", "ok")
    told = f"{passed} of {plural(len(ran.checks), 'stored check')} pass" if ran.checks else f"it ended: {ran.status}"
    failing = [_failing(check) for check in ran.checks if check.status not in ("pass", "skipped") and check.message]
    scope = " No model was asked. The verdict above is about the program as it was handed back."
    return tag(
        "section",
        tag(
            "p",
            icon("pass" if good else "fail"),
            " ",
            tag("b", "Your edit: "),
            told + ".",
            span("dim", scope),
            cls="recheck-head",
        ),
        tag("pre", ran.error, cls="actual", tabindex="0") if ran.error and not failing else None,
        *failing,
        cls=f"recheck tone-{'good' if good else 'bad'}",
        role="status",
    )


def _failing(check: CheckResult) -> Markup:
    message = tag("pre", check.message, cls="actual", tabindex="0", role="region", aria_label=check.name)
    return div("failure", tag("p", icon("fail"), tag("code", check.name)), message)
