"""Says why the verdict is what it is: the whole reason, what was assumed, and what was set aside."""

from __future__ import annotations

from markupsafe import Markup

from agent.outcome.words import plural, reads_well, sentence
from demo.look.markup import listed, section_fold, span, tag
from demo.view.facts import evidence_of, mapping, quarantine_facts, sequence
from demo.view.fold import RunView
from demo.view.names import all_names, check_words, in_words


def why_fold(view: RunView) -> Markup | None:
    if view.outcome is None:
        return None
    names, stopped = all_names(view), view.outcome.get("stop_reason")
    reasons = [one.strip() for one in str(view.outcome.get("verdict_reason") or "").split(";") if one.strip()]
    told = [str(evidence_of(view).get("overfit") or ""), *map(str, sequence(evidence_of(view).get("assumptions")))]
    assumed = [line for line in dict.fromkeys(told) if line]
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
        _chance(view),
    )


def _chance(view: RunView) -> Markup | None:
    """Returns how often programs with evidence like this were right; None if that was not measured."""
    found = mapping(evidence_of(view).get("chance"))
    if not isinstance(found.get("value"), int | float):
        return None
    span_ = f" ({found['low']:.0%} to {found['high']:.0%})" if {"low", "high"} <= set(found) else ""
    source = f", measured on {found['source']}" if found.get("source") else ""
    return tag("p", f"Programs with evidence like this were right in {found['value']:.0%} of cases{span_}{source}.")
