"""What a script of the task must put out, by its words and by what was seen when it ran."""

from __future__ import annotations

from dataclasses import replace

from agent.checks.execution import SCRIPT
from agent.examples.types import BY_OUTPUT, Demand
from agent.state import AgentState
from llm.replies.files import split_files

from .agreement import made_by, recomputing


def demand_of(state: AgentState) -> Demand:
    """What a script of this task must put out. It is left to chance where the words say so, or where every program that
    ran puts out something else under other seeds."""
    demand, anew = demand_told(state), recomputing(state)
    scripts = [run for run in state.runs if run.suite == SCRIPT and run.execution.status == "ok"]
    # What a script does with given data is compared as ever: noise that it adds makes them none of its own.
    ran = [run.by_chance for run in scripts if run.candidate not in anew and not state.task.files]
    return replace(demand, by_chance=demand.by_chance or (bool(ran) and all(ran)))


def demand_told(state: AgentState) -> Demand:
    """What the words of the task demand of a script; nothing in particular where they ask for none."""
    return state.brief.demand if state.brief is not None and state.brief.kind in BY_OUTPUT else Demand()


def recomputable(state: AgentState) -> int:
    """How many independent programs may tell anything: not of a given project. What a script puts out by chance can be
    recomputed from a file that it made, and what it draws be counted, once where the task does not say how many."""
    demand, told = demand_of(state), demand_told(state).by_chance
    if split_files(state.task.code or "") is not None:
        return 0
    if any(made_by(state, one.id, demand) for one in state.candidates):
        return 1
    if told and not demand.picture:
        return 0
    return 1 if told and not demand.numbers else state.config.independent_attempts
