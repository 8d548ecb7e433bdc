"""The commands of the command line. Lines for people go to standard error, program and JSON object to standard
output."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path

from agent.by_output.missing import MISSING_FILE
from agent.config import OFFERED
from agent.engine import ANSWERS, ANY_ANSWER
from agent.events.conclusion import Outcome
from agent.outcome import bundle
from agent.outcome.report import Report
from agent.runs import AgentRuns, open_runs
from agent.source.originals import CODE, TESTS, kept
from agent.state import Task
from agent.task.order import Order
from agent.task.project import is_project, read_project, read_source
from agent.task.reply import PersonReply
from agent.task.request import BadInput, read_bytes, read_data
from framework.engine import Pending
from framework.errors import FrameworkError
from framework.settings import Settings
from llm.errors import LLMError, NoScenario
from llm.scenarios import Scenario, list_scenarios
from sandbox.types import LevelTooLow, SandboxBroken

from . import doctor, listing, remembered, show
from .console import Console
from .terminal import ask_at_terminal, ask_more, read_task

EXIT_BY_VERDICT = {"verified": 0, "partly_verified": 0, "unverified": 1, "failed": 1}
BUDGET, WAITING, STOPPED = 4, 5, 130


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Reads the input and runs the command; returns the exit code of the process."""
    # Read before there is an event loop: while one waits for standard input, Ctrl-C would not come through.
    task = _task(arguments) if arguments.command == "task" else None
    return asyncio.run(_run(arguments, settings, task))


def _task(arguments: argparse.Namespace) -> Task:
    """Builds the task. A program of several files comes as a folder or a ZIP, with its tests and its data."""
    project = read_project(arguments.code) if arguments.code and is_project(arguments.code) else None
    code, originals = (project.code, project.originals) if project else _read_text(arguments.code, CODE)
    tests, own = _read_text(arguments.tests, TESTS)
    if project and tests is None:
        tests = project.tests
    data = {Path(name).name: read_data(name) for name in arguments.data}
    files = {**(project.files if project else {}), **data}
    return Task(read_task(arguments.task), code, tests, files, {**originals, **own})


async def _run(arguments: argparse.Namespace, settings: Settings, task: Task | None) -> int:
    if task is not None:
        return await _submit(arguments, settings, task, arguments.provider, arguments.model)
    if arguments.command == "demo":
        return await _demo(arguments, settings)
    if arguments.command == "runs":
        return await listing.run(
            settings,
            query=arguments.query,
            verdict=arguments.verdict or "",
            limit=arguments.limit,
            as_json=arguments.json,
        )
    if arguments.command == "memory":
        return await remembered.run(arguments, settings)
    if arguments.command == "doctor":
        return await doctor.run(settings, as_json=arguments.json)
    if arguments.command == "show":
        return await show.run(arguments.run, settings, as_json=arguments.json)
    if arguments.command == "fork":
        return await _fork(arguments, settings)
    return await _resume(arguments, settings)


async def _demo(arguments: argparse.Namespace, settings: Settings) -> int:
    scenarios = {scenario.name: scenario for scenario in list_scenarios()}
    if arguments.list or not arguments.name:
        listed = [{"name": s.name, "task": s.task, "kind": s.kind, "shows": s.shows} for s in scenarios.values()]
        if arguments.json:
            print(json.dumps({"scenarios": listed}, ensure_ascii=False))
        else:
            print("\n".join(f"{entry['name']:24} {entry['shows']}" for entry in listed))
        return 0
    if arguments.name not in scenarios:
        known = ", ".join(scenarios)
        raise BadInput(f"there is no scenario {arguments.name!r}; there are: {known}")
    return await _submit(arguments, settings, task_of(scenarios[arguments.name]), "mock", None)


def task_of(scenario: Scenario) -> Task:
    """Returns the task of a scenario of the scripted demo model."""
    return Task(text=scenario.task, code=scenario.code, tests=scenario.tests, files=scenario.files)


async def _submit(
    arguments: argparse.Namespace, settings: Settings, task: Task, provider: str | None, model: str | None
) -> int:
    """Makes one run. At a terminal that was asked for its task, goes on with further runs until an empty line."""
    options = {name: getattr(arguments, name) for name in OFFERED}
    parent: str = getattr(arguments, "follow", None) or ""
    async with aclosing(await open_runs(settings)) as runs:
        while True:
            parent = await runs.begin(Order(task, options, provider, model, on_this_machine=True, parent=parent))
            code = await _follow(runs, parent, arguments)
            if not (at_terminal(arguments) and code in EXIT_BY_VERDICT.values()) or not (text := ask_more()):
                return code
            task = Task(text)


def at_terminal(arguments: argparse.Namespace) -> bool:
    """Returns whether the task is asked for at a terminal, so that a person is there to go on."""
    asked = arguments.command == "task" and arguments.task is None
    return asked and not arguments.json and sys.stdin.isatty()


def refused(arguments: argparse.Namespace, error: LLMError | FrameworkError | LevelTooLow | SandboxBroken) -> int:
    """Reports that nothing could be run, in the JSON object too; returns the exit code."""
    report = Report(run_id="", error=str(error), scripted=isinstance(error, NoScenario))
    _tell_no_run(arguments, report, str(error))
    return error.exit_code


def stopped(arguments: argparse.Namespace) -> int:
    """Reports an interrupt that came before there was a run to stop, in the JSON object too."""
    _tell_no_run(arguments, Report(run_id="", stopped=True), "stopped")
    return STOPPED


def _tell_no_run(arguments: argparse.Namespace, report: Report, why: str) -> None:
    print(f"{arguments.prog}: {why}", file=sys.stderr, flush=True)
    if arguments.json:
        print(json.dumps(report.outcome().as_json(), ensure_ascii=False))


async def _fork(arguments: argparse.Namespace, settings: Settings) -> int:
    (code, originals), (tests, own) = _read_text(arguments.code, CODE), _read_text(arguments.tests, TESTS)
    edits = Task(arguments.task or "", code, tests, originals={**originals, **own})
    order = Order(edits, on_this_machine=True, parent=arguments.run, attempt=arguments.attempt)
    async with aclosing(await open_runs(settings)) as runs:
        return await _follow(runs, await runs.begin(order), arguments)


async def _resume(arguments: argparse.Namespace, settings: Settings) -> int:
    async with aclosing(await open_runs(settings)) as runs:
        if arguments.answer:
            question, reply = parse_answer(arguments.answer)
            files = {Path(name).name: read_bytes(name) for name in arguments.data or ()}
            await runs.reply(arguments.run, question, replace(reply, files=files))
        elif await runs.status(arguments.run) not in ("waiting", "done"):
            await runs.resume(arguments.run)
        return await _follow(runs, arguments.run, arguments)


def parse_answer(text: str) -> tuple[str, PersonReply]:
    """Returns the question's id and the answer of "ID=approve", "ID=abort", "ID=revise:TEXT", "ID=tick:VALUE" or
    "ID=edit:PROGRAM". Raises BadInput."""
    question, separator, answer = text.partition("=")
    action, _, words = answer.partition(":")
    if not separator or not question or action not in ("approve", "abort", "revise", "tick", "edit"):
        forms = "ID=approve, ID=abort, ID=revise:TEXT, ID=tick:VALUE or ID=edit:PROGRAM"
        raise BadInput(f"--answer {text!r} is not {forms}")
    return question, PersonReply(action, words)


async def _follow(runs: AgentRuns, run_id: str, arguments: argparse.Namespace) -> int:
    """Tells the run as it happens, then hands over what was asked for. Returns the exit code."""
    report = Report(run_id)
    stopping = _stop_on_signals(runs, run_id)
    while True:
        with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
            report = await runs.ended(run_id, report, console.tell)
        pending = await runs.pending(run_id)
        if pending is None or stopping.is_set() or arguments.json or not sys.stdin.isatty():
            break
        reply = await ask_at_terminal(pending)
        if reply is None or stopping.is_set():
            break
        await runs.reply(run_id, pending.id, reply)
    _leave_signals()
    return await _hand_over(runs, report, pending, arguments)


def _stop_on_signals(runs: AgentRuns, run_id: str) -> asyncio.Event:
    """Makes the first interrupt stop the run, which can be resumed later. The event is set once that has begun."""
    loop, stopping, tasks = asyncio.get_running_loop(), asyncio.Event(), set[asyncio.Task[bool]]()

    def stop() -> None:
        if not stopping.is_set():
            stopping.set()
            tasks.add(asyncio.ensure_future(runs.stop(run_id)))

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows has no such handlers: there an interrupt ends the process
            loop.add_signal_handler(number, stop)
    return stopping


def _leave_signals() -> None:
    """Restores the ordinary effect of an interrupt."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.remove_signal_handler(number)


async def _hand_over(runs: AgentRuns, report: Report, pending: Pending | None, arguments: argparse.Namespace) -> int:
    outcome = report.outcome(pending)
    asked: str = (report.kind == "tests" and outcome.tests) or outcome.code
    if arguments.output and asked != outcome.code:
        _write(arguments.output, asked.encode())
    elif arguments.output and asked:
        _write_program(arguments.output, outcome, (await runs.spec(report.run_id)).task.originals)
    if arguments.bundle:
        _write(arguments.bundle, await runs.bundle(report.run_id))
    if arguments.json:
        print(json.dumps(outcome.as_json(), ensure_ascii=False))
    elif report.conclusion:
        _print_outcome(outcome, asked)
    if pending and not arguments.json:
        answer = f"python -m agent resume {report.run_id} --answer {pending.id}={_answers_to(pending)}"
        print(f"waiting: {answer}", file=sys.stderr, flush=True)
    return exit_code(report, pending)


def _answers_to(pending: Pending) -> str:
    """Returns what --answer takes for this question, such as approve|abort|revise:TEXT."""
    words = {"revise": "revise:TEXT", "tick": "tick:VALUE", "edit": "edit:PROGRAM"}
    answers = "|".join(words.get(action, action) for action in ANSWERS.get(pending.kind, ANY_ANSWER))
    return f"{answers} [--data FILE]" if pending.kind == MISSING_FILE else answers


def exit_code(report: Report, pending: Pending | None) -> int:
    """Returns 0 for verified or partly verified, 1 for unverified or failed, 4 when the budget is reached, 5 when an
    answer is awaited, 130 when stopped, and the failure's own code when the run failed."""
    if pending:
        return WAITING
    if report.stopped:
        return STOPPED
    if report.conclusion is None:
        return 1 if report.exit_code is None else report.exit_code
    code = EXIT_BY_VERDICT.get(report.conclusion.verdict or "", 1)
    return BUDGET if code and report.conclusion.budget_reached else code


def _print_outcome(outcome: Outcome, asked: str) -> None:
    """Prints the outcome. `asked` is what the task asks for: the program, or the tests for a given program."""
    label = f" ({outcome.scripted})" if outcome.scripted else ""
    print(f"{asked}\n\n{outcome.verdict}{label}: {outcome.answer}")


def _read_text(name: str | None, place: str) -> tuple[str | None, Mapping[str, bytes]]:
    """Returns the text of a file, if one is named, and the bytes that are kept of it under the name `place`."""
    if not name:
        return None, {}
    data = read_bytes(name)
    text = read_source(name, data)
    return text, kept({place: (text, data)})


def _write(name: str, data: bytes) -> None:
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise BadInput(f"{name} cannot be written: {error.strerror}") from None


def _write_program(name: str, outcome: Outcome, originals: Mapping[str, bytes]) -> None:
    """Writes the program to a file; a program of several files to a folder."""
    for path, data in bundle.program_files(outcome, originals).items():
        target = Path(name, path) if outcome.files else Path(name)
        with suppress(OSError):
            target.parent.mkdir(parents=True, exist_ok=True)
        _write(str(target), data)
