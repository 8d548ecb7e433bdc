"""The command line `python -m agent`: runs a task or a demo scenario, lists runs, resumes or answers one."""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Loading what `main` needs takes a second. A Ctrl-C in that second waits until `main` can handle it.
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))

import argparse
import importlib
import sys
from typing import get_args

from framework.command_line import CommandParser, run_command
from framework.log import setup_logging
from framework.secret import Redactor
from framework.settings import Settings

from .config import AUTONOMY, WHEN
from .state.findings import VerdictWord
from .task.lone_word import command_meant


def main(argv: list[str] | None = None) -> int:
    arguments = _parse(sys.argv[1:] if argv is None else argv)
    # Loaded only now, so that help and a mistyped word are answered at once.
    commands = importlib.import_module("agent.cli.commands")
    refusals = importlib.import_module("agent.task.refusals")
    try:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
        settings = Settings.from_env()
        setup_logging(
            Redactor(settings.secrets()),
            level=settings.log_level.upper(),
            as_json=settings.environment == "production",
        )
        if arguments.command == "worker":
            drive = importlib.import_module("agent.cli.worker").run
            return drive(settings, check=arguments.check, metrics_at=arguments.metrics)
        return commands.run(arguments, settings)
    except refusals.REFUSALS as error:
        if error.exit_code != refusals.BAD_USE:
            return commands.refused(arguments, error)
        flag = importlib.import_module("agent.cli.console").flag_for(error)
        print(f"{arguments.prog}: {error}{flag}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return commands.stopped(arguments)


def _parse(argv: list[str]) -> argparse.Namespace:
    """Parses the words of the command line. The first word chooses a command; otherwise it is a task."""
    parsers = {
        "runs": _runs, "show": _show, "resume": _resume, "fork": _fork, "demo": _demo, "doctor": _doctor,
        "worker": _worker, "memory": _memory,
    }  # fmt: skip
    known = bool(argv) and argv[0] in parsers
    parser = parsers[argv[0]]() if known else _task()
    arguments = parser.parse_args(argv[known:])
    arguments.command, arguments.prog = (argv[0] if known else "task"), parser.prog
    alone = not known and not (arguments.code or arguments.tests or arguments.data or arguments.follow)
    if alone and (meant := command_meant(arguments.task or "", slips=True)):
        parser.error(f"{arguments.task!r} is no command; did you mean: {meant}. A task has more words than that")
    return arguments


def _task() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="python -m agent",
        description="Write a program for a task, test it, repair it, and say what was verified.",
        epilog="Also: python -m agent demo [NAME] | runs [QUERY] | show RUN | resume RUN | fork RUN | memory |"
        " doctor | worker."
        " Without a task at a terminal it asks for one, and goes on until an empty line.",
    )
    parser.add_argument("task", nargs="?", help='the task in plain words; "-" reads it from standard input')
    parser.add_argument(
        "--code", metavar="F", help="code to be fixed or extended: a file, or a project as folder or ZIP"
    )
    parser.add_argument("--tests", metavar="F", help="your own tests: they are trusted above all others")
    parser.add_argument(
        "--data", "--file", metavar="F", action="append", default=[], help="a data file of the task, up to 200 MB"
    )
    parser.add_argument("--follow", metavar="RUN", help="go on from this run: its program, files and checks come along")
    parser.add_argument("--provider", metavar="P", help="who is asked, such as anthropic, openai, ollama or mock")
    parser.add_argument("--model", metavar="M", help="which of the provider's models writes the programs")
    _flags(parser)
    return parser


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--autonomy",
        choices=AUTONOMY,
        help="whether it never asks you, asks before repairs, or asks before anything is written (default: full_auto)",
    )
    parser.add_argument(
        "--review", choices=WHEN, help="whether a reviewer reads a program before it is run (auto: of a hard task)"
    )
    parser.add_argument("--max-repairs", type=int, metavar="N", help="how many repairs are tried at most")
    parser.add_argument("--strategies", type=int, metavar="N", help="how many repairs are written in parallel, 1 to 3")
    parser.add_argument("--budget-usd", type=float, metavar="X", help="what the run may cost in dollars")
    parser.add_argument("--budget-calls", type=int, metavar="N", help="how many times models may be asked")
    parser.add_argument("--budget-tokens", type=int, metavar="N", help="how many tokens models may read and write")
    parser.add_argument("--timeout", type=float, metavar="S", help="how many seconds the run may take, pauses aside")
    parser.add_argument(
        "--install-packages", action="store_true", default=None, help="install what programs import, from wheels only"
    )
    parser.add_argument(
        "--web-search",
        action="store_true",
        default=None,
        help="let whoever writes or debugs programs have the web searched by its service, never who writes tests",
    )
    parser.add_argument(
        "--memory",
        action=argparse.BooleanOptionalAction,
        help="whether lessons of your earlier runs on similar tasks come along, and those of this one are kept",
    )
    _outputs(parser)


def _outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="F", help="write the program, or tests that were asked for, to this file")
    parser.add_argument("--bundle", metavar="ZIP", help="write program, tests, evidence and journal to this file")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--quiet", action="store_true", help="tell nothing of the way, only how it ends")
    parser.add_argument("--verbose", action="store_true", help="tell also what the models write, as they write it")


def _demo() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="python -m agent demo", description="Run a scenario of the scripted demo model, offline."
    )
    parser.add_argument("name", nargs="?", help="the scenario; see --list")
    parser.add_argument("--list", action="store_true", help="name every scenario and what it shows")
    _flags(parser)
    return parser


def _runs() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="python -m agent runs", description="List the stored runs, newest first, with their verdicts."
    )
    parser.add_argument("query", nargs="?", default="", help="only runs whose task or id holds these words")
    parser.add_argument("--verdict", choices=get_args(VerdictWord), help="only runs that came to this")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="how many at most (default: 20)")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser


def _memory() -> argparse.ArgumentParser:
    description = "List what finished runs remember for later ones on similar tasks (--memory), delete it or export it."
    parser = CommandParser(prog="python -m agent memory", description=description)
    parser.add_argument("query", nargs="?", default="", help="only what has these words in its task or its lessons")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="how many at most (default: 50)")
    parser.add_argument(
        "--everyone", action="store_true", help="also of runs that were started in the app or over REST"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--delete", metavar="RUN", help="forget what this run remembers")
    what.add_argument("--delete-all", action="store_true", help="forget what all runs remember; the runs stay")
    what.add_argument("--export", metavar="F", help='write it all to this file, as JSON lines; "-" is standard output')
    what.add_argument("--push", metavar="USER/NAME", help="upload it all to this private data set of Hugging Face")
    return parser


def _doctor() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="python -m agent doctor",
        description="Try settings, store, sandbox and models; exit 0 where a run can be made, else 3.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser


def _worker() -> argparse.ArgumentParser:
    description = "Drive the runs of apps that share REDIS_URL and the database, RUNS_RUNNING at a time, until stopped."
    parser = CommandParser(prog="python -m agent worker", description=description)
    parser.add_argument("--check", action="store_true", help="only ask this machine's worker; exit 0 if it answers")
    told = "answer Prometheus there (no host: on this machine only), without a key: counts of what it drives, no words"
    parser.add_argument("--metrics", default="", metavar="[HOST:]PORT", help=told)
    parser.set_defaults(json=False)
    return parser


def _show() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="python -m agent show",
        description="Print what each role of a run was told and answered (kept unless KEEP_DIALOGUE=off).",
    )
    parser.add_argument("run", help="the run's id; see python -m agent runs")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser


def _fork() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="python -m agent fork",
        description="Begin a new run with an attempt of another one; what you edit replaces what that run had.",
    )
    parser.add_argument("run", help="the id of the run, or how it begins; see python -m agent runs")
    parser.add_argument("--attempt", metavar="N", default="", help="which of its programs, e.g. 2; its best by default")
    parser.add_argument("--task", metavar="TEXT", help="another task; its checks are written anew")
    parser.add_argument("--code", metavar="F", help="another program in the place of the attempt")
    parser.add_argument("--tests", metavar="F", help="your own tests in the place of those the run was given")
    _outputs(parser)
    return parser


def _resume() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="python -m agent resume", description="Continue a stopped run, or answer a waiting one."
    )
    parser.add_argument("run", help="the run's id; see python -m agent runs")
    parser.add_argument(
        "--answer",
        metavar="ID=approve|abort|revise:TEXT|tick:VALUE|edit:PROGRAM",
        help="the answer to the pending question; the waiting run names those that fit it",
    )
    parser.add_argument("--data", metavar="F", action="append", default=[], help="a file that the question asks for")
    _outputs(parser)
    return parser


if __name__ == "__main__":
    run_command(main)
