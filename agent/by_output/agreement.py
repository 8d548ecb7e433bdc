"""Finds which scripts put out the same. The policy knows outputs only as equal or different, so outputs that agree get
one and the same text here first."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Any, cast

from agent.checks.execution import LEFT_TO_CHANCE, SCRIPT
from agent.examples.types import Demand
from agent.source.inputs import literal
from agent.source.parsing import module_of
from agent.state import AgentState
from agent.trust import CandidateFacts
from agent.trust.facts import OUTPUT, WORDING
from sandbox.types import CallOutput, FileData

from .data import WITHOUT_ROWS
from .figures import figures_in
from .months import in_one_naming
from .output import (
    Output,
    agree,
    comparable,
    conclude_alike,
    counts_named,
    in_short,
    made_data,
    read_output,
    same_printed,
    tells_nothing,
)
from .words import WORD

RECOMPUTES = "recomputes"
"""The strategy of a program that recomputes figures from the files that its parent program made."""
_ASKING = "how they ask and how they name their figures"
_FEWEST = 3
"""How many runs two programs must print differently before that is taken for their wording."""
_STATUS = re.compile(r"(?<![\w.])\d{1,3}(?![\w.]*\w)")
"""Matches a number that may be an exit status."""
_OTHER = " (with other content, no."
"""Added to an output that reads like another one in short but differs, as two pictures do."""


def settled(
    state: AgentState, candidates: Sequence[CandidateFacts], demand: Demand
) -> tuple[list[CandidateFacts], str]:
    """Returns the candidates with one and the same output where their outputs agree, and, in words, what equal runs of
    programs may still differ in ("" for nothing)."""
    if state.brief is not None and state.brief.form == "program":
        codes = {one.id: one.code for one in state.candidates}
        named = set(_STATUS.findall(state.task.text))
        told = {one.id: {call: _refused(ran, named) for call, ran in one.outputs.items()} for one in candidates}
        runs = settled_runs(told, codes)
        fixed = state.brief.examples or state.task.tests
        if worded := set[str]() if fixed else _worded_otherwise(candidates, runs, codes):
            other = dict.fromkeys(worded, CallOutput("opaque", WORDING))
            return [replace(one, outputs={**runs[one.id], **other}) for one in candidates], WORDING
        return [replace(one, outputs=runs[one.id]) for one in candidates], _ASKING if asks(codes.values()) else ""
    told = {one.id: one.outputs[OUTPUT] for one in candidates if OUTPUT in one.outputs}
    files = state.task.files
    rows = not files or not all(f"{name} {WITHOUT_ROWS}" in state.problems for name in files)
    order = [one.id for one in candidates]
    outputs = settled_outputs(told, order, demand, recomputing(state), task=state.task.text, rows=rows)
    merged = {name: {OUTPUT: output} for name, output in outputs.items()}
    return [replace(one, outputs={**one.outputs, **merged.get(one.id, {})}) for one in candidates], ""


def _refused(told: CallOutput, named: Collection[str]) -> CallOutput:
    """Returns the run with one common status for refused input, unless the task names the status: otherwise each author
    chooses it."""
    run = _run_told(told.text) if told.kind == "value" and "'exit_code'" in told.text else {}
    status = run.get("exit_code", 0)
    chosen = isinstance(status, int) and status > 0 and str(status) not in named
    return replace(told, text=repr({**run, "exit_code": "not 0"})) if chosen else told


def _worded_otherwise(
    candidates: Sequence[CandidateFacts], runs: Mapping[str, Mapping[str, CallOutput]], codes: Mapping[str, str]
) -> set[str]:
    """Returns the runs that independent programs only word differently: both accept or both refuse the input, and
    neither prints a figure where the other prints another one. Returns none if two programs ever print the same
    accepted text: then their wording is not a matter of taste."""
    worded, apart = set[str](), set[str]()
    for one, other in combinations(candidates, 2):
        if one.root == other.root or codes[one.id] == codes[other.id]:
            continue
        for call in runs[one.id].keys() & runs[other.id].keys():
            mine, theirs = _printed(runs[one.id][call]), _printed(runs[other.id][call])
            if mine is None or theirs is None or (mine[0] == 0) != (theirs[0] == 0):
                apart.add(call)
            elif mine[0] == 0 and mine[1] == theirs[1] != "":
                return set()
            elif not _figures_fit(mine[1], theirs[1]):
                apart.add(call)
            elif mine[1] != theirs[1]:
                worded.add(call)
    return worded - apart if len(worded - apart) >= _FEWEST else set()


def _figures_fit(one: str, other: str) -> bool:
    """Returns whether the figures of one text hold all of the other's."""
    mine, theirs = (Counter(figure.text for figure in figures_in(text)) for text in (one, other))
    return mine <= theirs or theirs <= mine


def _printed(told: CallOutput) -> tuple[Any, str] | None:
    """Returns exit status and printed text of a run; None when the run gave none."""
    run = _run_told(told.text) if told.kind == "value" else {}
    return (run.get("exit_code"), run["stdout"]) if isinstance(run.get("stdout"), str) else None


def _run_told(text: str) -> dict[str, Any]:
    """Returns the parts of a run by name; {} when the text is no run."""
    read = literal(text)
    return cast("dict[str, Any]", read[0]) if read is not None and isinstance(read[0], dict) else {}


def asks(codes: Iterable[str]) -> bool:
    """Returns whether one of these programs asks for its input in words."""
    return any(map(prompts_of, codes))


def recomputing(state: AgentState) -> dict[str, str]:
    """Returns program -> the program whose files it reads, for each program that recomputes."""
    return {one.id: one.parent or "" for one in state.candidates if one.strategy == RECOMPUTES}


def made_by(state: AgentState, candidate: str, demand: Demand) -> dict[str, FileData]:
    """Returns the data files, by name, that a script made for itself by its own choice. Returns {} unless the script
    prints figures and draws no number of things that the task names, for otherwise outputs can be compared directly."""
    run = next((run for run in state.runs if (run.candidate, run.suite) == (candidate, SCRIPT)), None)
    own = demand.by_chance and not state.task.files
    output = read_output(run.outputs[OUTPUT]) if run is not None and own else None
    return made_data(run) if run is not None and output and not counts_named(output, demand) else {}


def settled_outputs(
    told: Mapping[str, CallOutput],
    order: Sequence[str],
    demand: Demand,
    recomputed: Mapping[str, str] | None = None,
    *,
    task: str = "",
    rows: bool = True,
) -> dict[str, CallOutput]:
    """Returns candidate -> its output as the policy compares it: equal, and in short words, for those that agree.
    Programs are compared in `order` of writing, each with the first of every group. `recomputed` maps a program to the
    one whose data it read. `rows` says whether the data hold any; if not, programs that tell no figure but 0 count as
    equal."""
    groups: list[tuple[Output, CallOutput]] = []
    settled: dict[str, CallOutput] = {}
    for name in order:
        if name not in told:
            continue
        output = read_output(told[name])
        if output is None:
            settled[name] = told[name]
        elif not comparable(output, demand):
            settled[name] = CallOutput("opaque", LEFT_TO_CHANCE)
        else:
            empty = not rows and tells_nothing(output)
            settled[name] = CallOutput("value", WITHOUT_ROWS) if empty else _group(groups, output, demand, task)
    for name, maker in (recomputed or {}).items():
        mine, theirs = (read_output(told[one]) if one in told else None for one in (name, maker))
        if mine is not None and theirs is not None:
            same = same_printed(theirs, mine, demand)
            settled[maker] = CallOutput("value", in_short(theirs))
            settled[name] = settled[maker] if same else CallOutput("value", in_short(mine))
    return settled


def _group(groups: list[tuple[Output, CallOutput]], output: Output, demand: Demand, task: str) -> CallOutput:
    for first, said in groups:
        renamed = in_one_naming(first, output)
        if (
            agree(first, output, demand)
            or (renamed and agree(*renamed, demand))
            or conclude_alike(first, output, task, demand)
        ):
            return said
        if demand.by_chance and not (counts_named(first, demand) or counts_named(output, demand)):
            return CallOutput("opaque", LEFT_TO_CHANCE)
    short = in_short(output)
    taken = sum(said.text.partition(_OTHER)[0] == short for _, said in groups)
    said = CallOutput("value", f"{short}{_OTHER} {taken + 1})" if taken else short)
    groups.append((output, said))
    return said


_LABEL = re.compile(r"(?:[^\d\n<>~≤≥≈]*[\s:=$€£])?(?=[+-]?\d)")
"""What stands before the first figure of a line and is no part of it. The point of ".5" and the sign of ">5" belong to
the figure."""
_DENIES = {
    "cannot", "invalid", "error", "false", "not", "no", "never",
    "nicht", "kein", "keine", "pas", "ne", "non", "не", "нет",
}  # fmt: skip
_Labels = tuple[frozenset[str], ...]
"""The words of each line's label."""


def settled_runs(
    outputs: Mapping[str, Mapping[str, CallOutput]], codes: Mapping[str, str]
) -> dict[str, dict[str, CallOutput]]:
    """Returns candidate -> its runs, for programs that ask for their input. How a program asks and what it prints
    before a figure is the author's choice, so runs that are otherwise the same get one output. Unchanged if no program
    asks."""
    prompts = {name: prompts_of(code) for name, code in codes.items()}
    settled = {name: dict(told) for name, told in outputs.items()}
    if not asks(codes.values()):
        return settled
    groups: dict[tuple[str, str], list[tuple[list[_Labels], CallOutput]]] = {}
    for name, told in settled.items():
        for call, output in told.items():
            bare = _bare(output.text, prompts.get(name, ())) if output.kind == "value" else None
            if bare is not None:
                alike = groups.setdefault((call, bare[0]), [])
                fits = (each for each in alike if all(_may_mean_the_same(one, bare[1]) for one in each[0]))
                same = next(fits, None)
                if same is None:
                    alike.append(([bare[1]], output))
                else:
                    same[0].append(bare[1])
                    told[call] = same[1]
    return settled


def _may_mean_the_same(some: _Labels, others: _Labels) -> bool:
    """Returns whether the labels of each pair of lines may mean the same: one holds all words of the other, and both
    deny something or neither does."""
    pairs = list(zip(some, others, strict=True))
    return all((one <= other or other <= one) and (_DENIES & one == _DENIES & other) for one, other in pairs)


@lru_cache(maxsize=64)
def prompts_of(code: str) -> tuple[str, ...]:
    """Returns the prompts of the program, longest first, as far as they are plain text: what its `input` calls print,
    and if it reads stdin the questions that it prints by themselves ("Your age?", "Your age:")."""
    calls = [
        node for node in ast.walk(module_of(code)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    texts = [(ast.unparse(node.func), _text_of(node)) for node in calls]
    reads = "stdin" in code or any(name == "input" for name, _ in texts)
    asked = {text for name, text in texts if name == "input"}
    asked |= {text for name, text in texts if reads and name == "print" and text.endswith((":", "?", ">"))}
    return tuple(sorted(filter(None, asked), key=len, reverse=True))


def _text_of(call: ast.Call) -> str:
    """Returns the text that is the call's only argument; "" for any other."""
    only = call.args[0] if len(call.args) == 1 else None
    return only.value.strip() if isinstance(only, ast.Constant) and isinstance(only.value, str) else ""


@lru_cache(maxsize=4096)
def _bare(shown: str, prompts: tuple[str, ...]) -> tuple[str, _Labels] | None:
    """Returns a run without prompts and without the words before the first figure of each line, and these words; None
    if nothing was printed."""
    run = _run_told(shown)
    printed = run.get("stdout")
    if not isinstance(printed, str):
        return None
    for prompt in prompts:
        printed = printed.replace(prompt, "")
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    labels = tuple(found.group() if (found := _LABEL.match(line)) else "" for line in lines)
    bare = [line.removeprefix(label) for line, label in zip(lines, labels, strict=True)]
    return repr({**run, "stdout": bare}), tuple(frozenset(WORD.findall(label.lower())) for label in labels)
