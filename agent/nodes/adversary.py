"""The adversary: a role that sees the programs, has its inputs run on all of them, and looks again while they agree."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.checks.execution import measure_coverage
from agent.checks.program_calls import plain_run
from agent.checks.splitting import UnusableTests, parse_suite, without_idle, without_properties
from agent.checks.trial import refusals
from agent.context import Context, node
from agent.counting.comparing import corners_of, known_calls, run_inputs
from agent.counting.counted import facts_of
from agent.counting.signs import inexact_in, misplaced_in
from agent.dialogue.telling import decided_told, passed_told
from agent.events import MutationMeasured, Noted
from agent.given.words import task_told
from agent.law import unnamed_in
from agent.nodes.readings import contradictions, open_readings
from agent.outcome.large import spoiled_by_floats
from agent.outcome.mutants import measure
from agent.programs import add_suite, candidate_of
from agent.session.question import Ask
from agent.session.roles import ADVERSARY, TestsReply
from agent.source.inputs import are_alike
from agent.state import AgentState, Candidate, Run, Update
from agent.state.done import Done
from agent.trust.agreement import CONFIRMING, compare_with
from agent.trust.blame import standing_peers
from agent.trust.facts import CandidateFacts
from agent.trust.reading import FactsView
from agent.trust.thin import thin
from llm.types import Message

MAX_INPUTS = 20
MAX_CORNERS = 12
"""How many answers of the program the adversary is asked to judge."""
TURNS_AFTER_AGREEMENT = 2
"""Turns if the programs agree on many allowed inputs, because a difference is then less likely to be found."""
_SHOWN = 120
"""How many characters of an answer the adversary is shown."""


@dataclass(slots=True)
class _Attack:
    """What the adversary has found out so far."""

    programs: Sequence[Candidate]
    """The candidate that passes first, then those of other families that may testify."""
    turns: int
    inputs: list[str] = field(default_factory=list[str])
    runs: list[Run] = field(default_factory=list[Run])
    admitted: dict[str, str] = field(default_factory=dict[str, str])
    differing: list[str] = field(default_factory=list[str])
    """Inputs that the task allows, as far as a validator tells, and that two programs answer differently."""


@node
async def write_adversarial_tests(state: AgentState, context: Context) -> Update:
    """Shows the adversary the code and the mutants that survived the checks so far. If several programs stand and the
    evidence is thin, its inputs are run on all of them at once, and it may look again."""
    candidate = candidate_of(state, state.decisions[-1].candidate)
    # Coverage is needed only at the end. Measured beside the mutants it costs no extra time, and the result is
    # remembered.
    mutation, _ = await asyncio.gather(
        measure(state, context, candidate), measure_coverage(context, state.config, candidate, state.suites)
    )
    update = Update(done=[Done("adversary")], mutations=[mutation] if mutation else [])
    if mutation:
        context.emit(MutationMeasured(mutation.killed, mutation.total, mutation.survivors))
    attack = _planned(state, candidate)
    reply = await _ask(state, context, candidate, mutation.survivors if mutation else (), ())
    if reply is None:
        return update
    await _pursue(state, context, attack, reply, mutation.survivors if mutation else ())
    update["inputs"], update["runs"], update["admitted"] = attack.inputs, attack.runs, attack.admitted
    update = _with_suite(update, state, context, reply, candidate)
    otherwise = await open_readings(state, context, candidate, reply.readings)
    suites, rulings = contradictions(state, context, reply.contradictions, "adversary")
    update["suites"] = [*update.get("suites", []), *otherwise.get("suites", []), *suites]
    update["rulings"] = [*otherwise.get("rulings", []), *rulings]
    attacked = [Done("attacked")] if update["suites"] else []
    tried = [Done("inputs tried")] if attack.inputs else []
    update["done"] = [Done("adversary"), *attacked, *tried]
    return update


def _with_suite(update: Update, state: AgentState, context: Context, reply: TestsReply, candidate: Candidate) -> Update:
    if not reply.code:
        return update
    try:
        suite = parse_suite(reply.code, "adversary:1", "adversary", against=candidate.id, own=candidate.code)
        suite = suite if state.config.properties else without_properties(suite)
        suite = without_idle(suite, candidate.code)
    except UnusableTests as error:
        update["problems"] = [f"the adversarial suite was dropped: {error}"]
        return update
    context.emit(add_suite(suite))
    update["suites"] = [suite]
    return update


async def _ask(
    state: AgentState, context: Context, candidate: Candidate, survivors: Sequence[str], history: tuple[Message, ...]
) -> TestsReply | None:
    return await context.ask_or_none(
        ADVERSARY,
        "write",
        question=f"adversary:{1 + len(history) // 2}",
        options=Ask(history=history),
        task=task_told(state),
        code=candidate.code,
        known_checks=passed_told(state, candidate.id),
        decided=decided_told(state),
        unchecked=_unchecked(state, candidate),
        corners=_corners(state, candidate),
        survivors=list(survivors),
        inexact=[*inexact_in(state, candidate.code), *await spoiled_by_floats(state, context, candidate)],
        alone=not _rivals(state, candidate),
        program=state.brief is not None and state.brief.form == "program",
    )


def _rivals(state: AgentState, candidate: Candidate) -> tuple[CandidateFacts, ...]:
    """Returns the programs that its answers are compared with, without those that a check has shown to be wrong."""
    reading = FactsView(facts_of(state))
    return standing_peers(reading, reading.candidates[candidate.id])


def _unchecked(state: AgentState, candidate: Candidate) -> list[str]:
    """Returns what an attack is worth most for: demands of the task that nothing has decided or that the program seems
    to contradict, and sentences that no check covers."""
    found = next((one.findings for one in reversed(state.inspections) if one.candidate == candidate.id), ())
    open_ones = [f"{finding.text} ({finding.told})" for finding in found if finding.standing == "open"]
    return [*open_ones, *misplaced_in(state, candidate.code), *unnamed_in(state, candidate.id)]


def _corners(state: AgentState, candidate: Candidate) -> list[str]:
    """Returns the program's answers at corners that nothing decides, values before errors. A role that is asked about a
    given answer notices what a sentence leaves open more easily than one that is asked for such an input."""
    if state.task.code:
        return []
    given = next(one.outputs for one in facts_of(state).candidates if one.id == candidate.id)
    decided = set(known_calls(state))
    told = [(call, given[call]) for call in corners_of(state) if call in given and not state.admitted.get(call)]
    open_ones = [(call, output) for call, output in told if call not in decided and output.comparable]
    ordered = sorted(open_ones, key=lambda each: each[1].kind != "value")[:MAX_CORNERS]
    return [f"{call}: {str(output)[:_SHOWN]}" for call, output in ordered]


def _planned(state: AgentState, candidate: Candidate) -> _Attack:
    """Chooses the programs to tell apart, and the number of turns: only the one program, once, if the evidence is not
    thin or the programs are told apart already."""
    reading = FactsView(facts_of(state))
    best = reading.candidates[candidate.id]
    peers = _rivals(state, candidate)
    if not thin(reading, best) or compare_with(reading, best, peers).different:
        return _Attack([candidate], 1)
    roots = {peer.root: peer.id for peer in reversed(peers)}
    equal = compare_with(reading, best, peers).equal if reading.facts.valid else 0
    rivals = [candidate, *(candidate_of(state, name) for name in sorted(roots.values()))]
    most = state.config.adversary_turns
    return _Attack(rivals, most if equal < CONFIRMING else min(most, TURNS_AFTER_AGREEMENT))


async def _pursue(
    state: AgentState, context: Context, attack: _Attack, first: TestsReply, survivors: Sequence[str]
) -> None:
    """Runs the inputs and shows the adversary the results, until programs differ, nothing new is tried, or the turns
    are used up."""
    reply, history, turn, shown = first, tuple[Message, ...](), 0, known_calls(state)
    while turn < attack.turns:
        turn += 1
        inputs = dict.fromkeys(map(plain_run, list(reply.inputs)[:MAX_INPUTS]))
        tried = [call for call in inputs if call not in attack.inputs and are_alike(call, shown)]
        attack.inputs += tried
        if len(attack.programs) < 2 or not tried:
            return
        seen = await _observe(state, context, attack, tried)
        if attack.differing or turn == attack.turns:
            break
        said = json.dumps({"inputs": list(reply.inputs)})
        history += (Message("assistant", said), Message("user", _results_in_words(attack, seen, turn)))
        again = await _ask(state, context, attack.programs[0], survivors, history)
        if again is None:
            break
        reply = again
    found = f"{len(attack.differing)} of them tell programs apart" if attack.differing else "no program differs"
    context.emit(Noted(f"the adversary had {len(attack.inputs)} inputs run in {turn} turns: {found}"))


async def _observe(state: AgentState, context: Context, attack: _Attack, calls: Sequence[str]) -> list[str]:
    """Runs the inputs on all programs. Returns one line for each input on which they agree or which the task does not
    allow; the others are noted as differing."""
    domain = state.domains[-1] if state.domains else None
    refused: Mapping[str, str] = {}
    if domain is not None:
        refused = await refusals(context, state.config, domain.source, domain.entry, calls)
    runs = await asyncio.gather(*(run_inputs(context, state, one, calls) for one in attack.programs))
    attack.runs += runs
    attack.admitted |= refused
    lines: list[str] = []
    for call in calls:
        given = [run.outputs[call] for run in runs]
        answers = list(dict.fromkeys(str(output)[:_SHOWN] for output in given))
        if why := refused.get(call, ""):
            lines.append(f"{call}: the task does not allow it: {why}")
        elif len({output for output in given if output.comparable}) > 1:
            attack.differing.append(call)
        else:
            lines.append(f"{call}: all give {' or '.join(answers)}")
    return lines


def _results_in_words(attack: _Attack, seen: Sequence[str], turn: int) -> str:
    """Returns what the adversary is told of the results; the first time with the other programs."""
    others = "\n\n".join(f"Another program for the same task:\n{one.code}" for one in attack.programs[1:])
    lines = "\n".join(f"- {line}" for line in seen)
    return (
        f"{others if turn == 1 else ''}\n\nYour inputs were run on all {len(attack.programs)} programs. None of them "
        f"tells the programs apart:\n{lines}\n\nFind where the programs decide differently, and choose inputs for "
        'which that shows, within what the task allows. Return {"inputs": [...]} with new ones and nothing else.'
    ).strip()
