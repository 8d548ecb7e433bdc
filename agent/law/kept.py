"""Records what the given program does on inputs outside the report, before anything is changed, so that repairs can be
checked against it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, zip_longest
from typing import Any

from agent.checks.execution import PROBES, RUN_PROGRAM, run_each_alone
from agent.checks.program_calls import HARNESS, as_run, program_calls_in
from agent.context import Context
from agent.counting.comparing import known_calls, probes_of
from agent.counting.counted import outcomes_so_far
from agent.examples.grammar.names import is_to_be_added
from agent.given.extend import as_before
from agent.given.symptoms import given_program, raised_in
from agent.programs import add_suite
from agent.source.inputs import literal, mutate_calls
from agent.source.structure import Source
from agent.source.uses import ObjectUse, arguments_after, public_attributes, uses_in
from agent.source.values import same_value
from agent.state import AgentState, Candidate, Check, Run, Suite
from agent.trust.facts import ANCHORS
from llm.replies.files import split_files
from sandbox.types import CallOutput

KEPT = "kept"
MAX_RECORDED = 16
MAX_VALUE_CHARS = 1000
_CHANGED_RUNS = 6
"""How many runs of a whole program with changed arguments and input are recorded; each is a process."""
_LEFT = 2
"""How many calls have their arguments looked at afterwards."""
_MOST_NEAR = 40
"""The most changed uses of objects that are tried."""
_MOST_GUESSED = 8
"""The most functions that are called with values of which nothing says that they take them."""
_GUESSES = ("7", "'Ab c'", "[3, 1, 2]", "-2.5", "{'a': 1}", "0")
_UNCAUGHT = 1
"""The exit status of an uncaught exception."""


async def record(state: AgentState, ran: Sequence[Run], context: Context) -> tuple[list[Suite], list[Run]]:
    """Returns the suite of recorded behaviour and the run that it comes from, once the given program was tested for the
    first time (`ran`). Returns nothing at any other time, without given code, without known inputs, and for a project,
    whose own tests guard it: its behaviour is reached in too many ways for single calls."""
    given = given_program(state)
    if (
        given is None
        or split_files(given.code) is not None
        or any(run.candidate == given.id and run.suite != PROBES for run in state.runs)
    ):
        return [], []
    calls = list(dict.fromkeys(filter(None, _inputs(replace(state, runs=[*state.runs, *ran]), given))))
    if not calls:
        return [], []
    run = await run_each_alone(context, state.config, given, calls)
    suite = kept_suite(state, given, run.outputs)
    if suite is None:
        return [], [run]
    context.emit(add_suite(suite))
    return [suite], [run]


def _inputs(state: AgentState, given: Candidate) -> Iterator[str]:
    """Yields calls of functions that tests state and mutations of them, and uses of objects and runs of the program as
    passing tests make them. Failing tests are left out, for their behaviour belongs to the fault."""
    classes = public_attributes(given.code)
    passed, failed = _sources(state, given)
    avoided = {call for source in failed for call in program_calls_in(source)}
    shown = dict.fromkeys(call for source in passed for call in program_calls_in(source))
    sound = [call for call in shown if call not in avoided][: MAX_RECORDED - _CHANGED_RUNS]
    yield from (*sound, *mutate_calls(sound, seed=0, limit=_CHANGED_RUNS), *_uses(state, classes, passed, failed))
    called = [told for call in (*known_calls(state), *probes_of(state)) for told in (call, as_before(call, given.code))]
    names = {call: call.partition("(")[0] for call in called if "(" in call}
    plain = [call for call, name in names.items() if name.isidentifier() and name not in (HARNESS, *classes)]
    changing = any(clause.kind in ("unchanged", "in_place") for clause in state.brief.clauses) if state.brief else False
    yield from islice(filter(None, map(arguments_after, () if changing else plain)), _LEFT)
    yield from chain.from_iterable(zip_longest(plain, guessed_calls(state, given, {*names.values()}), fillvalue=""))


def guessed_calls(state: AgentState, given: Candidate, called: Collection[str]) -> Iterator[str]:
    """Yields calls of functions that nothing known calls, with values of several types, if the code is to do more than
    it did: what the task does not speak of stays, and of functions that are added, all others do."""
    if state.brief is None or state.brief.kind != "extend":
        return
    adds = is_to_be_added(state.brief.entry_point, given.code)
    for function in Source(given.code).top_functions[:_MOST_GUESSED]:
        takes, name = function.args, function.name
        needed = len(takes.posonlyargs) + len(takes.args) - len(takes.defaults)
        spoken_of = not adds and re.search(rf"(?<!\w){name}(?!\w)", state.task.text)
        if not (spoken_of or name in called or name.startswith("_") or any(one is None for one in takes.kw_defaults)):
            yield from (f"{name}({', '.join([value] * needed)})" for value in (_GUESSES if needed else ("",)))


def _sources(state: AgentState, given: Candidate) -> tuple[list[str], list[str]]:
    """Returns the sources of the checks that the given program passes, and of the others."""
    outcomes = outcomes_so_far(state, given.id)
    found: tuple[list[str], list[str]] = ([], [])
    for check in (check for suite in state.suites for check in suite.checks):
        told = outcomes.get(check.id)
        found[told is None or told.status != "pass"].append(check.source)
    return found


def _uses(
    state: AgentState, classes: Mapping[str, tuple[str, ...]], passed: Sequence[str], failed: Sequence[str]
) -> Iterator[str]:
    """Yields what tests do with objects: as they do it, shorter, with the last step repeated, and with other arguments
    if neither the task nor a failing test names the method."""
    suspect = f"{state.task.text}\n" + "\n".join(failed)
    avoided = {use for source in failed for use in uses_in(source, classes)}
    shown = dict.fromkeys(use for source in passed for use in uses_in(source, classes))
    uses = [use for use in shown if use not in avoided]
    other = {
        step: mutate_calls([step], seed=0, limit=2)
        for step in dict.fromkeys(step for use in uses for step in use.steps)
        if not re.search(rf"\b{step.removeprefix('it.').partition('(')[0]}\b", suspect)
    }
    near: list[ObjectUse] = []
    for use in uses:
        near += [replace(use, steps=use.steps[:-1]), replace(use, steps=(*use.steps, use.steps[-1]))]
        changed = [(place, new) for place, step in enumerate(use.steps) for new in other.get(step, ())]
        near += [replace(use, steps=(*use.steps[:place], new, *use.steps[place + 1 :])) for place, new in changed]
    for use in dict.fromkeys((*uses, *(use for use in near[:_MOST_NEAR] if use.steps and use not in avoided))):
        yield use.as_expression()
        shown = [name for name in classes[use.made.partition("(")[0]] if not re.search(rf"\b{name}\b", suspect)]
        if shown:
            yield use.left(shown)


def kept_suite(state: AgentState, given: Candidate, outputs: Mapping[str, CallOutput]) -> Suite | None:
    """Returns the suite with one check per recorded input, those of tests first; None when nothing can be recorded."""
    spoken_of = _spoken_of(state)
    stated = {check.call: check.expected for suite in state.suites for check in suite.checks if check.expected}
    raised = raised_in(given.code)
    runs = {run for suite in state.suites for check in suite.checks for run in program_calls_in(check.source)}
    recorded = [
        (call, output)
        for call, output in outputs.items()
        if call not in spoken_of
        and (call in runs or _is_settled(call, output, raised))
        and not _is_contested(stated.get(call), output)
    ]
    checks = [_check(number, call, output) for number, (call, output) in enumerate(recorded[:MAX_RECORDED], 1)]
    header = "import pytest" if any("pytest." in check.source for check in checks) else ""
    return Suite(KEPT, KEPT, header, tuple(checks), against=given.id) if checks else None


def _spoken_of(state: AgentState) -> set[str]:
    """Returns the calls that the task itself names: the reported ones, and those with a promised result."""
    reports = state.brief.reports if state.brief else ()
    promised = [check.call for suite in state.suites if suite.origin in ANCHORS for check in suite.checks if check.call]
    return {*(report.call for report in reports), *promised}


def _is_settled(call: str, output: CallOutput, raised: frozenset[str]) -> bool:
    """Returns whether the output can be recorded: a value that can be written down, or an exception that the program
    raises deliberately. A run that ends with an uncaught exception is not recorded, unless a passing test states it."""
    if output.kind == "value":
        ended: Any = literal(output.text)
        crashed = call.startswith(RUN_PROGRAM) and ended is not None and ended[0]["exit_code"] == _UNCAUGHT
        return ended is not None and not crashed and len(output.text) <= MAX_VALUE_CHARS
    return output.kind == "exception" and output.text in raised


def _is_contested(stated: str | None, output: CallOutput) -> bool:
    """Returns whether a test written from the task alone states another value. The old program then does not decide
    what is right."""
    return stated is not None and not (output.kind == "value" and same_value(stated, output.text))


def _check(number: int, call: str, output: CallOutput) -> Check:
    name = f"test_kept_{number}"
    told = "What the given program did before anything was changed."
    if output.kind == "exception":
        source = f"def {name}():\n    {told!r}\n    with pytest.raises({output.text}):\n        {call}"
        return Check(f"{KEPT}.{name}", name, KEPT, source, call, sentence=told)
    if call.startswith(RUN_PROGRAM):
        source = f"def {name}():\n    {told!r}\n    {as_run(call, output.text)}"
        return Check(f"{KEPT}.{name}", name, KEPT, source, call, sentence=told)
    source = f"def {name}():\n    {told!r}\n    assert {call} == {output.text}"
    return Check(f"{KEPT}.{name}", name, KEPT, source, call, output.text, sentence=told)
