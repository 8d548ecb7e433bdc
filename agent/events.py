"""Everything the outside sees of a run: typed facts, each with a `kind`; screen, journal and metrics fold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .examples.types import TaskKind
from .state import AttemptKind, Category, Fault, Origin, Tier
from .steps import Brought


@dataclass(frozen=True, slots=True)
class RunStarted:
    task: str
    provider: str
    model: str
    scripted: bool
    """True for the offline demo model; every screen and export must then say "scripted demo model"."""
    config: Mapping[str, Any]
    isolation: Mapping[str, str]
    comes_from: Mapping[str, Any] | None = None
    """{"run": id} of a follow-up; of a fork also its attempt and what was edited."""
    kind: Literal["run_started"] = "run_started"


@dataclass(frozen=True, slots=True)
class NodeStarted:
    node: str
    kind: Literal["node_started"] = "node_started"


@dataclass(frozen=True, slots=True)
class NodeFinished:
    node: str
    seconds: float
    kind: Literal["node_finished"] = "node_finished"


@dataclass(frozen=True, slots=True)
class TextStreamed:
    """A piece of a reply while it is being written; live only, never stored."""

    role: str
    text: str
    kind: Literal["text_streamed"] = "text_streamed"


@dataclass(frozen=True, slots=True)
class TaskClassified:
    task_kind: TaskKind
    hard: bool
    signature: str | None
    examples: tuple[str, ...]
    """One line per example that the task text promises."""
    kind: Literal["task_classified"] = "task_classified"


@dataclass(frozen=True, slots=True)
class PlanMade:
    plan: str
    kind: Literal["plan_made"] = "plan_made"


@dataclass(frozen=True, slots=True)
class LessonsLearned:
    lessons: tuple[str, ...]
    kind: Literal["lessons_learned"] = "lessons_learned"


@dataclass(frozen=True, slots=True)
class MemoryRecalled:
    """Lessons of earlier runs are told beside those of this one."""

    recalled: tuple[Brought, ...]
    kind: Literal["memory_recalled"] = "memory_recalled"


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    question: str
    """missing_file | missing_packages | clarify | review_plan | review_repair | ambiguous"""
    payload: Mapping[str, Any]
    kind: Literal["question_asked"] = "question_asked"


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    question: str
    action: str
    text: str
    kind: Literal["question_answered"] = "question_answered"


@dataclass(frozen=True, slots=True)
class CallMade:
    role: str
    step: str
    provider: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    seconds: float
    attempts: int = 1
    """Paid calls that it took: re-asks, and tries that failed half-way, included."""
    prompt: str = ""
    """File, template and version of the prompt: "generator/first v2"; "" in runs of earlier versions."""
    notes: tuple[str, ...] = ()
    """Retries, fallbacks, downgrades, salvage, in words."""
    kind: Literal["call_made"] = "call_made"


@dataclass(frozen=True, slots=True)
class Noted:
    """Something the person should know that is no failure of the program."""

    text: str
    kind: Literal["noted"] = "noted"


@dataclass(frozen=True, slots=True)
class RunStopped:
    """Somebody stopped the run; it can be resumed."""

    kind: Literal["run_stopped"] = "run_stopped"


@dataclass(frozen=True, slots=True)
class RunFinished:
    """`outcome` holds verdict, verdict_reason, stop_reason, answer, candidate, code, diff, tests, artifacts and
    evidence of the command line's --json contract; `agent.outcome.report` folds the rest from the other events."""

    outcome: Mapping[str, Any] = field(default_factory=dict[str, Any])
    kind: Literal["run_finished"] = "run_finished"


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The engine itself failed; never used for a program's failure."""

    error: str
    exit_code: int
    kind: Literal["run_failed"] = "run_failed"


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


AgentEvent = (
    RunStarted
    | NodeStarted
    | NodeFinished
    | TextStreamed
    | TaskClassified
    | PlanMade
    | SuiteWritten
    | CandidateWritten
    | ChecksRan
    | ToolUsed
    | Diagnosed
    | CheckRuled
    | Judged
    | LessonsLearned
    | MemoryRecalled
    | QuestionAsked
    | QuestionAnswered
    | TournamentHeld
    | MutationMeasured
    | CriticSpoke
    | CallMade
    | Noted
    | RunStopped
    | RunFinished
    | RunFailed
)
