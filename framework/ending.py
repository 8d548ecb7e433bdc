"""How a command comes to its end: without a traceback, whoever stops it and whoever has gone away."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

STOPPED, UNREAD = 130, 141
"""Exit codes: after Ctrl-C; where nobody reads the answer any more."""


def run_command(main: Callable[[], int]) -> NoReturn:
    """End the process with what `main` returns, or quietly where it is stopped or its reader is gone."""
    try:
        code = main()
        print(end="", flush=True)  # noqa: T201 - what is still buffered must fail here, not when the interpreter ends
    except KeyboardInterrupt:
        code = STOPPED
    except BrokenPipeError:
        code = UNREAD
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):
            os.dup2(nowhere, number)
    # Everything is said: nothing may break into the interpreter's own end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)
