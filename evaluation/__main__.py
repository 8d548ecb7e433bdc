"""Command line of the evaluation room: python -m evaluation COMMAND ..."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from agent.task.refusals import REFUSALS
from framework.command_line import run_command
from framework.version import version

from .console import say, show

# One line for each command: the module of this room with `main(argv) -> exit code`, and what the command does.
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("commands.run", "run a suite through the agent and grade it by its hidden tests"),
    "suites": ("commands.suites", "the suites, with licence and what models may have seen of them"),
    "grade": ("commands.grade", "grade known or stored programs by a suite's hidden tests; no model is asked"),
    "worker": ("fleet", "make trials for `run --engine celery`, until stopped"),
    "report": ("commands.report", "figures of the trials in a folder"),
    "judge": ("commands.judge", "have a model rate what trials returned; an opinion, apart from what is right"),
    "ablate": ("commands.ablate", "what each kind of evidence adds, on runs of one model under one budget"),
    "compare": ("commands.compare", "paired differences between two folders of trials"),
    "tiers": ("commands.tiers", "the real graph (tier 1) beside the same policy on stored matrices (tier 0)"),
    "replay": ("replay.command", "replay policies over stored pass matrices; no program and no model is run"),
    "gate": ("replay.gate", "fail where the policy decides worse than its stored decisions, beyond noise"),
    "calibrate": ("replay.calibration", "count on stored matrices how often each kind of evidence was right"),
}


def main(argv: Sequence[str]) -> int:
    """Hands the arguments to the command's own module and returns its exit code. Help and the version give 0. A refusal
    is told in one line and gives 2 for bad input, such as an unknown command, or 3 without a usable model or worker."""
    if argv and argv[0] in COMMANDS:
        try:
            return int(importlib.import_module(f"evaluation.{COMMANDS[argv[0]][0]}").main(argv[1:]))
        except REFUSALS as error:
            say(f"python -m evaluation {argv[0]}: {error}")
            return error.exit_code
    if argv and argv[0] == "--version":
        show(f"python -m evaluation {version()}")
        return 0
    usage = ["usage: python -m evaluation COMMAND [options]", ""]
    usage += [f"  {name:<10}{about}" for name, (_, about) in COMMANDS.items()]
    asked = bool(argv) and argv[0] in ("-h", "--help")
    print("\n".join(usage), file=sys.stdout if asked else sys.stderr)
    return 0 if asked else 2


if __name__ == "__main__":
    run_command(lambda: main(sys.argv[1:]))
