"""By which calls programs are compared: those of tests, corners of them, changed ones, and what the task allows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from .checks.execution import run_calls
from .checks.program_calls import program_calls_in
from .context import Context
from .domain import valid_calls
from .examples.types import BY_OUTPUT
from .given.documentation import documentation
from .source.corners import corner_calls
from .source.inputs import mutate_calls, read_constraints
from .source.uses import arguments_after, mixed, raising_methods, uses_in
from .state import AgentState, Candidate, Run
from .trust.facts import OUTPUT

CORNERS, MUTATED = 40, 20
"""Calls at corners, and changed ones, by which programs are compared."""
MOST_ENDS = 4
"""Numbers of the task beside which inputs are tried."""
_NAMED_NUMBER = re.compile(r"(?<![\w.,-])\d{1,6}(?![\w.]*\w)")
KNOWN_RUNS = 20
MUTATED_RUNS = 5
"""Runs of a whole program, each a process of its own: at corners, and changed ones."""


def known_calls(state: AgentState) -> list[str]:
    """Every call expression that a check states, in the order in which it was written."""
    return list(dict.fromkeys(check.call for suite in state.suites for check in suite.checks if check.call))


def valid_of(state: AgentState) -> tuple[str, ...]:
    """Inputs that the task allows by its validator; () where there is none."""
    domain = state.domains[-1] if state.domains else None
    return valid_calls(domain, state.admitted, _proposed(state) if domain else ())


def probes_of(state: AgentState) -> tuple[str, ...]:
    """Inputs of which nobody knows whether the task allows them; none where a validator tells."""
    if by_output(state):
        return (OUTPUT,)
    return () if state.domains else _proposed(state)


def unjudged_calls(state: AgentState) -> tuple[str, ...]:
    """Calls that the validator, where there is one, has not been asked about."""
    if not state.domains:
        return ()
    return tuple(call for call in (*known_calls(state), *_proposed(state)) if call not in state.admitted)


def _proposed(state: AgentState) -> tuple[str, ...]:
    """What adversary and critic thought worth trying, and mutations of the known calls; these not beside generated
    inputs, for what a lax validator lets pass of them is often none."""
    constraints = read_constraints(_text_of(state))
    known, runs = known_calls(state), _program_runs(state)
    mutated = () if state.domains else mutate_calls(known, seed=0, limit=MUTATED, constraints=constraints)
    started = (*corner_calls(runs, limit=MUTATED_RUNS), *mutate_calls(runs, seed=0, limit=MUTATED_RUNS))
    tried = [*state.inputs, *corners_of(state), *mutated, *runs, *started, *_uses_in_tests(state)]
    return tuple(dict.fromkeys(tried))


def corners_of(state: AgentState) -> tuple[str, ...]:
    """Calls that are tried of every program: known ones with an argument at a corner of its type, or at a number that
    the task names; none that a phrase of the task excludes."""
    if by_output(state):
        return ()
    text = _text_of(state)
    for example in state.brief.examples if state.brief else ():
        text = text.replace(example.sentence, " ")
    ends = tuple(dict.fromkeys(int(number) for number in _NAMED_NUMBER.findall(text)))[:MOST_ENDS]
    return corner_calls(known_calls(state), read_constraints(text), ends, limit=CORNERS)


def _text_of(state: AgentState) -> str:
    """The task, with what the given code says of itself."""
    return f"{state.task.text}\n{documentation(state.task.code or '')}"


def _uses_in_tests(state: AgentState) -> Iterator[str]:
    """Uses of the class that is asked for, as its tests show them, and others of the same steps: by what the methods
    give, programs can be compared. Those of given code are recorded as checks."""
    if state.brief is None or state.brief.form != "class" or not state.brief.entry_point or state.task.code:
        return
    classes = {state.brief.entry_point: None}
    used = [use for suite in state.suites for check in suite.checks for use in uses_in(check.source, classes)]
    named = set(re.findall(r"\w+", state.task.text))
    shown = [replace(use, steps=tuple(one for one in use.steps if _is_promised(one, named))) for use in used]
    raising = raising_methods([use for use in shown if use.steps])
    yield from (use.told() for use in (*shown, *(use.going_on(raising) for use in mixed(shown))))


def _is_promised(step: str, named: Collection[str]) -> bool:
    """Whether every author must have it: no attribute that the task does not name."""
    return step.endswith(")") or step.removeprefix("it.") in named


async def run_inputs(context: Context, state: AgentState, candidate: Candidate, calls: Sequence[str]) -> Run:
    """What the candidate makes of each input: what the call gives, or, where the task has its argument changed, what is
    left of it; that all programs give None for it would say nothing."""
    asked = {call: _left_by(call) if _changes_arguments(state) else call for call in calls}
    run = await run_calls(context, state.config, candidate, list(asked.values()))
    return replace(run, outputs={call: run.outputs[expression] for call, expression in asked.items()})


def _changes_arguments(state: AgentState) -> bool:
    """Whether the task says or shows so of the function that is asked for; given code is compared as it is."""
    if state.brief is None or state.task.code or state.brief.form != "function":
        return False
    shown = re.compile(rf"^{re.escape(state.brief.entry_point or '?')}\(.*\)$", re.M)
    said = any(clause.kind == "in_place" for clause in state.brief.clauses)
    return said or any(shown.search(example.source) for example in state.brief.examples)


def _left_by(call: str) -> str:
    """An expression for the argument that can be changed, as it is after the call; for all of them where there are
    several, and the call itself where there is none."""
    expression = arguments_after(call)
    if expression is None:
        return call
    return f"{expression}[0]" if len(re.findall(r" for a\d+ in \[", expression)) == 1 else expression


def _program_runs(state: AgentState) -> list[str]:
    """Runs of the whole program that its checks make: how their output is judged stands in the check, and programs can
    be compared by all of it."""
    if state.brief is None or state.brief.form != "program":
        return []
    checks = [check for suite in state.suites for check in suite.checks]
    return list(dict.fromkeys(call for check in checks for call in program_calls_in(check.source)))[:KNOWN_RUNS]


def comparable_calls(state: AgentState) -> tuple[str, ...]:
    """All expressions whose canonical values programs and checks are compared by, expected values included."""
    expected = [check.expected for suite in state.suites for check in suite.checks if check.call and check.expected]
    generated = [call for call in (*valid_of(state), *probes_of(state)) if call != OUTPUT]
    return tuple(dict.fromkeys([*known_calls(state), *expected, *generated]))


def by_output(state: AgentState) -> bool:
    """A script, about data or not: there are no asserts, what it puts out is judged."""
    return state.brief is not None and state.brief.kind in BY_OUTPUT
