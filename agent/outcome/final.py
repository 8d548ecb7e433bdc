"""The last word on a run: the policy's, and what stands above it.

`agent/trust/verdict.py` says the word on a program from counted facts. It is not asked where there is none, where a
package is missing, or of a task of several steps as a whole; and what a person ended before it was right has not
failed. A run that breaks off before its last box has no word: `report.py` tells it as `unverified`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from agent.examples.types import Demand
from agent.law.unnamed import told_unnamed
from agent.packages import lacks
from agent.scripts.leaving import printed_told
from agent.scripts.running import Shown
from agent.state import AgentState
from agent.steps import Step, Steps, VerdictWord
from agent.trust import Verdict

ENDED = "ended by the person"
_MOST_BYTES = 20_000_000
"""Of all files that one step leaves behind: they are part of the saved state."""
_WORDS: tuple[VerdictWord, ...] = ("verified", "partly_verified", "unverified", "failed")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w|\.\w)")


def without_program(state: AgentState) -> Verdict:
    """On a run that wrote no program, or none that could be run."""
    declined = state.did("declined")
    return _ended_early(state, Verdict("failed", ("the model declined" if declined else "no program was written",)))


def last_word(
    state: AgentState, word: Verdict, shown: Shown | None, signs: Sequence[str], passed_over: Sequence[str]
) -> Verdict:
    """`word`: the policy's on the returned program; `shown`: its last run as a script; `signs`: what rules out
    `verified`; `passed_over`: sentences of the task that nothing is known to be about."""
    word = verdict_of_steps(state.steps, shown, signs) if state.steps else word
    word = _ended_early(state, word)
    told = told_unnamed(passed_over)
    return replace(word, reasons=(*word.reasons, told)) if told else word


def _ended_early(state: AgentState, word: Verdict) -> Verdict:
    """The same; but what a person ended before it was right has not failed, nor has what was never run."""
    if gone := lacks(state):
        return Verdict("unverified", (gone,))
    if word.word != "failed" or not any(answer.action == "abort" for answer in state.answers):
        return word
    reasons = word.reasons if state.candidates else ()
    return replace(word, word="unverified", reasons=(ENDED, *reasons))


def word_without_program(step: Step, ended: str) -> tuple[VerdictWord, str]:
    """On a step for which nothing was written, with the reason; one that is opened again keeps the program that it had.
    `ended`: why the run must end."""
    return "unverified" if ended or step.code else "failed", ended or "no program was written"


def left_by(shown: Shown) -> dict[str, bytes] | None:
    """What the next steps find, by name; None for too much. A module that a step writes would stand in the way of what
    the next one imports."""
    left = {one.name: one.data for one in shown.artifacts if not one.name.endswith(".py")}
    return left if sum(map(len, left.values())) <= _MOST_BYTES else None


def word_for(step: Step, word: Verdict, demand: Demand, shown: Shown) -> tuple[VerdictWord, str]:
    """On one step, with the reason. `word`: the policy's; `shown`: its program's last run. Data that its author may
    choose cannot be recomputed: there the file is what counts, and that it holds every number that the step names."""
    if shown.fate != "ok":
        return "failed", shown.lacks or shown.execution.error or shown.fate
    if left_by(shown) is None:
        return "failed", f"it left more than {_MOST_BYTES:,} bytes behind"
    if not (word.word == "unverified" and demand.by_chance and step.leaves and not step.values):
        return word.word, "; ".join(word.reasons)
    free = "what it writes is left to its author, so that nothing can be recomputed"
    if absent := _absent_numbers(step, shown):
        return "unverified", f"{free}; {', '.join(absent)} of the task stand in none of its files"
    return "partly_verified", f"{free}; what it leaves was looked at"


def _absent_numbers(step: Step, shown: Shown) -> list[str]:
    """Numbers that the step names and that are neither in its files, nor how many rows these have; two of them are the
    bounds of what is there, as in "between 1 and 1,000"."""
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
    """The worst of the steps, each named with its word. `shown`: the run of all of them, one after the other;
    `signs`: what rules out `verified`."""
    reasons: list[str] = []
    for number, step in enumerate(steps.parts, 1):
        told = f" ({found})" if (found := came_to(step)) else ""
        reasons.append(f"step {number}: {(step.word or 'not done').replace('_', ' ')}{told}")
    words: list[VerdictWord] = [step.word or "unverified" for step in steps.parts]
    other = _not_again(steps, shown) if shown else []
    if shown is None or shown.fate != "ok":
        words.append("failed")
        told = f"{shown.fate}: {shown.lacks or shown.execution.error}" if shown else "nothing"
        reasons.append(f"run one after the other, they end with {told}")
    elif other:
        reasons.append(f"run one after the other, they do not give the same again ({other[0]})")
    if signs:
        words.append("partly_verified")
    return Verdict(max(words, key=_WORDS.index), (*reasons, *signs))


def came_to(step: Step) -> str:
    """What it left behind, where that was found right; else the reason of its word."""
    return " / ".join(step.seen) if step.seen and step.word in ("verified", "partly_verified") else step.reason


def _not_again(steps: Steps, shown: Shown) -> list[str]:
    """What was found behind single steps and not behind all of them. A file that a later step writes anew is told of
    with that one, and a line counts wherever it is printed: other steps may print the same name."""
    again = {one.told for one in shown.left}
    again |= {printed_told(line) for line in shown.execution.stdout.splitlines()}
    other: list[str] = []
    for place, step in enumerate(steps.parts):
        anew = tuple(f"{PurePosixPath(name).name}: ".lower() for one in steps.parts[place + 1 :] for name in one.left)
        other += [told for told in step.seen if told not in again and not told.lower().startswith(anew)]
    return other


def evidence_of_steps(steps: Steps) -> list[dict[str, Any]]:
    """For the outcome: what each step came to, in the order of the steps."""
    return [
        {
            "task": step.task,
            "verdict": step.word or "unverified",
            "reason": step.reason or "not done",
            "left": list(step.seen),
            "reopened": step.blamed,
        }
        for step in steps.parts
    ]
