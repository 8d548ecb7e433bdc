"""The evidence card: the verdict in one word, why, and every figure behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from demo.facts import (
    CheckFact,
    check_facts,
    coverage_words,
    evidence_of,
    mapping,
    mutation_facts,
    quarantine_facts,
    sequence,
    usage_of,
)
from demo.markup import div, fold_away, icon, join, span, tag
from demo.view import RunView
from demo.words import (
    ORIGIN_WORDS,
    SCRIPTED,
    SCRIPTED_LONG,
    TIER_WORDS,
    duration,
    money,
    node_words,
    plural,
    sentence,
    verdict_words,
)

_AXES = ("network", "files", "memory", "disk", "processes", "environment")


def evidence_card(view: RunView) -> Markup:
    if view.phase == "new":
        return _empty()
    tone, sign, word, reason = _headline(view)
    facts = check_facts(view)
    return tag(
        "section",
        div(
            "verdict-head",
            span("verdict-sign", icon(sign)),
            div("verdict-words", tag("h2", word), tag("p", reason, cls="verdict-reason")),
            scripted_badge(view),
        ),
        tag("p", str((view.outcome or {}).get("answer") or ""), cls="answer") if _answer(view) else None,
        _figures(view, facts),
        _tiers(facts),
        _warnings(view),
        _quarantine(view),
        _isolation(view),
        cls=f"card evidence tone-{tone}",
        aria_label="Verdict and evidence",
    )


def scripted_badge(view: RunView) -> Markup | None:
    return span("badge scripted", SCRIPTED, title=SCRIPTED_LONG) if view.scripted else None


def _empty() -> Markup:
    return tag(
        "section",
        div(
            "verdict-head",
            span("verdict-sign", icon("shield")),
            div(
                "verdict-words",
                tag("h2", "No run yet"),
                tag("p", "The verdict and everything it rests on will stand here.", cls="verdict-reason"),
            ),
        ),
        cls="card evidence tone-plain",
        aria_label="Verdict and evidence",
    )


def _answer(view: RunView) -> bool:
    return bool((view.outcome or {}).get("answer"))


def _headline(view: RunView) -> tuple[str, str, str, str]:
    """(tone, icon, word, reason)."""
    if view.phase in ("failed", "waiting", "running") or view.outcome is None:
        return _unfinished(view)
    verdict = str(view.outcome.get("verdict") or "")
    reason = str(view.outcome.get("verdict_reason") or "")
    signs = {
        "verified": ("good", "shield"),
        "partly_verified": ("fair", "shield"),
        "unverified": ("warn", "question"),
        "failed": ("bad", "fail"),
    }
    tone, sign = signs.get(verdict, ("plain", "stop"))
    word = verdict_words(verdict) if verdict in signs else "Stopped"
    return tone, sign, word, sentence(reason) or f"Ended: {view.outcome.get('stop_reason') or 'no verdict was reached'}"


def _unfinished(view: RunView) -> tuple[str, str, str, str]:
    if view.phase == "failed":
        return "bad", "error", "Could not run", view.error
    if view.phase == "waiting":
        return (
            "warn",
            "pause",
            "Waiting for you",
            "The run is paused until you answer. Nothing is spent meanwhile.",
        )
    if view.phase == "stopped":
        return (
            "plain",
            "stop",
            "Stopped",
            "Nothing after the last line of the timeline was run. No verdict was reached.",
        )
    doing = " and ".join(node_words(node).lower() for node in view.active) or "getting ready"
    return "busy", "node", "Running", f"Now: {doing}. A verdict is counted at the end, never before."


def _figures(view: RunView, facts: Sequence[CheckFact]) -> Markup:
    passed = sum(fact.outcome == "pass" for fact in facts)
    held = [fact for fact in facts if fact.held_out]
    mutation = mutation_facts(view)
    confirmed = evidence_of(view).get("confirmed")
    usage = usage_of(view)
    seconds = view.steps[-1].at if view.steps and view.outcome is not None else None
    tiles = [
        ("Checks passed", f"{passed} / {len(facts)}" if facts or view.outcome is not None else None),
        ("Held out", f"{sum(fact.outcome == 'pass' for fact in held)} / {len(held)}" if held else None),
        ("Mutants killed", f"{mutation[0]} / {mutation[1]}" if mutation else None),
        ("Coverage", coverage_words(view)),
        ("Confirmed", None if confirmed is None else "yes" if confirmed else "no"),
        ("Attempts", str(len(view.candidates))),
        ("Model calls", str(usage.calls)),
        ("Tokens in / out", f"{usage.input_tokens:,} / {usage.output_tokens:,}".replace(",", "\u202f")),
        ("Cost", money(usage.cost_usd) if usage.calls else None),
        ("Time", duration(seconds) if seconds is not None else None),
    ]
    shown = [div("figure", tag("dt", name), tag("dd", value)) for name, value in tiles if value is not None]
    return tag("dl", *shown, cls="figures")


def _tiers(facts: Sequence[CheckFact]) -> Markup | None:
    if not facts:
        return None
    rows = [_tier_row(tier, [fact for fact in facts if fact.tier == tier]) for tier in ("T0", "T1", "T2", "")]
    return tag("table", tag("caption", "Checks by trust", cls="sr"), tag("tbody", *rows), cls="tiers")


def _tier_row(tier: str, facts: Sequence[CheckFact]) -> Markup | None:
    if not facts:
        return None
    passed = sum(fact.outcome == "pass" for fact in facts)
    origins = Counter(fact.origin for fact in facts)
    told = ", ".join(f"{count} {_origin(origin)}" for origin, count in origins.most_common())
    bar = span("bar", span("bar-fill", style=f"width:{round(100 * passed / len(facts))}%"), aria_hidden="true")
    badge = span(f"tier tier-{tier or 'none'}", tier or "not ranked yet")
    row = tag(
        "tr",
        tag("th", div("tier-name", badge, span("tier-words", TIER_WORDS.get(tier, ""))), scope="row"),
        tag("td", bar, span("count", f"{passed} of {len(facts)} pass"), cls="tier-count"),
        tag("td", told, cls="tier-origin"),
        cls="all-pass" if passed == len(facts) else "some-fail",
    )
    failing = [_failing(fact) for fact in facts if fact.outcome != "pass"]
    more = tag("tr", tag("td", tag("ul", *failing, cls="failing"), colspan="3"), cls="failing-row") if failing else None
    return join((row, more))


def _failing(fact: CheckFact) -> Markup:
    message = div("check-message", fact.message, tabindex="0") if fact.message else None
    return tag("li", tag("code", fact.name), span("dim", f" {fact.outcome}"), message)


def _origin(origin: str) -> str:
    return next((words for known, words in ORIGIN_WORDS.items() if known == origin), origin)


def _warnings(view: RunView) -> Markup | None:
    """What the engine assumed, and its alarm when only the checks that were shown pass."""
    evidence = evidence_of(view)
    told = [str(evidence.get("overfit") or ""), *(str(one) for one in sequence(evidence.get("assumptions")))]
    lines = [tag("li", line) for line in dict.fromkeys(told) if line]
    return tag("ul", *lines, cls="assumptions") if lines else None


def _quarantine(view: RunView) -> Markup | None:
    rows = quarantine_facts(view)
    if not rows:
        return None
    items = [tag("li", tag("code", name), ": ", reason) for name, reason in rows]
    title = f"{plural(len(rows), 'check')} set aside, with the reason"
    return fold_away("quarantine", join((icon("ruling"), title)), tag("ul", *items), is_open=True)


def _isolation(view: RunView) -> Markup | None:
    told = mapping(evidence_of(view).get("isolation")) or (view.started.isolation if view.started else {})
    if not told:
        return None
    items = [div("axis", tag("dt", axis.capitalize()), tag("dd", str(told[axis]))) for axis in _AXES if axis in told]
    level = f" (level: {told['level']})" if told.get("level") else ""
    return fold_away(
        "isolation", join((icon("shield"), f"Isolation of the program{level}")), tag("dl", *items, cls="axes")
    )
