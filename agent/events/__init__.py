"""The events of a run: typed facts, each with a `kind`. Screen, journal and metrics are computed from them alone.
Beside them lie their stored form (`codec`), the dialogue (`transcript`) and what a run hands back (`conclusion`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..examples.types import TaskKind
from ..state import AttemptKind, Category, Fault, Origin, RuledBy, Tier
from ..state.questions import Payload, QuestionKind
from .conclusion import Brought, ComesFrom, Conclusion


@dataclass(frozen=True, slots=True)
class RunStarted:
    task: str
    provider: str
    model: str
    scripted: bool
    """True for the offline demo model; every screen and export must then say "scripted demo model"."""
    config: Mapping[str, Any]
    isolation: Mapping[str, str]
    comes_from: ComesFrom | None = None
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
    """A piece of a reply while the model writes it. It is sent live and never stored."""

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
    """Lessons of earlier runs were added to those of this run."""

    recalled: tuple[Brought, ...]
    kind: Literal["memory_recalled"] = "memory_recalled"


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    question: QuestionKind
    payload: Payload
    kind: Literal["question_asked"] = "question_asked"


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    question: QuestionKind
    action: str
    text: str
    kind: Literal["question_answered"] = "question_answered"


@dataclass(frozen=True, slots=True)
class CallMade:
    role: str
    question: str
    """The question's own name in the run, such as "spec:1"."""
    provider: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    seconds: float
    attempts: int = 1
    """Paid calls that the reply took, repeated questions and tries that failed half-way included."""
    prompt: str = ""
    """File, template and version of the prompt, such as "generator/first v2"; "" in runs of earlier versions."""
    notes: tuple[str, ...] = ()
    """Retries, fallbacks, downgrades and salvaged replies, in words."""
    kind: Literal["call_made"] = "call_made"


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that the person should know and that is no failure of the program."""

    text: str
    kind: Literal["noted"] = "noted"


@dataclass(frozen=True, slots=True)
class RunStopped:
    """The run was stopped; it can be resumed."""

    kind: Literal["run_stopped"] = "run_stopped"


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run ended. `agent.outcome.report` computes the rest of what is handed back from the other events."""

    conclusion: Conclusion
    kind: Literal["run_finished"] = "run_finished"


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The engine itself failed. A failing program never causes this event."""

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
    """How the program came about; its id is `candidate`."""
    parent: str | None
    strategy: str
    code: str
    diff: str
    """Unified diff to the parent, or to the previous candidate; "" for the first."""
    note: str
    provider: str = ""
    """Provider of the model that wrote the program; "" for a person's program."""
    model: str = ""
    step: int = 0
    """Number of the step of the task that the program was written for, from 1; 0 for the whole task."""
    kind: Literal["candidate_written"] = "candidate_written"


@dataclass(frozen=True, slots=True)
class ChecksRan:
    candidate: str
    status: str
    outcomes: Mapping[str, str]
    """Check id -> pass | fail | error | timeout | not_run | skipped."""
    messages: Mapping[str, str]
    """Check id -> message, for checks that did not pass."""
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
    """A disputed check was settled; the fault `test` quarantines it."""

    check: str
    fault: Fault
    by: RuledBy
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
    """Groups of candidates with equal outputs on all generated inputs, largest group first."""
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
    """The failing input that the critic named, as an expression; "" when the critic named none."""
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
