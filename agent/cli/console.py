"""Shows a run at a terminal: one coloured line per event, and one live line below."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console as Rich
from rich.status import Status

from agent.events import AgentEvent, NodeFinished, NodeStarted, RunFinished, TextStreamed
from agent.outcome.narrate import line_of
from agent.task.request import Wanting

_COLOURS = {"verified": "green", "partly_verified": "yellow", "unverified": "yellow", "failed": "red"}
_STYLES = {
    "run_failed": "red",
    "run_stopped": "yellow",
    "noted": "dim",
    "call_made": "dim",
    "candidate_written": "bold",
}

_FLAGS = {"files": "--data FILE", "install_packages": "--install-packages"}
"""The flag of the command line that supplies what a task lacks."""


def flag_for(error: Exception) -> str:
    """Returns, in brackets, the flag that supplies what is missing; "" when there is none."""
    flag = _FLAGS.get(error.option, "") if isinstance(error, Wanting) else ""
    return f" ({flag})" if flag else ""


class Console:
    """Writes lines to standard error. Into a file or a pipe they go without colours and without a live line; NO_COLOR
    leaves out colours everywhere. `quiet` shows only failures; `verbose` also shows what the models write."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet, self._verbose = quiet, verbose
        self._rich = Rich(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._status: Status | None = None
        self._in_text = False

    def __enter__(self) -> Console:
        if self._rich.is_terminal and not self._quiet and not self._verbose:
            self._status = self._rich.status("starting", spinner="dots")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()

    def pause(self) -> None:
        """Removes the live line, because the person is asked or the run is over."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def tell(self, event: AgentEvent, live: bool) -> None:
        """Prints the line of an event. Of events that are only `live`, notes and failures are printed, and with
        `verbose` what the models write."""
        if isinstance(event, NodeStarted | NodeFinished) and self._status is not None:
            self._status.update(event.node.replace("_", " ") if isinstance(event, NodeStarted) else "working")
        if isinstance(event, TextStreamed):
            self._stream(event.text)
            return
        line = line_of(event)
        if line is None or (live and event.kind not in ("noted", "run_failed")):
            return
        if not self._quiet or event.kind == "run_failed":
            self._break()
            self._rich.print(line, style=_style_of(event))

    def _stream(self, text: str) -> None:
        if self._verbose and not self._quiet:
            self._in_text = True
            print(text, end="", file=sys.stderr, flush=True)

    def _break(self) -> None:
        if self._in_text:
            self._in_text = False
            print(file=sys.stderr)


def _style_of(event: AgentEvent) -> str:
    if isinstance(event, RunFinished):
        return _COLOURS.get(event.conclusion.verdict or "", "")
    return _STYLES.get(event.kind, "")
