"""Decides what a script of the task must put out, from the task's words and from what was seen when scripts ran."""

from __future__ import annotations

from dataclasses import replace

from agent.checks.execution import SCRIPT
from agent.examples.types import BY_OUTPUT, Demand
from agent.state import AgentState
from llm.replies.files import split_files

from .agreement import made_by, recomputing


def demand_of(state: AgentState) -> Demand:
    """Returns what a script of this task must put out. Its output is left to chance if the words say so, or if every
    program that ran puts out something else under other seeds."""
    demand, anew = demand_told(state), recomputing(state)
    scripts = [run for run in state.runs if run.suite == SCRIPT and run.execution.status == "ok"]
    # With given data, outputs are compared as usual: noise that a script adds does not make the data its own.
    ran = [run.by_chance for run in scripts if run.candidate not in anew and not state.task.files]
    return replace(demand, by_chance=demand.by_chance or (bool(ran) and all(ran)))


def demand_told(state: AgentState) -> Demand:
    """Returns what the words of the task demand of a script; an empty demand if the task wants no script."""
    return state.brief.demand if state.brief is not None and state.brief.kind in BY_OUTPUT else Demand()


def recomputable(state: AgentState) -> int:
    """Returns how many independent programs can confirm anything: none for a given project. Random output can be
    recomputed from a file that the script made. Otherwise only what it draws can be counted, by one program if the task
    does not say how many things to draw."""
    demand, told = demand_of(state), demand_told(state).by_chance
    if split_files(state.task.code or "") is not None:
        return 0
    if any(made_by(state, one.id, demand) for one in state.candidates):
        return 1
    if told and not demand.picture:
        return 0
    return 1 if told and not demand.numbers else state.config.independent_attempts
