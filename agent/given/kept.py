"""Characterisation: what the given program did on inputs outside of the report, before anything was changed."""

from __future__ import annotations

from collections.abc import Mapping

from agent.context import Context
from agent.execution import PROBES, RUN_PROGRAM, run_calls
from agent.facts import ANCHORS, known_calls, probes_of
from agent.programs import add_suite
from agent.state import AgentState, Candidate, Check, Run, Suite
from agent.values import is_literal, same_value
from llm.files import split_files
from sandbox.types import CallOutput

from .symptoms import given_program, raised_in

KEPT = "kept"
MAX_RECORDED = 16
MAX_VALUE_CHARS = 1000


async def record(state: AgentState, context: Context) -> tuple[list[Suite], list[Run]]:
    """The suite of recorded behaviour with the runs that it comes from, before the given program is first tested;
    nothing at any other time, where no code was given, where no input is known, and of a project: its tests are the
    law, and what it does beside them is reached by too many ways to be told by single calls."""
    given = given_program(state)
    if (
        given is None
        or split_files(given.code) is not None
        or any(run.candidate == given.id and run.suite != PROBES for run in state.runs)
    ):
        return [], []
    calls = [
        call for call in (*known_calls(state), *probes_of(state)) if "(" in call and not call.startswith(RUN_PROGRAM)
    ]
    if not calls:
        return [], []
    run = await run_calls(context, state.config, given, tuple(dict.fromkeys(calls)))
    suite = kept_suite(state, given, run.outputs)
    if suite is None:
        return [], [run]
    context.emit(add_suite(suite))
    return [suite], [run]


def kept_suite(state: AgentState, given: Candidate, outputs: Mapping[str, CallOutput]) -> Suite | None:
    """One check for each recorded input, those of tests first; None where nothing can be recorded."""
    spoken_of = _spoken_of(state)
    stated = {check.call: check.expected for suite in state.suites for check in suite.checks if check.expected}
    raised = raised_in(given.code)
    recorded = [
        (call, output)
        for call, output in outputs.items()
        if call not in spoken_of and _is_settled(output, raised) and not _is_contested(stated.get(call), output)
    ]
    checks = [_check(number, call, output) for number, (call, output) in enumerate(recorded[:MAX_RECORDED], 1)]
    header = "import pytest" if any("pytest." in check.source for check in checks) else ""
    return Suite(KEPT, KEPT, header, tuple(checks), against=given.id) if checks else None


def _spoken_of(state: AgentState) -> set[str]:
    """Calls on which the task itself speaks: the reported ones, and those that it promises something of."""
    reports = state.brief.reports if state.brief else ()
    promised = [check.call for suite in state.suites if suite.origin in ANCHORS for check in suite.checks if check.call]
    return {*(report.call for report in reports), *promised}


def _is_settled(output: CallOutput, raised: frozenset[str]) -> bool:
    """A value that can be written down, or an exception that the program raises by its own words."""
    if output.kind == "value":
        return is_literal(output.text) and len(output.text) <= MAX_VALUE_CHARS
    return output.kind == "exception" and output.text in raised


def _is_contested(stated: str | None, output: CallOutput) -> bool:
    """A test written from the task alone says something else: what is right there is not for the old program to say."""
    return stated is not None and not (output.kind == "value" and same_value(stated, output.text))


def _check(number: int, call: str, output: CallOutput) -> Check:
    name = f"test_kept_{number}"
    told = "What the given program did before anything was changed."
    if output.kind == "exception":
        source = f"def {name}():\n    {told!r}\n    with pytest.raises({output.text}):\n        {call}"
        return Check(f"{KEPT}.{name}", name, KEPT, source, call, sentence=told)
    source = f"def {name}():\n    {told!r}\n    assert {call} == {output.text}"
    return Check(f"{KEPT}.{name}", name, KEPT, source, call, output.text, sentence=told)
