"""Ends a command without a traceback when it is stopped or when nobody reads its output any more."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

STOPPED, UNREAD = 130, 141
"""The exit codes after Ctrl-C, and after the reader of the output has gone away."""


def run_command(main: Callable[[], int]) -> NoReturn:
    """Ends the process with the code that `main` returns, with STOPPED after Ctrl-C, or with UNREAD if the reader is
    gone."""
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
    # All output is written: Ctrl-C must not interrupt the interpreter's own end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)
