"""A candidate, run: against a suite, on generated inputs, or as a script."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from sandbox.types import Artifact, CallOutput, Coverage, Execution, Limits, Program, SandboxBroken

from .checks import compose, outcomes_of
from .config import AgentConfig
from .context import Context
from .fingerprints import hashed
from .program_calls import calls_harness, run_program_calls, unknown_names
from .state import Candidate, CheckOutcome, Run, Suite

SCRIPT = "script"
PROBES = "probes"
OUTPUT = "<output>"
"""Stands for "what the script prints" where programs are compared by their calls."""


def limits_of(config: AgentConfig) -> Limits:
    return Limits(timeout=config.execution_timeout, memory_mb=config.memory_mb)


async def _execute(context: Context, config: AgentConfig, program: Program) -> Execution:
    """Run it; where it lacks packages and the flag allows that, run it again with them installed from wheels."""
    execution = await context.execute(program)
    if not execution.missing_packages:
        return execution
    names = ", ".join(execution.missing_packages)
    if not config.install_packages:
        context.tell_once(f"the program needs what is not installed here: {names}")
        return execution
    try:
        return await context.execute(replace(program, packages=execution.missing_packages))
    except SandboxBroken as error:
        context.tell_once(f"{names} could not be installed: {error}")
        return execution


async def run_suite(
    context: Context,
    config: AgentConfig,
    candidate: Candidate,
    suite: Suite,
    *,
    without: Collection[str] = (),
    coverage: bool = False,
) -> Run:
    """The candidate against the suite's checks, less those in `without`."""
    execution = await _execute(
        context,
        config,
        Program(
            solution=candidate.code,
            tests=compose(suite, without),
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
        outcomes = {check.id: _unreported(execution) for check in kept}
    return Run(candidate.id, suite.id, _lean(execution), reported, outcomes)


def _lean(execution: Execution) -> Execution:
    return replace(execution, checks=(), outputs=())


def _unreported(execution: Execution) -> CheckOutcome:
    """One of the checks of a program that could not even be loaded: it did not pass, for that reason."""
    if execution.status == "timeout":
        return CheckOutcome("timeout", execution.error)
    return CheckOutcome("error", execution.error or f"not reported; the run ended with {execution.status}")


async def measure_coverage(
    context: Context, config: AgentConfig, candidate: Candidate, suites: Sequence[Suite]
) -> Coverage | None:
    """Lines and branches that the largest blind suite runs; None without one."""
    blind = sorted((suite for suite in suites if suite.against is None), key=lambda suite: -len(suite.checks))
    if not blind:
        return None
    run = await run_suite(context, config, candidate, blind[0], coverage=True)
    return run.execution.coverage


async def run_calls(context: Context, config: AgentConfig, candidate: Candidate, calls: Sequence[str]) -> Run:
    """What the candidate gives for each of `calls`; calls of the program harness are runs of the whole program."""
    whole = [call for call in calls if calls_harness(call)]
    plain = [call for call in calls if call not in set(whole)]
    execution = await _evaluate(context, config, candidate, plain)
    outputs = dict(zip(plain, execution.outputs, strict=True))
    outputs = {call: _testimony(call, output, candidate) for call, output in outputs.items()}
    outputs |= await run_program_calls(context, candidate.code, whole, limits_of(config))
    return Run(
        candidate=candidate.id,
        suite=PROBES,
        execution=_lean(execution),
        outputs={call: outputs[call] for call in calls},
    )


async def _evaluate(context: Context, config: AgentConfig, candidate: Candidate, calls: Sequence[str]) -> Execution:
    """Expressions over the candidate's names; without any there is nothing to run."""
    if not calls:
        return Execution("ok", await context.session.sandbox.describe())
    return await _execute(
        context,
        config,
        Program(
            solution=candidate.code,
            calls=tuple(calls),
            call_timeout=min(1.0, config.execution_timeout),
            files=context.task.files,
            limits=Limits(timeout=max(config.execution_timeout, 0.25 * len(calls)), memory_mb=config.memory_mb),
            mode="inprocess",
        ),
    )


def _testimony(call: str, output: CallOutput, candidate: Candidate) -> CallOutput:
    """An error over a name that only the call uses is the call's own and says nothing about the program."""
    if output.kind == "exception" and output.text in ("NameError", "SyntaxError"):
        unknown = unknown_names(call, candidate.code)
        if unknown or output.text == "SyntaxError":
            return CallOutput("opaque", f"the call itself cannot be read: {', '.join(unknown) or 'no expression'}")
    return output


def _kind_of(execution: Execution) -> str:
    return execution.error.split(":")[0] or execution.status


async def publish_artifacts(context: Context, config: AgentConfig, run: Run, code: str) -> None:
    """Keep the files of the program that is handed over: it is run once more, and must say the same again."""
    program = Program(solution=code, files=context.task.files, limits=limits_of(config), mode="inprocess")
    execution = await context.session.sandbox.run(program)
    if script_output(hashed(execution)) != run.outputs[OUTPUT]:
        context.tell_once("run once more, the script gave another output; its files are those of the last run")
    for artifact in execution.artifacts:
        context.keep(artifact)


async def run_script(context: Context, config: AgentConfig, candidate: Candidate) -> Run:
    """The candidate as a program of its own, over the task's files; what it prints stands for its answer."""
    execution = await _execute(
        context,
        config,
        Program(solution=candidate.code, files=context.task.files, limits=limits_of(config), mode="inprocess"),
    )
    return Run(candidate=candidate.id, suite=SCRIPT, execution=execution, outputs={OUTPUT: script_output(execution)})


def script_output(execution: Execution) -> CallOutput:
    """A script's answer in a form two programs can agree on: the numbers it printed (wording differs between authors),
    or its words when it printed none, and the kinds of files it made."""
    if execution.status != "ok":
        return CallOutput("exception", _kind_of(execution))
    numbers = [round(float(number), 6) for number in re.findall(r"-?\d+(?:\.\d+)?", execution.stdout)]
    words = " ".join(execution.stdout.split())
    made = sorted(_made(artifact) for artifact in execution.artifacts)
    if not words and not made:
        return CallOutput("opaque", "nothing was printed and no file was made")
    return CallOutput("value", f"{numbers if numbers else words!r} {made}")


def _made(artifact: Artifact) -> str:
    """A table or text is compared by its content; two authors' pictures of the same data differ, so only their kind."""
    is_text = artifact.mime.startswith("text/") or artifact.mime == "application/json"
    return f"{artifact.mime} {artifact.data.decode()}" if is_text else artifact.mime
