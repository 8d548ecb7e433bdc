"""Chooses the calls by which programs are compared: calls of tests, calls at corners, changed calls, and generated
inputs. Of a call that chance decides, no value that is stated is right."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ..checks.execution import BY_CHANCE, run_calls
from ..checks.program_calls import program_calls_in
from ..context import Context
from ..examples.types import BY_OUTPUT
from ..given.documentation import documentation
from ..session.fingerprints import fingerprint
from ..source.corners import corner_calls
from ..source.inputs import mutate_calls, read_constraints
from ..source.uses import arguments_after, mixed, raising_methods, uses_in
from ..state import AgentState, Candidate, Check, Run
from ..state.domain import valid_calls
from ..trust.facts import OUTPUT

CORNERS, MUTATED = 40, 20
"""The most calls at corners, and the most changed calls, by which programs are compared."""
MOST_ENDS = 4
"""The most numbers of the task that are tried as arguments."""
_NAMED_NUMBER = re.compile(r"(?<![\w.,-])\d{1,6}(?![\w.]*\w)")
KNOWN_RUNS = 20
"""The most runs of the program, taken from tests, by which programs are compared."""
MUTATED_RUNS = 5
"""The most runs of a whole program: those that checks state, and as many again at corners and changed. Each is a
process of its own, which is slow."""


def known_calls(state: AgentState) -> list[str]:
    """Returns every call expression that a check states, in the order of writing."""
    return list(dict.fromkeys(check.call for suite in state.suites for check in suite.checks if check.call))


def valid_of(state: AgentState) -> tuple[str, ...]:
    """Returns the inputs that the task's validator allows; () without a validator."""
    domain = state.domains[-1] if state.domains else None
    return valid_calls(domain, state.admitted, _proposed(state) if domain else ())


def probes_of(state: AgentState) -> tuple[str, ...]:
    """Returns inputs of which it is unknown whether the task allows them; () when a validator decides that."""
    if by_output(state):
        return (OUTPUT,)
    return () if state.domains else tuple(call for call in _proposed(state) if not state.admitted.get(call))


def unjudged_calls(state: AgentState) -> tuple[str, ...]:
    """Returns the calls that the validator was not asked about yet; () without a validator."""
    if not state.domains:
        return ()
    return tuple(call for call in (*known_calls(state), *_proposed(state)) if call not in state.admitted)


def _proposed(state: AgentState) -> tuple[str, ...]:
    """Returns what adversary and critic thought worth trying, calls at corners, and mutations of the known calls.
    Mutated calls are left out when inputs are generated: a lax validator often accepts mutated calls that the task does
    not allow."""
    constraints = read_constraints(_text_of(state))
    known, runs = known_calls(state), _program_runs(state)
    mutated = () if state.domains else mutate_calls(known, seed=0, limit=MUTATED, constraints=constraints)
    started = (*corner_calls(runs, limit=MUTATED_RUNS), *mutate_calls(runs, seed=0, limit=MUTATED_RUNS))
    tried = [*state.inputs, *corners_of(state), *mutated, *runs, *started, *_uses_in_tests(state)]
    return tuple(dict.fromkeys(tried))


def corners_of(state: AgentState) -> tuple[str, ...]:
    """Returns calls that are tried on every program: known calls with one argument at a corner of its type, or at a
    number that the task names. Calls that a phrase of the task excludes are left out."""
    if by_output(state):
        return ()
    text = _text_of(state)
    for example in state.brief.examples if state.brief else ():
        text = text.replace(example.sentence, " ")
    ends = tuple(dict.fromkeys(int(number) for number in _NAMED_NUMBER.findall(text)))[:MOST_ENDS]
    return corner_calls(known_calls(state), read_constraints(text), ends, limit=CORNERS)


def _text_of(state: AgentState) -> str:
    """Returns the task's text and the documentation in the given code."""
    return f"{state.task.text}\n{documentation(state.task.code or '')}"


def _uses_in_tests(state: AgentState) -> Iterator[str]:
    """Yields uses of the class that the task asks for, as its tests show them, and mixtures of their steps: programs
    are compared by what the methods return. For given code the uses are recorded as checks instead."""
    if state.brief is None or state.brief.form != "class" or not state.brief.entry_point or state.task.code:
        return
    classes = {state.brief.entry_point: None}
    used = [use for suite in state.suites for check in suite.checks for use in uses_in(check.source, classes)]
    named = set(re.findall(r"\w+", state.task.text))
    shown = [replace(use, steps=tuple(one for one in use.steps if _is_promised(one, named))) for use in used]
    raising = raising_methods([use for use in shown if use.steps])
    yield from (use.as_expression() for use in (*shown, *(use.going_on(raising) for use in mixed(shown))))


def _is_promised(step: str, named: Collection[str]) -> bool:
    """Returns whether every author must define what this step uses: a method, or an attribute that the task names."""
    return step.endswith(")") or step.removeprefix("it.") in named


async def run_inputs(context: Context, state: AgentState, candidate: Candidate, calls: Sequence[str]) -> Run:
    """Runs the candidate on each input. The output is what the call returns or, if the task has the argument changed in
    place, what is left of the argument: such calls all return None, which would compare nothing."""
    asked = {call: _arguments_left_by(call) if _changes_arguments(state) else call for call in calls}
    run = await run_calls(context, state.config, candidate, list(asked.values()))
    return replace(run, outputs={call: run.outputs[expression] for call, expression in asked.items()})


def _changes_arguments(state: AgentState) -> bool:
    """Returns whether the task says or shows that the function changes its argument. Given code is compared as it
    is."""
    if state.brief is None or state.task.code or state.brief.form != "function":
        return False
    shown = re.compile(rf"^{re.escape(state.brief.entry_point or '?')}\(.*\)$", re.M)
    said = any(clause.kind == "in_place" for clause in state.brief.clauses)
    return said or any(shown.search(example.source) for example in state.brief.examples)


def _arguments_left_by(call: str) -> str:
    """Returns an expression for the changeable argument after the call, for all of them when there are several, or the
    call itself when there is none."""
    expression = arguments_after(call)
    if expression is None:
        return call
    return f"{expression}[0]" if len(re.findall(r" for a\d+ in \[", expression)) == 1 else expression


def _program_runs(state: AgentState) -> list[str]:
    """Returns the runs of the whole program that its checks make. A check may look at part of the output only; programs
    are compared by all of it."""
    if state.brief is None or state.brief.form != "program":
        return []
    checks = [check for suite in state.suites for check in suite.checks]
    return list(dict.fromkeys(call for check in checks for call in program_calls_in(check.source)))[:KNOWN_RUNS]


def comparable_calls(state: AgentState) -> tuple[str, ...]:
    """Returns all expressions whose canonical values programs and checks are compared by, expected values included."""
    expected = [check.expected for suite in state.suites for check in suite.checks if check.call and check.expected]
    generated = [call for call in (*valid_of(state), *probes_of(state)) if call != OUTPUT]
    return tuple(dict.fromkeys([*known_calls(state), *expected, *generated]))


def by_output(state: AgentState) -> bool:
    """Returns whether the task wants a script, which is judged by its output and not by asserts."""
    return state.brief is not None and state.brief.kind in BY_OUTPUT


def speaks_of_chance(state: AgentState) -> bool:
    return state.brief is not None and state.brief.demand.by_chance


def is_drawn(state: AgentState, check: Check) -> bool:
    """Returns whether chance decides what the check's call gives: some program gave another value each time, and the
    task speaks of chance, or different programs of two families did."""
    if check.call is None or state.task.code:
        return False
    drawing = {run.candidate for run in state.runs if run.outputs.get(check.call) == BY_CHANCE}
    told = [candidate for candidate in state.candidates if candidate.id in drawing]
    programs = {fingerprint(one.code) for one in told}
    several = min(len({one.root for one in told}), len(programs)) > 1
    return bool(told) and (several or speaks_of_chance(state))
