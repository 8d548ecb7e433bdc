"""`python -m evaluation run`: runs a suite through the agent, with one graded trial in each line. It can be resumed."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent import models
from framework.command_line import CommandParser
from framework.settings import Settings
from llm.errors import NoScenario

from .. import fleet
from ..arms import ARMS, config_of
from ..console import Progress, say, show, whole
from ..harness import Choice, Harness, Job, trials
from ..provenance import provenance
from ..recorded.provider import ACCURACY, FAMILY, simulated_parts
from ..recorded.recordings import open_recordings
from ..suites import SUITES, Problem, chosen
from ..trials import Trial, TrialStore
from .report import markdown

SCRIPTED = "every model reply is a written line of the scripted demo model"
REPLAY = "replay"


def main(argv: Sequence[str]) -> int:
    """Makes the trials and prints their report. Returns the exit code: 0, or 1 if a trial could not be run or graded.
    Raises one of REFUSALS."""
    parser = parser_of("run", "Run a suite and grade it by its hidden tests.")
    parser.add_argument("--arm", choices=sorted(ARMS), default="full", help="what of the loop is switched off")
    parser.add_argument("--no-repair", dest="arm", action="store_const", const="one_shot", help="--arm one_shot")
    arguments = parser.parse_args(argv)
    with told_how_to_resume(arguments.out):
        store = asyncio.run(fill(arguments, Settings.from_env()))
    found = store.read()
    show(markdown(store.header(), found))
    return 1 if any(trial.error for trial in found) else 0


@contextmanager
def told_how_to_resume(folder: Path) -> Generator[None]:
    """On Ctrl-C, says how the missing trials of the folder can be made, and lets the exception pass."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"stopped; finished trials are kept in {folder}, go on with --resume")
        raise


def parser_of(command: str, description: str) -> CommandParser:
    """Returns a parser with the options of every command that makes trials."""
    parser = CommandParser(prog=f"python -m evaluation {command}", description=description)
    parser.add_argument("--suite", required=True, choices=sorted(SUITES), help="see `python -m evaluation suites`")
    parser.add_argument("--provider", metavar="P", help="who is asked; by default as configured")
    parser.add_argument("--model", metavar="M", help="which of the provider's models writes the programs")
    parser.add_argument("--data", type=Path, metavar="PATH", help="the suite's data file, or the folder that holds it")
    parser.add_argument("--task-ids", metavar="A,B", help="only the problems of these ids")
    parser.add_argument("--limit", type=whole, metavar="N", help="only the first N problems")
    parser.add_argument("--samples", type=whole, default=1, metavar="K", help="trials of each problem")
    parser.add_argument("--seed", type=int, default=0, help="of the first sample of the replay provider")
    parser.add_argument("--accuracy", type=float, default=ACCURACY, help="of its simulated debugger and arbiter")
    parser.add_argument("--plant", action="store_true", help="a wrong test joins each suite of the replay provider")
    parser.add_argument("--budget-tokens", type=whole, metavar="N", help="of each trial, the same for all arms")
    parser.add_argument("--workers", type=whole, default=2, metavar="N", help="runs at the same time")
    parser.add_argument("--engine", choices=("local", "celery"), default="local", help="celery: see `worker`")
    parser.add_argument(
        "--out", type=Path, default=Path("runs/evaluation"), metavar="DIR", help="where the trials are kept"
    )
    parser.add_argument("--resume", action="store_true", help="keep finished trials, run the others")
    return parser


async def fill(arguments: argparse.Namespace, settings: Settings) -> TrialStore:
    """Makes the trials that are missing in the folder and returns the folder's store. Sets `arguments.suite` to the
    suite that is really run. Raises one of REFUSALS."""
    arguments.suite = _suite_for(arguments, settings)
    problems = chosen(SUITES[arguments.suite].load(arguments.data), arguments.task_ids, arguments.limit)
    choice, simulated = await _choice(arguments, settings)
    problems = _playable(problems, choice, settings)
    store = TrialStore(arguments.out)
    done = store.begin(_header(arguments, choice, simulated), resume=arguments.resume)
    jobs = [Job(problem, sample) for problem in problems for sample in range(arguments.samples)]
    missing = [job for job in jobs if job.key not in done]
    try:
        await _make(store, arguments, settings, choice, missing)
    finally:
        store.close()
    return store


async def _make(
    store: TrialStore, arguments: argparse.Namespace, settings: Settings, choice: Choice, jobs: Sequence[Job]
) -> None:
    made = provenance(choice)
    with Progress(len(jobs)) as progress:
        async for trial in _trials(arguments, settings, choice, jobs):
            store.add(replace(trial, made=made, date=datetime.now(UTC).isoformat(timespec="seconds")))
            progress.tell(f"{trial.key}: {trial.words}, {trial.attempts} attempts, {trial.calls} calls")


def _suite_for(arguments: argparse.Namespace, settings: Settings) -> str:
    """Returns the suite to run. The demo model cannot answer the bundled problems, so it gets its own suite instead,
    and a line says so."""
    mock = (arguments.provider or models.llm_settings(settings).provider) == models.MOCK
    if not mock or arguments.suite != "bundled":
        return arguments.suite
    say("the scripted demo model plays its own tasks only: the suite is `scenarios`")
    return "scenarios"


async def _choice(arguments: argparse.Namespace, settings: Settings) -> tuple[Choice, list[str]]:
    """Returns how each run is made, and what of it is simulated. Raises BadInput, NoProvider."""
    models.check_provider(settings, arguments.provider)
    options = {"replay": {"data": str(arguments.data or ""), "accuracy": arguments.accuracy, "plant": arguments.plant}}
    found = await models.choose(settings, arguments.provider, arguments.model, options=options)
    config = config_of(arguments.arm, arguments.budget_tokens)
    if found.provider == REPLAY:
        choice = Choice(REPLAY, arguments.model or FAMILY, True, arguments.seed, config, options)
        return choice, simulated_parts(arguments.accuracy, plant=arguments.plant)
    return Choice(found.provider, found.model, config=config), [SCRIPTED] if found.scripted else []


def _playable(problems: list[Problem], choice: Choice, settings: Settings) -> list[Problem]:
    """Returns the problems about which the provider can be asked. Raises NoScenario if there is none."""
    if choice.provider != REPLAY:
        for problem in problems:
            models.check_scenario(settings, choice.provider, problem.task)
        return problems
    recorded = open_recordings(choice.options[REPLAY]["data"])
    found = [problem for problem in problems if recorded.knows(problem.task, choice.model or "")]
    if not found:
        raise NoScenario(f"no program of {choice.model} is recorded for any of these problems")
    if len(found) < len(problems):
        say(f"{len(found)} of {len(problems)} problems have recorded programs of {choice.model}; only these are run")
    return found


def _header(arguments: argparse.Namespace, choice: Choice, simulated: list[str]) -> dict[str, Any]:
    """Returns what a report must say about how its trials were made."""
    return {
        "suite": arguments.suite,
        "provider": choice.provider,
        "model": choice.model,
        "arm": arguments.arm,
        "budget_tokens": arguments.budget_tokens,
        "samples": arguments.samples,
        "seed": arguments.seed,
        "accuracy": arguments.accuracy if choice.seeded else None,
        "plant": arguments.plant,
        "simulated": simulated,
    }


async def _trials(
    arguments: argparse.Namespace, settings: Settings, choice: Choice, jobs: Sequence[Job]
) -> AsyncGenerator[Trial]:
    """Yields the trials, from this process or from Celery workers."""
    if arguments.engine == "celery":
        async for trial in fleet.trials(settings, choice, jobs):
            yield trial
        return
    async with Harness.open(settings, choice, arguments.out / "state", arguments.workers) as harness:
        async for trial in trials(harness, jobs, arguments.workers):
            yield trial
