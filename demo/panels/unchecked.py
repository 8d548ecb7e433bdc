"""Says what was not checked as plainly as what was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from agent.outcome.words import plural
from demo.look.markup import listed, section_fold, tag
from demo.view.facts import check_facts, evidence_of, mapping, mutation_facts, sequence
from demo.view.fold import RunView
from demo.view.names import all_names, in_words


def unchecked_fold(view: RunView) -> Markup | None:
    if view.outcome is None:
        return None
    lines = unchecked(view)
    names = all_names(view)
    checked = [f"{text}: {in_words(names, by)}" for text, by in _clauses(view) if by]
    return section_fold(
        "unchecked",
        "Not checked",
        plural(len(lines), "thing"),
        tag("ul", *(tag("li", line) for line in lines)),
        listed("Demanded and checked", checked),
    )


def unchecked(view: RunView) -> list[str]:
    """Returns one line for each thing that was not checked, from the evidence. The last lines hold for every run that
    did not measure them."""
    found = evidence_of(view)
    lines = [f"Demanded by the task: {text}" for text, by in _clauses(view) if not by]
    not_run = [fact for fact in check_facts(view) if fact.outcome in ("not executed", "not_run", "skipped")]
    if not_run:
        lines.append(f"{plural(len(not_run), 'check')} that did not run")
    missing = sequence(mapping(found.get("coverage")).get("missing"))
    if missing:
        lines.append("Code that no check reached: " + ", ".join(str(one) for one in missing[:6]))
    mutation = mutation_facts(view)
    alike = int(mapping(found.get("mutation")).get("alike") or 0)
    unnoticed = mutation[1] - mutation[0] - alike if mutation else 0
    if unnoticed:
        lines.append(f"{plural(unnoticed, 'small change')} to the program that no check would notice")
    if alike:
        changes = plural(alike, "small change")
        lines.append(f"{changes} that no check would notice and that changed no answer on the allowed inputs tried")
    if not found.get("confirmed"):
        lines.append("A second run with program and checks in separate processes did not confirm it")
    if not mapping(found.get("scaling")):
        lines.append("How time and memory grow with the size of the input")
    return [*lines, "Inputs that no check, example or generated value tried"]


def _clauses(view: RunView) -> list[tuple[str, str]]:
    """Returns (demand of the task, what checked it or "")."""
    rows = (mapping(row) for row in sequence(evidence_of(view).get("clauses")))
    return [(_demand(row), str(row.get("checked_by") or "")) for row in rows if row.get("text")]


def _demand(row: Mapping[str, Any]) -> str:
    """Returns the demand, with what the evidence adds: that it is not met, or why it stayed open."""
    told = "not met" if row.get("standing") == "broken" else str(row.get("note") or "")
    return f"{row['text']} ({told})" if told else str(row["text"])
