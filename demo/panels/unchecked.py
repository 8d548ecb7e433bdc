"""Says what was not checked as plainly as what was."""

from __future__ import annotations

from markupsafe import Markup

from agent.events.conclusion import ClauseEvidence, Evidence, MutationScore
from agent.outcome.words import plural
from demo.look.markup import listed, section_fold, tag
from demo.view.facts import check_facts, evidence_of
from demo.view.fold import RunView
from demo.view.names import all_names, in_words


def unchecked_fold(view: RunView) -> Markup | None:
    found = evidence_of(view)
    if found is None:
        return None
    lines = unchecked(view, found)
    names = all_names(view)
    checked = [f"{_demand(one)}: {in_words(names, one.checked_by)}" for one in found.clauses if one.checked_by]
    return section_fold(
        "unchecked",
        "Not checked",
        plural(len(lines), "thing"),
        tag("ul", *(tag("li", line) for line in lines)),
        listed("Demanded and checked", checked),
    )


def unchecked(view: RunView, found: Evidence) -> list[str]:
    """Returns one line for each thing that was not checked, from the evidence. The last lines hold for every run that
    did not measure them."""
    lines = [f"Demanded by the task: {_demand(one)}" for one in found.clauses if not one.checked_by]
    not_run = [fact for fact in check_facts(view) if fact.outcome in ("not executed", "not_run", "skipped")]
    if not_run:
        lines.append(f"{plural(len(not_run), 'check')} that did not run")
    if found.coverage and found.coverage.missing:
        lines.append("Code that no check reached: " + ", ".join(map(str, found.coverage.missing[:6])))
    if found.mutation:
        lines += _unnoticed(found.mutation)
    if not found.confirmed:
        lines.append("A second run with program and checks in separate processes did not confirm it")
    if not found.scaling:
        lines.append("How time and memory grow with the size of the input")
    return [*lines, "Inputs that no check, example or generated value tried"]


def _unnoticed(score: MutationScore) -> list[str]:
    left = score.total - score.killed - score.alike
    lines = [f"{plural(left, 'small change')} to the program that no check would notice"] if left else []
    if score.alike:
        shown = "that neither a check nor an allowed input that was tried shows"
        lines.append(f"{plural(score.alike, 'small change')} to the program {shown}")
    return lines


def _demand(clause: ClauseEvidence) -> str:
    """Returns the demand, with what the evidence adds: that it is not met, or why it stayed open."""
    told = "not met" if clause.standing == "broken" else clause.note
    return f"{clause.text} ({told})" if told else clause.text
