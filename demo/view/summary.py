"""Sums a run up in one row, which the history lists and the insights count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.events import AgentEvent, TaskClassified
from agent.outcome.report import report_of
from agent.outcome.words import who_answers
from framework.engine import Envelope, Status

if TYPE_CHECKING:
    from framework.storage.records import RunRow


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in one row."""

    run_id: str
    title: str
    created: float
    """Unix time."""
    status: Status
    verdict: str
    """"" while the run may still conclude."""
    model: str
    scripted: bool
    calls: int
    tokens: int
    cost_usd: float | None
    seconds: float
    attempts: int
    healed: bool
    """Whether the first program failed a check and the run ended with a program that passes."""
    first_failed: bool
    failures: tuple[str, ...]
    """The categories of the run's diagnoses."""
    kind: str
    """The kind of the task: function, class, script, ..."""
    error: str


def summarise(row: RunRow, status: Status, envelopes: Sequence[Envelope[AgentEvent]]) -> Summary:
    report = report_of(row.run_id, envelopes)
    classified = any(isinstance(one.event, TaskClassified) for one in envelopes)
    told = report.outcome(told=status)
    first_failed = bool(told.attempts) and bool(told.attempts[0].failed)
    usage = told.usage
    return Summary(
        run_id=row.run_id,
        title=row.title,
        created=row.created,
        status=status,
        verdict=told.verdict or "",
        model=who_answers(told.provider, told.model),
        scripted=row.scripted,
        calls=usage.calls,
        tokens=usage.tokens,
        cost_usd=usage.cost_usd,
        seconds=told.seconds,
        attempts=len(told.attempts),
        healed=first_failed and told.verdict in ("verified", "partly_verified"),
        first_failed=first_failed,
        failures=tuple(one.category for one in told.attempts if one.category),
        kind=report.kind if classified else "",
        error=told.error or "",
    )
