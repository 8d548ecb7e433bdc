"""`python -m tests.benches.rival`: evalplus, warm, in a process that has imported nothing else.

It forks this process once a task. Lines in: JSON {solution, tests, entry}. Lines out: "ready" first, then pass or fail.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

_SECONDS = 10.0


def main() -> int:
    """Serves until stdin ends; returns the exit code, 2 where evalplus is not installed."""
    try:
        check: Any = importlib.import_module("evalplus.eval").untrusted_check
    except ImportError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    _answer("ready")
    for line in sys.stdin:
        _answer(_outcome(check, json.loads(line)))
    return 0


def _outcome(check: Any, task: dict[str, str]) -> str:
    """Runs a task by evalplus, whose comparison of outputs is idle because the tests bring their own."""
    entry = task["entry"]
    body = f"{task['solution']}\n{task['tests']}\ndef __chk():\n    check({entry})\n    return True\n"
    return check("humaneval", body, [[]], "__chk", [True], 0, [_SECONDS], fast_check=True)[0]


def _answer(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
