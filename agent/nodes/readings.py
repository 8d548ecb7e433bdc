"""Finds other readings of the task: another meaning of a sentence, shown by an input on which it matters."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.checks.asking import RAISES
from agent.checks.program_calls import calls_harness
from agent.checks.trial import refusals
from agent.context import Context
from agent.counting.comparing import run_inputs
from agent.counting.counted import READING, facts_of
from agent.given.words import task_told
from agent.nodes.settle import answer_suite
from agent.programs import add_suite, announce_ruling
from agent.source.parsing import expression_of
from agent.source.values import alike, sentence_in, spells_a_value
from agent.state import AgentState, Candidate, Ruling, Suite, Update

MAX_READINGS = 5
MAX_CONTRADICTIONS = 3


@dataclass(frozen=True, slots=True)
class Interpretation:
    call: str
    value: str
    """A literal. Whether an error is expected is checked for the clauses that name one."""
    sentence: str
    """The sentence of the task, word for word."""


async def open_readings(
    state: AgentState, context: Context, candidate: Candidate, told: Sequence[Mapping[str, str]]
) -> Update:
    """Turns each reading that quotes the task, and by which the program would be wrong, into a check that is open from
    the start. The check is a question to the person and no model's verdict. Not used for given code, whose behaviour
    says more than a reader."""
    found = [] if state.task.code else _readings(state, told)
    if not found:
        return {}
    domain = state.domains[-1] if state.domains else None
    calls = [one.call for one in found]
    refused: Mapping[str, str] = {}
    if domain is not None:
        refused = await refusals(context, state.config, domain.source, domain.entry, calls)
    given = (await run_inputs(context, state, candidate, calls)).outputs
    suites: list[Suite] = []
    rulings: list[Ruling] = []
    for one in found:
        mine = given[one.call]
        if refused.get(one.call) or not mine.comparable or alike(str(mine), one.value):
            continue
        suite = answer_suite(f"{READING}{len(suites) + 1}", "adversary", one.call, one.value, one.sentence)
        why = f"“{one.sentence}” can be read so that {one.call} gives {one.value}, where the program gives {mine}"
        suites.append(suite)
        rulings.append(_question(context, suite, Ruling(suite.checks[0].id, "task", "adversary", why)))
    return Update(suites=suites, rulings=rulings) if suites else {}


def _readings(state: AgentState, told: Sequence[Mapping[str, str]]) -> list[Interpretation]:
    """Returns the readings that quote a sentence of the task and give a value for an input that no example decides, one
    per input."""
    decided = {check.call for check in facts_of(state).checks if check.anchor}
    found: dict[str, Interpretation] = {}
    for one in told:
        call, value = _plain(one.get("input", "")), one.get("value", "").strip()
        usable = call and call not in decided and not calls_harness(call) and spells_a_value(value)
        if usable and sentence_in(one.get("sentence", ""), task_told(state)):
            found.setdefault(call, Interpretation(call, value, " ".join(one["sentence"].split())))
    return list(found.values())[:MAX_READINGS]


def contradictions(
    state: AgentState, context: Context, told: Sequence[Mapping[str, Any]], author: str
) -> tuple[list[Suite], list[Ruling]]:
    """Turns each pair of sentences of the task that give two things for one input into two checks. The program fails at
    least one of them, and the arbiter is asked before the verdict tells the contradiction."""
    suites: list[Suite] = []
    rulings: list[Ruling] = []
    for number, one in enumerate(told[:MAX_CONTRADICTIONS], 1):
        call, said = _plain(one["input"]), (one["first"], one["second"])
        values = [str(value).strip() for value in one["values"]]
        apart = len(values) == 2 and not alike(*values) and all(map(_is_outcome, values))
        known = all(sentence_in(each, task_told(state)) for each in said)
        if not (call and apart and known) or calls_harness(call):
            continue
        first, second = (" ".join(each.split()) for each in said)
        for which, (value, sentence) in enumerate(zip(values, (first, second), strict=True), 1):
            name = f"{READING}{author}:{number}:{which}"
            suite = answer_suite(name, "adversary", call, value, sentence)
            gives = f"“{first}” gives {values[0]} for {call}, “{second}” gives {values[1]}"
            why = f"the task contradicts itself, as a model reads it: {gives}"
            suites.append(suite)
            ruled = Ruling(suite.checks[0].id, "task", "adversary", why, is_contradiction=True)
            rulings.append(_question(context, suite, ruled))
    return suites, rulings


def _question(context: Context, suite: Suite, ruling: Ruling) -> Ruling:
    """Tells of a check that is a question to the person, and of the ruling that says so. Returns the ruling."""
    context.emit(add_suite(suite))
    return announce_ruling(context, ruling)


def _is_outcome(value: str) -> bool:
    return spells_a_value(value) or (value.removeprefix(RAISES).isidentifier() and value.startswith(RAISES))


def _plain(call: str) -> str:
    """Returns the expression as Python writes it; "" if it is no call."""
    read = expression_of(call)
    return ast.unparse(read) if isinstance(read, ast.Call) else ""
