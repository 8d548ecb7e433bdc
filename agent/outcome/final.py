"""Decides the verdict of a run as a whole.

`agent/trust/verdict.py` decides the verdict on one program from counted facts. This module handles what lies outside:
runs without a program, missing packages, tasks of several steps, and runs that the person ended. A run that breaks off
before it concludes never comes here; its word is that of `agent/outcome/report.py:verdict_unconcluded`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from agent.by_output.leaving import printed_told
from agent.by_output.running import Shown
from agent.events.conclusion import StepEvidence
from agent.examples.types import Demand
from agent.law.unnamed import told_unnamed, unchecked_demands
from agent.session.packages import lacks
from agent.state import AgentState
from agent.state.findings import VerdictWord
from agent.state.steps import Step, Steps
from agent.trust import Verdict

ENDED = "ended by the person"
_MOST_BYTES = 20_000_000
"""The most bytes that one step may leave behind: its files become part of the saved state."""
_WORDS: tuple[VerdictWord, ...] = ("verified", "partly_verified", "unverified", "failed")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w|\.\w)")


def without_program(state: AgentState) -> Verdict:
    """Returns the verdict on a run that wrote no program, or none that could be run."""
    declined = state.did("declined")
    return _ended_early(
        state,
        Verdict("failed", ("the model gave words instead of a program" if declined else "no program was written",)),
    )


def verdict_of_run(
    state: AgentState, verdict: Verdict, shown: Shown | None, signs: Sequence[str], passed_over: Sequence[str]
) -> Verdict:
    """Returns the verdict on the run. `verdict` is the policy's on the returned program, `shown` its last run as a
    script, `signs` are reasons against `verified`, and `passed_over` are sentences of the task that nothing is known to
    cover."""
    verdict = verdict_of_steps(state.steps, shown, signs) if state.steps else verdict
    verdict = _ended_early(state, verdict)
    told = told_unnamed([one for one in passed_over if not {*unchecked_demands([one])} & {*verdict.reasons}])
    return replace(verdict, reasons=(*verdict.reasons, told)) if told else verdict


def _ended_early(state: AgentState, verdict: Verdict) -> Verdict:
    """Returns the verdict, made `unverified` if the program could not be run for lack of a package, or if the person
    ended the run before the program was right: neither is a failure."""
    if gone := lacks(state):
        return Verdict("unverified", (gone,))
    if verdict.word != "failed" or not any(answer.action == "abort" for answer in state.answers):
        return verdict
    reasons = verdict.reasons if state.candidates else ()
    return replace(verdict, word="unverified", reasons=(ENDED, *reasons))


def word_without_program(step: Step, ended: str) -> tuple[VerdictWord, str]:
    """Returns verdict and reason for a step for which nothing was written. A step that was opened again keeps its
    earlier program. `ended` says why the run must end."""
    return "unverified" if ended or step.code else "failed", ended or "no program was written"


def left_by(shown: Shown) -> dict[str, bytes] | None:
    """Returns the files that the next steps find, by name; None when they are too large. Python files are left out,
    because they could take the place of modules that the next step imports."""
    left = {one.name: one.data for one in shown.artifacts if not one.name.endswith(".py")}
    return left if sum(map(len, left.values())) <= _MOST_BYTES else None


def word_for(step: Step, verdict: Verdict, demand: Demand, shown: Shown) -> tuple[VerdictWord, str]:
    """Returns verdict and reason for one step. `verdict` is the policy's, `shown` the last run of the step's
    program. Data that the author may choose freely cannot be recomputed; then it counts that the file was left and that
    it holds every number that the step names."""
    if shown.fate != "ok":
        return "failed", shown.lacks or shown.execution.error or shown.fate
    if left_by(shown) is None:
        return "failed", f"it left more than {_MOST_BYTES:,} bytes behind"
    if not (verdict.word == "unverified" and demand.by_chance and step.leaves and not step.values):
        return verdict.word, "; ".join(verdict.reasons)
    free = "what it writes is left to its author, so that nothing can be recomputed"
    if absent := _absent_numbers(step, shown):
        return "unverified", f"{free}; {', '.join(absent)} of the task stand in none of its files"
    return "partly_verified", f"{free}; what it leaves was looked at"


def _absent_numbers(step: Step, shown: Shown) -> list[str]:
    """Returns numbers that the step names and that neither stand in its files nor count their rows. Two such numbers
    that bound everything in the files, as in "between 1 and 1,000", are not absent."""
    texts = [one.data.decode("utf-8", "replace").strip() for one in shown.artifacts]
    cells = [number for text in texts for number in _NUMBER.findall(text)]
    rows = [str(count) for text in texts for count in (text.count("\n"), text.count("\n") + 1)]
    told = [number for one in shown.left for number in _NUMBER.findall(one.told)]
    task = re.sub(r"(?<=\d),(?=\d{3}\b)", "", step.task)
    absent = [number for number in _NUMBER.findall(task) if number not in (*cells, *rows, *told)]
    if len(absent) != 2 or not cells or not re.search(r"\D{1,6}".join(map(re.escape, absent)), task):
        return absent
    low, *_, high = sorted([*map(float, cells), *map(float, absent)])
    return [] if {low, high} == set(map(float, absent)) else absent


def verdict_of_steps(steps: Steps, shown: Shown | None, signs: Sequence[str]) -> Verdict:
    """Returns the worst verdict of the steps, with a reason for each. `shown` is the run of all steps one after the
    other; `signs` are reasons against `verified`."""
    reasons: list[str] = []
    for number, step in enumerate(steps.parts, 1):
        told = f" ({found})" if (found := came_to(step)) else ""
        reasons.append(f"step {number}: {(step.word or 'not done').replace('_', ' ')}{told}")
    words: list[VerdictWord] = [step.word or "unverified" for step in steps.parts]
    other = _not_found_again(steps, shown) if shown else []
    if shown is None or shown.fate != "ok":
        words.append("failed")
        told = shown.lacks or f"{shown.fate}: {shown.execution.error}" if shown else "nothing"
        reasons.append(f"run one after the other, they end with {told}")
    elif other:
        reasons.append(f"run one after the other, they do not give the same again ({other[0]})")
    if signs:
        words.append("partly_verified")
    return Verdict(max(words, key=_WORDS.index), (*reasons, *signs))


def came_to(step: Step) -> str:
    """Returns what the step left behind, if that was found right; otherwise the reason of its verdict."""
    return " / ".join(step.seen) if step.seen and step.word in ("verified", "partly_verified") else step.reason


def _not_found_again(steps: Steps, shown: Shown) -> list[str]:
    """Returns what was found after single steps but not after the run of all steps. A file that a later step rewrites
    is compared with that step, and a printed line counts wherever it appears, because other steps may print the same
    name."""
    again = {one.told for one in shown.left}
    again |= {printed_told(line) for line in shown.execution.stdout.splitlines()}
    other: list[str] = []
    for place, step in enumerate(steps.parts):
        anew = tuple(f"{PurePosixPath(name).name}: ".lower() for one in steps.parts[place + 1 :] for name in one.left)
        other += [told for told in step.seen if told not in again and not told.lower().startswith(anew)]
    return other


def evidence_of_steps(steps: Steps) -> tuple[StepEvidence, ...]:
    """Returns for each step, in order, what the outcome tells of it."""
    return tuple(
        StepEvidence(
            task=step.task,
            verdict=step.word or "unverified",
            reason=step.reason or "not done",
            left=tuple(step.seen),
            reopened=step.blamed,
        )
        for step in steps.parts
    )
