"""Finds out why a program could not run at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..checks.execution import PROBES, SCRIPT
from ..state import Run
from ..trust.facts import ENDS_WHEN_IMPORTED, NOT_HERE

_LOADS = re.compile(r"(?:Syntax|Indentation|Tab|Import|ModuleNotFound|Name)Error\b")
"""Errors of programs that cannot even be loaded, or that hold a name which means nothing."""
_WANTS_A_SCREEN = re.compile(
    r"TclError: (?:Can't find a usable|no display|couldn't connect)|error: (?:setupterm|No available video device)"
)
"""How libraries for windows and for screens of text say that there is no screen."""


def broken_by(runs: Sequence[Run], *, takes_input: bool) -> str:
    """Returns why the candidate cannot run at all; "" when some check of some suite reached a verdict. A program that
    `takes_input` may end with an error where it is started without any. What a refusal of the sandbox or the lack of a
    screen ended, or what ends its own process where tests import it, says nothing against the program."""
    judged = [run for run in runs if run.suite != PROBES]
    if not judged or any(run.reported for run in judged):
        return ""
    if any(run.execution.status in ("pass", "ok", "broken") for run in judged):
        return next((run.lacks for run in judged if run.lacks), "")
    last = judged[-1].execution
    if last.status == "blocked" or _WANTS_A_SCREEN.match(last.error):
        return NOT_HERE + last.error.strip().partition("\n")[0].rstrip(" :")
    if judged[-1].suite == SCRIPT and takes_input and last.status == "error" and not _LOADS.match(last.error):
        return ""
    told = last.error or last.status if judged[-1].suite == SCRIPT or last.status != "fail" else ""
    return f"{ENDS_WHEN_IMPORTED}{told}" if told.startswith("SystemExit") and takes_input else told
