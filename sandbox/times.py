"""Computes all time limits of a run from one figure that a person chooses: CPU seconds of one step.

The limits are in CPU time, because it is the same on an idle and on a busy machine. Limits in wall time only catch
programs that sleep or are stuck; and a step that gets too little CPU on a busy machine is given up without a
verdict."""

from __future__ import annotations

from .types import Program
from .worker.clock import Times

IDLE_FACTOR = 3.0
"""A step may wait (for sleep, a lock, a disk) this many times as long as it may compute."""
RUN_FACTOR = 12.0
"""The checks of a suite together may compute this many times as long as one of them."""
MAX_HUNG = 5
"""After this many checks of a run have hit a time limit, the remaining ones are not tried."""
_LEAST_IDLE = 1.0
"""Seconds that a step may wait at least."""
_STARVED_FACTOR = 10.0
_LEAST_STARVED = 20.0
"""Seconds. A step that got less than its CPU time within this much wall time, and at least ten times its limit, was
starved."""
_CALL_MARGIN = 0.5
"""CPU seconds beyond a call's own limit before its process is killed, so that the timer inside the call comes first."""


def times_of(program: Program, used_cpu: float = 0.0) -> Times:
    """Returns the limits of one process of a run whose earlier processes used `used_cpu` seconds of CPU."""
    step = program.limits.timeout
    each = program.call_timeout + _CALL_MARGIN if program.calls else step
    run = step * (RUN_FACTOR if program.tests is not None else 1.0) - used_cpu
    return Times(
        load_cpu=step,
        step_cpu=each,
        step_idle=max(_LEAST_IDLE, IDLE_FACTOR * each),
        step_wall=max(_LEAST_STARVED, _STARVED_FACTOR * each),
        run_cpu=max(run, 0.01),
        run_wall=max(_LEAST_STARVED, _STARVED_FACTOR * step) * (3 if program.tests is not None else 1),
    )
