"""Shows every figure that was counted, in one list that wraps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from agent.events.conclusion import Compared
from agent.outcome.report import usage_of
from agent.outcome.words import counted, duration, money, plural, who_answers
from demo.look.markup import figures, section_fold, table, table_row
from demo.view.facts import check_facts, coverage_words, evidence_of, mutation_facts
from demo.view.fold import RunView


def figures_fold(view: RunView) -> Markup:
    usage = usage_of(view.calls)
    seconds = view.timeline[-1].at if view.timeline else 0.0
    tokens = f"{counted(usage.tokens)} tokens"
    summary = " · ".join((plural(usage.calls, "call"), tokens, duration(seconds)))
    return section_fold("figures", "Figures", summary, figures(_rows(view)), _by_model(view))


def _rows(view: RunView) -> list[tuple[str, str | None]]:
    facts = check_facts(view)
    held = [fact for fact in facts if fact.held_out]
    mutation = mutation_facts(view)
    found = evidence_of(view)
    compared = found.compared if found else None
    usage = usage_of(view.calls)
    return [
        ("Checks passed", _share(sum(fact.outcome == "pass" for fact in facts), len(facts)) if facts else "0 of 0"),
        ("Never shown to a repair", _share(sum(fact.outcome == "pass" for fact in held), len(held)) if held else None),
        ("Planted faults found by the checks", _share(*mutation) if mutation else None),
        ("Covered", coverage_words(view)),
        ("Same answer as a second program", _same(compared) if compared else None),
        ("Run again in separate processes", ("confirmed" if found.confirmed else "not confirmed") if found else None),
        ("Installed for it", ", ".join(found.packages) or None if found else None),
        ("Layout", found.style or None if found else None),
        ("Attempts", str(len(view.candidates))),
        ("Model calls", str(usage.calls)),
        ("Tokens in, out", f"{counted(usage.input_tokens)}, {counted(usage.output_tokens)}"),
        ("Cost", money(usage.cost_usd) if usage.calls else None),
        ("Budget", _budget(view)),
    ]


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}"


def _same(compared: Compared) -> str:
    return _share(compared.equal, compared.equal + compared.different + compared.no_answer)


def _budget(view: RunView) -> str | None:
    config: Mapping[str, Any] = view.started.config if view.started else {}
    calls, usd = config.get("budget_calls"), config.get("budget_usd")
    told = [f"{calls} calls" if calls else "", f"${usd:g}" if usd else ""]
    return ", ".join(filter(None, told)) or None


def _by_model(view: RunView) -> Markup | None:
    """Returns the table of who was asked, how often and for how many tokens; None without calls."""
    rows: dict[tuple[str, str], list[int]] = {}
    for call in view.calls:
        row = rows.setdefault((who_answers(call.provider, call.model), call.role.replace("_", " ")), [0, 0])
        row[0] += call.attempts
        row[1] += (call.input_tokens or 0) + (call.output_tokens or 0)
    if not rows:
        return None
    body = (table_row(role, model, calls, counted(tokens)) for (model, role), (calls, tokens) in rows.items())
    return table("Model calls by role", ("Role", "Model", "Calls", "Tokens"), body)
