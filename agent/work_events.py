"""Facts about programs and checks: what was written, what was executed, and what was concluded from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .state import AttemptKind, Category, Fault, Origin, Tier


@dataclass(frozen=True, slots=True)
class CheckListed:
    id: str
    name: str
    source: str
    held_out: bool


@dataclass(frozen=True, slots=True)
class SuiteWritten:
    suite: str
    origin: Origin
    checks: tuple[CheckListed, ...]
    header: str
    kind: Literal["suite_written"] = "suite_written"


@dataclass(frozen=True, slots=True)
class CandidateWritten:
    candidate: str
    attempt: AttemptKind
    parent: str | None
    strategy: str
    code: str
    diff: str
    """Unified diff to the parent, or to the previous candidate; "" for the first."""
    note: str
    provider: str = ""
    """Of the model that wrote it; "" for a person's program."""
    model: str = ""
    step: int = 0
    """Number of the step of the task that it was written for, from 1; 0: for the whole task."""
    kind: Literal["candidate_written"] = "candidate_written"


@dataclass(frozen=True, slots=True)
class ChecksRan:
    candidate: str
    status: str
    outcomes: Mapping[str, str]
    """Check id -> pass | fail | error | timeout | not_run | skipped."""
    messages: Mapping[str, str]
    """Check id -> message, for those that did not pass."""
    error: str
    confirmed: bool
    duration_ms: float
    peak_mb: float
    stdout: str
    stderr: str
    artifacts: tuple[str, ...]
    kind: Literal["checks_ran"] = "checks_ran"


@dataclass(frozen=True, slots=True)
class ToolUsed:
    tool: str
    arguments: Mapping[str, Any]
    observation: str
    seconds: float = 0.0
    kind: Literal["tool_used"] = "tool_used"


@dataclass(frozen=True, slots=True)
class Diagnosed:
    candidate: str
    fault: Fault
    category: Category
    confidence: float
    explanation: str
    repair_hint: str
    kind: Literal["diagnosed"] = "diagnosed"


@dataclass(frozen=True, slots=True)
class CheckRuled:
    """A disputed check was settled; fault `test` quarantines it."""

    check: str
    fault: Fault
    by: str
    reason: str
    kind: Literal["check_ruled"] = "check_ruled"


@dataclass(frozen=True, slots=True)
class Judged:
    decision: str
    """The next box of the diagram."""
    reason: str
    best: str | None
    tiers: Mapping[str, Tier]
    kind: Literal["judged"] = "judged"


@dataclass(frozen=True, slots=True)
class TournamentHeld:
    ranking: tuple[str, ...]
    clusters: tuple[tuple[str, ...], ...]
    """Candidates with equal outputs on all generated inputs, largest first."""
    inputs: int
    kind: Literal["tournament_held"] = "tournament_held"


@dataclass(frozen=True, slots=True)
class MutationMeasured:
    killed: int
    total: int
    survivors: tuple[str, ...]
    kind: Literal["mutation_measured"] = "mutation_measured"


@dataclass(frozen=True, slots=True)
class CriticSpoke:
    objection: str
    witness: str
    """The failing input it named, as an expression; "" for a mere note."""
    upheld: bool
    kind: Literal["critic_spoke"] = "critic_spoke"
