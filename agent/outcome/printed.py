"""Runs the returned program a last time as a script, keeps its files, and tells its output in sentences."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from agent.by_output.agreement import recomputing
from agent.by_output.asked import not_put_out
from agent.by_output.demand import demand_of
from agent.by_output.figures import figures_in, same_figures
from agent.by_output.output import output_of, read_output
from agent.by_output.running import Shown, show
from agent.checks.execution import SCRIPT
from agent.context import Context
from agent.counting.comparing import by_output
from agent.counting.counted import facts_of, runs_of
from agent.events.conclusion import DrawnAxes, PrintedFigure, ScriptEvidence
from agent.source.parsing import module_of
from agent.state import AgentState, Candidate
from agent.trust.facts import LACKS_OUTPUT, OUTPUT

SHOWN_CHARS = 8000
"""The most characters of printed text that are handed over."""
_TOLD_FIGURES = 12
_TOLD_LINES = 12


async def last_run(state: AgentState, context: Context, best: Candidate) -> Shown | None:
    """Runs the program as a script once more and keeps its files. Returns None for a program that waits for arguments
    or input, and for a module that does nothing when started."""
    if not (by_output(state) or _starts_something(state, best)):
        return None
    shown = await show(context, state.config, best.code, demand_of(state))
    if not by_output(state) and shown.fate != "ok":
        return None
    for artifact in shown.artifacts:
        await context.keep(artifact)
    return shown


def left_out_of(state: AgentState, shown: Shown) -> list[str]:
    """Returns sentences on statistics that the task names and that a finished script did not put out, and on what of
    its pictures nobody looks at."""
    if not by_output(state) or shown.fate != "ok":
        return []
    named = () if state.steps else not_put_out(state.task.text, shown.execution.stdout, shown.artifacts)
    return [*named, *_not_looked_at(shown)]


def _not_looked_at(shown: Shown) -> list[str]:
    recorded = {drawing.picture for drawing in shown.drawings}
    drawn = [one.name for one in shown.pictures]
    bare = [name for name in drawn if name not in recorded]
    told = [f"nobody looked at what {', '.join(bare)} shows"] if bare else []
    seen = [name for name in drawn if name in recorded]
    return [*told, f"nobody looked at title, legend and colours of {', '.join(seen)}"] if seen else told


def _starts_something(state: AgentState, best: Candidate) -> bool:
    """Returns whether a function or class has a main guard, and so does something when started."""
    if state.brief is None or state.brief.kind not in ("function", "class"):
        return False
    body = module_of(best.code).body
    return any(isinstance(one, ast.If) and "__name__" in ast.unparse(one.test) for one in body)


def script_evidence(state: AgentState, best: Candidate, shown: Shown) -> ScriptEvidence:
    """Returns how the script ended, its figures and pictures, and whether another run and other programs gave the
    same."""
    printed = shown.execution.stdout
    figures = figures_in(printed)
    own_data = best.id in recomputing(state).values()
    return ScriptEvidence(
        ended=shown.fate,
        lacks=shown.lacks or (shown.execution.error if shown.fate != "ok" else ""),
        figures=tuple(PrintedFigure(" ".join(one.words), one.value, one.text) for one in figures),
        pictures=shown.pictures,
        axes=tuple(
            DrawnAxes(drawing.picture, axes.title, axes.x, axes.y)
            for drawing in shown.drawings
            for axes in drawing.axes
        ),
        files=tuple(artifact.name for artifact in shown.artifacts),
        repeated=_repeated(state, best, shown),
        by_chance=demand_of(state).by_chance and not own_data,
        own_data=own_data,
        recomputed_by=_recomputed_by(state, best) if by_output(state) else (),
    )


def _repeated(state: AgentState, best: Candidate, shown: Shown) -> bool:
    """Returns whether the last run gave the same figures as the run that was judged."""
    run = next((run for run in runs_of(state, best.id) if run.suite == SCRIPT), None)
    before = read_output(run.outputs[OUTPUT]) if run is not None else None
    now = read_output(output_of(shown.execution, shown.drawings, demand_of(state)))
    if before is None or now is None:
        return run is None
    return same_figures(figures_in(before.printed), figures_in(now.printed), ordered=True)


def _recomputed_by(state: AgentState, best: Candidate) -> tuple[str, ...]:
    """Returns the ids of independent programs with the same output."""
    facts = {one.id: one for one in facts_of(state).candidates}
    mine = facts[best.id].outputs.get(OUTPUT)
    if mine is None or mine.kind != "value":
        return ()
    return tuple(i for i, one in facts.items() if one.root != facts[best.id].root and one.outputs.get(OUTPUT) == mine)


def said_of(evidence: ScriptEvidence, printed: str) -> list[str]:
    """Returns sentences for the person: the figures first, then the pictures, then who recomputed them."""
    if evidence.ended != "ok" and evidence.lacks.startswith(LACKS_OUTPUT):
        return [f"Run as a script it ends, but {evidence.lacks.removeprefix(LACKS_OUTPUT)}."]
    if evidence.ended != "ok":
        return [f"Run as a script it ended with {evidence.ended}: {evidence.lacks}."]
    said = [_figures_told(evidence.figures, printed)] if printed.strip() else []
    pictures = [f"{one.name} ({one.width} x {one.height} pixels)" for one in evidence.pictures]
    said += [f"It drew {', '.join(pictures)}."] if pictures else []
    drawn = {one.name for one in evidence.pictures}
    others = [name for name in evidence.files if name not in drawn]
    said += [f"It wrote {', '.join(others)}."] if others else []
    if by := evidence.recomputed_by:
        said.append(_recomputed_told(len(by), evidence))
    return said if evidence.repeated else [*said, "Run once more, it prints other figures; these are the last ones."]


def _recomputed_told(programs: int, evidence: ScriptEvidence) -> str:
    """Tells what independent programs have in common with this one: with random figures only how much is drawn, and
    beside figures not the wording."""
    many = programs > 1
    who = f"{programs} independent programs" if many else "An independent program"
    if evidence.own_data:
        verb = "compute" if many else "computes"
        return f"{who} {verb} the same figures from the data that this script made; how it made them nobody checked."
    if evidence.by_chance:
        return f"{who} {'draw' if many else 'draws'} the same, as far as chance lets it be compared."
    if evidence.pictures and not evidence.figures:
        return f"{who} {'draw' if many else 'draws'} the same where both draw."
    return f"{who} {'put' if many else 'puts'} out the same{' figures' if evidence.figures else ''}."


def _figures_told(figures: Sequence[PrintedFigure], printed: str) -> str:
    """Tells what was printed, line by line. If every line holds a figure with a name, that is the answer; otherwise the
    answer may be a word, and the lines are only told as printed."""
    lines = [" ".join(line.split()).rstrip(".;,") for line in printed.splitlines() if line.strip()]
    named = all(one.label for one in figures) and all(map(figures_in, lines))
    if figures and named and len(figures) <= _TOLD_FIGURES:
        return f"The answer: {'; '.join(lines)}."
    more = f" and {len(lines) - _TOLD_LINES} more lines" if len(lines) > _TOLD_LINES else ""
    return f"It printed: {' / '.join(lines[:_TOLD_LINES])[:600]}{more}."
