"""Runs a candidate: against a suite, on generated inputs, or as a script."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from agent.config import AgentConfig
from agent.context import Context
from agent.session.fingerprints import hashed
from agent.source.standard import with_standard_names
from agent.source.steps import steps_of
from agent.source.structure import may_remember
from agent.state import Candidate, CheckOutcome, Run, Suite
from sandbox.child.reporter import NOT_LOADED
from sandbox.types import CallOutput, Coverage, Execution, Limits, Program

from .asynchronous import awaited_in
from .program_calls import HARNESS, calls_harness, names_called, run_program_calls, unknown_names
from .splitting import compose, is_about, outcomes_of

SCRIPT = "script"
PROBES = "probes"
RUN_PROGRAM = f"{HARNESS}("
"""The text with which a test begins a run of the whole program."""
LEFT_TO_CHANCE = "what it puts out is left to chance"
_CHANCE = re.compile(r"\b(?:random|secrets|urandom|uuid[14]?|now|time|perf_counter)\b")
"""Words of programs that may give another value each time; such programs are run several times."""
BY_CHANCE = CallOutput("opaque", LEFT_TO_CHANCE)
_REMEMBERED = CallOutput("opaque", "it depends on what was called before")
_TIMES = 3
"""How often each call of such a program is made: one die shows the same number twice in every sixth case."""
_MODELS = ("spec", "adversary", "critic")
"""Origins of tests that models write; such a test may pass without the program."""
_IDLE = CheckOutcome("skipped", "it uses nothing of the program")
KEPT_CHARS = 4000
"""The most characters of a script's output that the state holds."""


def limits_of(config: AgentConfig) -> Limits:
    return Limits(timeout=config.execution_timeout, memory_mb=config.memory_mb)


async def run_suite(
    context: Context,
    config: AgentConfig,
    candidate: Candidate,
    suite: Suite,
    *,
    without: Collection[str] = (),
    coverage: bool = False,
) -> Run:
    """Runs the candidate against the suite's checks, except those whose ids are in `without`."""
    execution = await context.execute(
        Program(
            solution=candidate.code,
            tests=compose(suite, without, awaited_in(context.task, candidate.code), candidate.code),
            files=context.task.files,
            limits=limits_of(config),
            mode="inprocess" if coverage else config.sandbox_mode,
            coverage=coverage,
        ),
    )
    kept = tuple(check for check in suite.checks if check.id not in without)
    outcomes = dict(outcomes_of(suite, execution.checks))
    reported = any(outcome.status != "not_run" for outcome in outcomes.values())
    if not reported:
        reported = execution.error.startswith(NOT_LOADED)  # that says nothing about the program
        outcomes = {check.id: _unreported(execution) for check in kept}
    elif suite.origin in _MODELS:
        passed = [check for check in kept if check.id in outcomes and outcomes[check.id].status == "pass"]
        outcomes |= {check.id: _IDLE for check in passed if not is_about(check, suite.header, candidate.code)}
    return Run(candidate.id, suite.id, _lean(execution), reported, outcomes)


def _lean(execution: Execution) -> Execution:
    return replace(execution, checks=(), outputs=())


def _unreported(execution: Execution) -> CheckOutcome:
    """Returns the outcome of a check that did not run because the program, or the suite itself, could not be loaded: a
    failure, with the reason."""
    if execution.status == "timeout" and not execution.error.startswith(NOT_LOADED):
        return CheckOutcome("timeout", execution.error)
    return CheckOutcome("error", execution.error or f"not reported; the run ended with {execution.status}")


async def measure_coverage(
    context: Context, config: AgentConfig, candidate: Candidate, suites: Sequence[Suite]
) -> Coverage | None:
    """Measures which lines of the candidate no suite runs. The largest blind suite runs first, the others only while
    lines are missing. Branches are those of the suite that takes most. Returns None without a suite, or if checks start
    the candidate as a program and one of these processes ended before it told what it ran."""
    found: Coverage | None = None
    for suite in sorted(suites, key=lambda suite: (suite.against is not None, -len(suite.checks))):
        seen = (await run_suite(context, config, candidate, suite, coverage=True)).execution.coverage
        if seen is None and RUN_PROGRAM in compose(suite):
            return None
        found = _joined(found, seen) if found and seen else seen or found
        if found is None or not found.missing:
            break
    return found


def _joined(one: Coverage, other: Coverage) -> Coverage:
    missing = tuple(line for line in one.missing if line in other.missing)
    taken = max(one.branches_taken, other.branches_taken)
    return replace(one, branches_taken=taken, lines_run=one.lines - len(missing), missing=missing)


async def run_calls(
    context: Context, config: AgentConfig, candidate: Candidate, calls: Sequence[str], *, seconds: float = 1.0
) -> Run:
    """Returns the candidate's output for each of `calls`, each within so many CPU seconds; calls of the program harness
    run the whole program. A call with another value at a later time is left to chance, so other programs cannot be
    compared on it."""
    execution, outputs = await _answers(context, config, candidate, calls, seconds)
    for time in range(1, _TIMES) if _CHANCE.search(candidate.code) else ():
        # The added empty lines make this another text: an execution of the same text would come from memory.
        again = replace(candidate, code=candidate.code + "\n" * time)
        _, others = await _answers(context, config, again, calls, seconds)
        outputs = {c: told if told == others[c] else _by_chance(told) for c, told in outputs.items()}
    outputs = alike_by_chance(outputs)
    return Run(candidate=candidate.id, suite=PROBES, execution=_lean(execution), outputs=outputs)


async def run_each_alone(context: Context, config: AgentConfig, candidate: Candidate, calls: Sequence[str]) -> Run:
    """Returns the candidate's output for each of `calls`, as it is whatever was called before. If the program can
    remember something, they are run in the other order, too; a call that then gives something else is opaque. Steps
    that depend on one another begin with a fresh program each."""
    plain = [call for call in calls if steps_of(call) is None]
    run = await run_calls(context, config, candidate, plain)
    outputs = dict(run.outputs)
    if len(plain) > 1 and may_remember(candidate.code):
        others = (await run_calls(context, config, candidate, plain[::-1])).outputs
        outputs = {call: told if told == others[call] else _REMEMBERED for call, told in outputs.items()}
    for call in calls:
        if call not in outputs:
            outputs |= (await run_calls(context, config, candidate, [call])).outputs
    return replace(run, outputs=outputs)


def alike_by_chance(outputs: Mapping[str, CallOutput]) -> dict[str, CallOutput]:
    """Marks every call of a name as left to chance if one of its calls is. Two random values may be equal by luck, so a
    single call can look fixed."""
    drawn = {name for call, told in outputs.items() if told == BY_CHANCE for name in names_called(call)}
    if not drawn:
        return dict(outputs)
    return {call: _by_chance(told) if drawn & names_called(call) else told for call, told in outputs.items()}


def _by_chance(told: CallOutput) -> CallOutput:
    return BY_CHANCE if told.kind == "value" else told


async def _answers(
    context: Context, config: AgentConfig, candidate: Candidate, calls: Sequence[str], seconds: float
) -> tuple[Execution, dict[str, CallOutput]]:
    whole = [call for call in calls if calls_harness(call)]
    plain = [call for call in calls if call not in set(whole)]
    execution = await _evaluate(context, config, candidate, plain, seconds)
    outputs = dict(zip(plain, execution.outputs, strict=True))
    outputs = {call: _testimony(call, output, candidate) for call, output in outputs.items()}
    outputs |= await run_program_calls(context, candidate.code, whole, limits_of(config))
    return execution, {call: outputs[call] for call in calls}


async def _evaluate(
    context: Context, config: AgentConfig, candidate: Candidate, calls: Sequence[str], seconds: float
) -> Execution:
    """Evaluates expressions over the candidate's names; without any, nothing is run."""
    if not calls:
        return Execution("ok", await context.session.sandbox.describe())
    return await context.execute(
        Program(
            solution=candidate.code,
            calls=tuple(with_standard_names(call, candidate.code) for call in calls),
            call_timeout=min(seconds, config.execution_timeout),
            files=context.task.files,
            limits=Limits(timeout=max(config.execution_timeout, 0.25 * len(calls)), memory_mb=config.memory_mb),
            mode="inprocess",
        ),
    )


def _testimony(call: str, output: CallOutput, candidate: Candidate) -> CallOutput:
    """Returns the output, or "opaque" for an error about a name that only the call uses: that error is the call's own
    fault and says nothing about the program."""
    if output.kind == "exception" and output.text in ("NameError", "SyntaxError"):
        unknown = unknown_names(call, candidate.code)
        if unknown or output.text == "SyntaxError":
            return CallOutput("opaque", f"the call itself cannot be read: {', '.join(unknown) or 'no expression'}")
    return output


def lean_script(execution: Execution) -> Execution:
    """Returns the execution as the state keeps it: files by their hashes, and the end of what was printed."""
    return replace(hashed(execution), stdout=execution.stdout[-KEPT_CHARS:], stderr=execution.stderr[-KEPT_CHARS:])
