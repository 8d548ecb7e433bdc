"""How long programs may take, from one figure that a person chooses: CPU seconds of one step.

CPU time is what is limited, because it is the same on an idle and on a busy machine. Wall time only catches what sleeps
or is stuck, and gives up, without a word on the program, where the machine is too busy to try it at all.
"""

from __future__ import annotations

from .types import Program
from .worker.clock import Times

IDLE_FACTOR = 3.0
"""A step may wait (sleep, lock, disk) so many times as long as it may compute."""
RUN_FACTOR = 12.0
"""A suite's checks together may compute so many times as long as one of them: the run's limit grows up to this."""
MOST_HUNG = 5
"""Checks of one run that may run into a limit of time; those behind the last of them are not tried any more."""
_LEAST_IDLE = 1.0
_STARVED_FACTOR = 10.0
_LEAST_STARVED = 20.0
"""Seconds: a step that got less than its CPU time within this much wall time was starved."""
_CALL_MARGIN = 0.5
"""Seconds that a call may compute beyond its own limit before its process is ended: its own timer comes first."""


def times_of(program: Program, used_cpu: float = 0.0) -> Times:
    """The limits of one process of a run whose processes before it used so many seconds of CPU."""
    step = program.limits.timeout
    each = program.call_timeout + _CALL_MARGIN if program.calls else step
    run = step * (RUN_FACTOR if program.tests is not None else 1.0) - used_cpu
    return Times(
        load_cpu=min(step, run),
        step_cpu=each,
        step_idle=max(_LEAST_IDLE, IDLE_FACTOR * each),
        step_wall=max(_LEAST_STARVED, _STARVED_FACTOR * each),
        run_cpu=max(run, 0.01),
        run_wall=max(_LEAST_STARVED, _STARVED_FACTOR * step) * (3 if program.tests is not None else 1),
    )
