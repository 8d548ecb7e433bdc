"""Which scripts put out the same: settled before the policy compares them, which knows equal and different only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agent.examples.types import Demand
from sandbox.types import CallOutput

from .output import Output, agree, comparable, counts_named, in_short, read_output

LEFT_TO_CHANCE = "what it puts out is left to chance"


def settled_outputs(told: Mapping[str, CallOutput], order: Sequence[str], demand: Demand) -> dict[str, CallOutput]:
    """Candidate -> its output as the policy sees it: equal for those that agree, in short words. `order`: of writing;
    each is compared with the first of every group before it."""
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
            settled[name] = _group(groups, output, demand)
    return settled


def _group(groups: list[tuple[Output, CallOutput]], output: Output, demand: Demand) -> CallOutput:
    for first, said in groups:
        if agree(first, output, demand):
            return said
        if demand.by_chance and not (counts_named(first, demand) or counts_named(output, demand)):
            return CallOutput("opaque", LEFT_TO_CHANCE)
    short = in_short(output)
    taken = sum(said.text.partition(" (form")[0] == short for _, said in groups)
    said = CallOutput("value", f"{short} (form {taken + 1})" if taken else short)
    groups.append((output, said))
    return said
