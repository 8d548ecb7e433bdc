"""Takes back what a repair changed without effect, so that the returned diff is the smallest one that does the same."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

from agent.checks.execution import PROBES, measure_coverage, run_calls, run_suite
from agent.context import Context
from agent.counting.comparing import comparable_calls
from agent.counting.counted import outcomes_so_far, runs_of
from agent.given.difference import hunks
from agent.given.symptoms import given_program
from agent.given.wording import finer, parses, with_words_of
from agent.law import inspect_new
from agent.programs import announce, announce_runs
from agent.state import AgentState, Candidate, Run
from llm.replies.files import split_files

MAX_TRIED = 8
"""The most changed places that are tried one by one, from the first one on."""
SMALLEST = "smallest change"
"""The strategy of a candidate that was made by code, not by a model."""
NOTE = "what made no difference was taken back to the given program"


async def with_smallest_change(state: AgentState, context: Context, best: Candidate) -> tuple[AgentState, Candidate]:
    """Returns the repair without changes that make no difference, and the state with its runs. Both are unchanged if
    nothing can be taken back, or if a clause of the task would no longer be seen to hold."""
    given = given_program(state)
    if given is None or best.kind != "repair" or state.brief is None or state.brief.kind != "fix":
        return state, best
    lean, runs = await _leanest(state, context, given, best)
    if not runs:
        return state, best
    leaner = replace(state, candidates=[*state.candidates, lean], runs=[*state.runs, *runs])
    leaner = replace(leaner, inspections=[*state.inspections, *await inspect_new(leaner, context)])
    if _kept_clauses(leaner, best) - _kept_clauses(leaner, lean):
        return state, best
    announce(context, state, lean)
    announce_runs(context, lean, [run for run in runs if run.suite != PROBES])
    return leaner, lean


def _kept_clauses(state: AgentState, candidate: Candidate) -> set[str]:
    told = (one.findings for one in reversed(state.inspections) if one.candidate == candidate.id)
    return {finding.text for finding in next(told, ()) if finding.standing == "kept"}


async def _leanest(
    state: AgentState, context: Context, given: Candidate, best: Candidate
) -> tuple[Candidate, list[Run]]:
    """Returns the leanest candidate and its runs; no runs when nothing could be taken back. Changed words (comments,
    docstrings) are all taken back together. Another change is taken back if each of its lines was executed and every
    check and input still ends as before."""
    number = 1 + max(int(candidate.id[1:]) for candidate in state.candidates)
    lean = replace(best, id=f"c{number}", parent=best.id, strategy=SMALLEST, note=NOTE)
    worded = with_words_of(given.code, best.code)
    runs = (
        await runs_alike(state, context, best, replace(lean, code=worded))
        if worded.rstrip() != best.code.rstrip()
        else []
    )
    lean = replace(lean, code=worded if runs else best.code)
    changes = Changes(given.code, lean.code)
    taken_back: set[int] = set()
    for place in changes.places(await _lines_never_run(state, context, replace(best, code=lean.code)))[:MAX_TRIED]:
        tried = replace(lean, code=changes.without({*taken_back, place}))
        if parses(tried.code) and (found := await runs_alike(state, context, best, tried)):
            taken_back.add(place)
            lean, runs = tried, found
    return lean, runs


class Changes:
    """The changed places between the given program and its repair."""

    def __init__(self, given: str, code: str) -> None:
        self._before, self._after = given.splitlines(), code.splitlines()
        both = parses(given) and parses(code)
        self._hunks = (finer if both else hunks)(self._before, self._after)

    def places(self, never_run: Collection[int] | None) -> list[int]:
        """Returns the numbers of the changes that may be tried. A line that never ran stays, because equal results say
        nothing about it. Returns [] when there is one change, which is the repair itself, or when it is unknown what
        ran."""
        changed = [place for place, hunk in enumerate(self._hunks) if hunk[0] != "equal"]
        if len(changed) < 2 or never_run is None:
            return []
        ran = {place: range(self._hunks[place][3] + 1, self._hunks[place][4] + 1) for place in changed}
        return [place for place, lines in ran.items() if lines and not set(lines) & set(never_run)]

    def without(self, taken_back: Collection[int]) -> str:
        """Returns the repair without these changes."""
        lines: list[str] = []
        for place, (kind, low, high, start, end) in enumerate(self._hunks):
            old = kind == "equal" or place in taken_back
            lines += self._before[low:high] if old else self._after[start:end]
        return "\n".join(lines) + "\n"


async def _lines_never_run(state: AgentState, context: Context, best: Candidate) -> Collection[int] | None:
    if split_files(best.code) is not None:
        return None  # coverage counts lines across all files, not within each file
    coverage = await measure_coverage(context, state.config, best, state.suites)
    return coverage.missing if coverage else None


async def runs_alike(state: AgentState, context: Context, best: Candidate, lean: Candidate) -> list[Run]:
    """Returns the runs of `lean`, if every check and every input ends as with `best`; [] otherwise."""
    calls = comparable_calls(state)
    asked = [run_calls(context, state.config, lean, calls)] if calls else []
    suites = (run_suite(context, state.config, lean, suite) for suite in state.suites)
    runs = list(await asyncio.gather(*suites, *asked))
    known = outcomes_so_far(state, best.id)
    outcomes = {key: outcome for run in runs for key, outcome in run.outcomes.items()}
    before = {call: output for run in runs_of(state, best.id) for call, output in run.outputs.items()}
    after = {call: output for run in runs if run.suite == PROBES for call, output in run.outputs.items()}
    same = all(key in outcomes and outcomes[key].status == known[key].status for key in known)
    return runs if same and all(after[call] == before[call] for call in before if call in after) else []
