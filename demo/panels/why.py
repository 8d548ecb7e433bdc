"""Says why the verdict is what it is: the whole reason, what was assumed, and what was set aside."""

from __future__ import annotations

from markupsafe import Markup

from agent.outcome.words import plural, reads_well, sentence
from agent.trust import Chance
from demo.look.markup import listed, section_fold, span, tag
from demo.view.facts import quarantine_facts
from demo.view.fold import RunView
from demo.view.names import all_names, check_words, in_words


def why_fold(view: RunView) -> Markup | None:
    if view.conclusion is None:
        return None
    names, stopped, found = all_names(view), view.conclusion.stop_reason, view.conclusion.evidence
    reasons = [one.strip() for one in view.conclusion.verdict_reason.split(";") if one.strip()]
    assumed = [line for line in dict.fromkeys((found.overfit, *found.assumptions)) if line]
    aside = [
        tag("li", tag("b", check_words(view, name)), ": ", in_words(names, reason), title=name)
        for name, reason in quarantine_facts(view)
    ]
    return section_fold(
        "why",
        "Why this verdict",
        plural(len(reasons), "reason") + (f", {len(aside)} set aside" if aside else ""),
        tag("ul", *(tag("li", in_words(names, sentence(reads_well(one)))) for one in reasons)),
        tag("p", span("dim", f"It stopped because: {stopped}.")) if stopped else None,
        listed("Assumed", (in_words(names, sentence(line)) for line in assumed)),
        tag("h3", "Checks set aside, and why") if aside else None,
        tag("ul", *aside) if aside else None,
        _chance(found.chance) if found.chance else None,
    )


def _chance(found: Chance) -> Markup:
    """Returns how often programs with evidence like this were right."""
    told = f"{found.value:.0%} of cases ({found.low:.0%} to {found.high:.0%}), measured on {found.source}"
    return tag("p", f"Programs with evidence like this were right in {told}.")
