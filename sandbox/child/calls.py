"""Evaluates call expressions over the solution's names, each within its own slice of CPU time."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import AsyncGeneratorType, CoroutineType, FrameType
from typing import Any, cast

from .load import Sources
from .reporter import Emit, Reporter
from .values.canonical import Opaque, canonical
from .words import clean, remember_source

_AGAIN = 0.05
"""Seconds after which a slice ends once more, if the program caught and ignored the first end."""


class SliceOver(BaseException):
    """Raised when a call's time is over."""


def evaluate(job: dict[str, Any], emit: Emit) -> None:
    """Emits one {"output": [index, kind, text]} per call. A call that cannot be stopped gets no record, and neither do
    the calls after it: a fresh process evaluates those."""
    sources = Sources(job)
    sources.install()
    report = Reporter(emit, sources.files, job)
    try:
        solution = sources.load()
    except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
        report.fault(problem)
        report.done()
        return
    for index, call in enumerate(job["calls"]):
        if report.wants(index):
            space = {"outcome_of": _outcome_of, **solution.__dict__, sources.name: solution}
            emit({"output": [index, *_output(call, space, float(job["call_timeout"]))]})
            report.finished += 1
    report.done()


def _end_slice(_signal: int, _frame: FrameType | None) -> None:
    raise SliceOver


def _output(call: str, space: dict[str, Any], seconds: float) -> tuple[str, str]:
    """Returns kind and text of one call. The timer is off again when this returns."""
    try:
        try:
            signal.signal(signal.SIGPROF, _end_slice)
            signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
            return _value(call, space)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except SliceOver:
        signal.setitimer(signal.ITIMER_PROF, 0)
        return "timeout", ""
    except Opaque as problem:
        return "opaque", clean(str(problem))
    except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything, also SystemExit
        return "exception", type(problem).__name__


def _value(call: str, space: dict[str, Any]) -> tuple[str, str]:
    filename = os.path.join(os.getcwd(), "call.py")
    remember_source(filename, call)
    value = eval(compile(call.strip(), filename, "eval", dont_inherit=True), space)
    if isinstance(value, CoroutineType | AsyncGeneratorType):
        value = _awaited(cast(Any, value))
    text = canonical(value)
    return "value", text.encode("utf-8", "backslashreplace").decode()


def _outcome_of(step: Callable[[], Any]) -> Any:
    """Returns what a step of an expression gives; if it raises, returns that in words, so that later steps still
    run."""
    try:
        return step()
    except Exception as problem:  # noqa: BLE001 - untrusted code may raise anything
        return f"raises {type(problem).__name__}"


def _awaited(value: Any) -> Any:
    import asyncio  # noqa: PLC0415 - most calls need none, and every library mapped costs each fork

    waiting: Any = _drained(value) if isinstance(value, AsyncGeneratorType) else value
    return asyncio.run(waiting)


async def _drained(values: Any) -> list[Any]:
    return [value async for value in values]
