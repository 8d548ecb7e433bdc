"""What a run hands back, as types. They become JSON at the borders alone: journal, --json object, REST, MCP, bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from framework.engine import Pending
from sandbox.types import Coverage

from ..state import Origin, RunStatus, Tier
from ..state.findings import Scaling, Standing, VerdictWord
from ..trust import Chance


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEvidence:
    """One check, and how it ended on the returned program."""

    name: str
    tier: Tier
    origin: Origin
    outcome: str
    """pass | fail | error | timeout | not_run | skipped, or "not executed"."""
    message: str
    held_out: bool
    """Whether the check was never shown to a repair prompt."""
    sentence: str
    """The sentence of the task that the check follows from, if its author quoted one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A check that was found wrong or undecidable, and therefore does not count."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseEvidence:
    """A demand of the task besides its examples."""

    text: str
    kind: str
    standing: Standing
    checked_by: str | None
    """What was looked at, run or measured; None when nothing was decided."""
    note: str
    """Why nothing was decided; "" when something was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEvidence:
    """One of several steps of the task, with a verdict of its own."""

    task: str
    verdict: VerdictWord
    reason: str
    left: tuple[str, ...]
    """Files and values that the step had to leave behind, as they were found."""
    reopened: str
    """Why the step was done again; "" when it was done once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How many inputs independent programs answered equally, differently, or with no answer."""

    equal: int
    different: int
    no_answer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationScore:
    """How many small changes of the program some check noticed, and those that none did."""

    killed: int
    total: int
    survivors: tuple[str, ...]
    alike: int = 0
    """How many changes no check noticed that answer all allowed inputs as the program does."""


@dataclass(frozen=True, slots=True)
class PrintedFigure:
    """A number that the script printed."""

    label: str
    """The words beside it."""
    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that the script left, with its size in pixels."""

    name: str
    width: int
    height: int
    blank: bool
    """Whether the picture is of one colour from edge to edge, or transparent."""


@dataclass(frozen=True, slots=True)
class DrawnAxes:
    """One pair of axes of a picture, and what is written on it."""

    picture: str
    title: str
    x: str
    y: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptEvidence:
    """What the last run of the program as a script showed."""

    ended: str
    """"ok", or how it ended otherwise."""
    lacks: str = ""
    """What is missing in its output, or why it ended; "" when all is well."""
    figures: tuple[PrintedFigure, ...] = ()
    pictures: tuple[Picture, ...] = ()
    axes: tuple[DrawnAxes, ...] = ()
    files: tuple[str, ...] = ()
    repeated: bool
    """Whether the run that was judged gave the same figures."""
    by_chance: bool
    """Whether chance decides the output of a script that reads given data."""
    own_data: bool
    """Whether the script made the data that it evaluates."""
    recomputed_by: tuple[str, ...] = ()
    """Ids of independent programs with the same output."""


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A search of a model service, and the pages that it found."""

    query: str
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Brought:
    """What is reported of an earlier run whose lessons came along. A viewer of this run may not be allowed to see that
    one, so no words of it are included."""

    run: str
    verdict: VerdictWord
    similarity: float
    lessons: int
    """How many lessons came along."""


@dataclass(frozen=True, slots=True)
class ComesFrom:
    """The run that a run goes on from."""

    run: str
    attempt: str | None = None
    """The attempt with which a fork begins; None for a follow-up."""
    edited: tuple[str, ...] = ()
    """Which of "task", "code" and "checks" the person edited, for a fork."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The counted facts behind a verdict; docs/trust.md says what each is worth."""

    checks: tuple[CheckEvidence, ...]
    quarantined: tuple[SetAside, ...]
    clauses: tuple[ClauseEvidence, ...]
    isolation: Mapping[str, str]
    """Axis -> what the sandbox kept on this machine."""
    confirmed: bool
    """Whether the pass was repeated with program and tests in separate processes."""
    compared: Compared | None = None
    mutation: MutationScore | None = None
    coverage: Coverage | None = None
    scaling: Scaling | None = None
    chance: Chance | None = None
    packages: tuple[str, ...] = ()
    """What was installed for the program."""
    style: str = ""
    """What a formatter changed in the program, or why it changed nothing."""
    overfit: str = ""
    unnamed: tuple[str, ...] = ()
    """Sentences of the task that no example, no passed check and no clause is known to cover."""
    assumptions: tuple[str, ...] = ()
    script_output: str = ""
    script: ScriptEvidence | None = None
    searches: tuple[WebSearch, ...] = ()
    """Web searches that model services made. They confirm nothing."""
    memory: tuple[Brought, ...] = ()
    """What was recalled from earlier runs."""
    steps: tuple[StepEvidence, ...] = ()
    """The steps, if the task was done in several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFile:
    """A file that the program left behind."""

    name: str
    mime: str
    data: Annotated[bytes, Field(exclude=True)] = field(default=b"", repr=False)
    """The content, in the outcome that `solve` returns. Everywhere else it is empty, as the store keeps the content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What a run concludes with: the verdict, and what it is about."""

    verdict: VerdictWord | None
    """None while the run may still conclude: it waits for an answer."""
    verdict_reason: str
    stop_reason: str
    answer: str
    """A few sentences for the person."""
    candidate: str | None
    """Id of the attempt that is returned; None without one."""
    code: str
    tests: str
    evidence: Evidence
    artifacts: tuple[MadeFile, ...] = ()
    files: Mapping[str, str] | None = None
    """Path -> source, if the program has several files."""
    diff: str = ""
    """Unified diff to the code that came with the task."""
    explanation: str = ""
    """The answer, if the task asked to explain code."""
    budget_reached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One program of the run."""

    id: str
    kind: str
    parent: str | None
    strategy: str
    code: str
    diff: str
    provider: str
    model: str
    passed: int
    failed: int
    fault: str | None
    category: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """What calls of models took together."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """The dollars; None as soon as the price of one call is unknown."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUsage(ModelUsage):
    """What all calls of a run took, and the share of each role and of each model ("provider:model")."""

    by_role: Mapping[str, ModelUsage]
    by_model: Mapping[str, ModelUsage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Conclusion):
    """The outcome of a run, equal to the object that the command line prints with --json."""

    run_id: str
    status: RunStatus
    attempts: tuple[Attempt, ...]
    usage: RunUsage
    provider: str
    model: str
    """The author of the returned program is `provider` with `model`."""
    events: int
    seconds: float
    error: str | None
    """Why the engine itself failed; None when it did not."""
    pending: Pending | None
    """The open question of a waiting run."""
    scripted: str | None
    comes_from: ComesFrom | None

    def __str__(self) -> str:
        """Returns verdict, reason and program, for a person."""
        return f"{self.verdict or self.status}: {self.verdict_reason}\n\n{self.code}".rstrip()

    def as_json(self) -> dict[str, Any]:
        """Returns the object that --json prints."""
        return _outcome.dump_python(self, mode="json")


_outcome: TypeAdapter[Outcome] = TypeAdapter(Outcome)
