"""What the graph remembers: only what cannot be derived, never the events."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypedDict

from sandbox.types import CallOutput, Execution, FileData

from .config import AgentConfig
from .domain import Domain
from .done import Done, What, done_of
from .examples.bruteforce import Form
from .examples.types import Brief, TaskKind
from .findings import Inspection
from .steps import Recalled, Steps

Tier = Literal["T0", "T1", "T2"]
Origin = Literal[
    "person", "task", "spec", "adversary", "critic", "reference", "arbiter", "answer", "symptom", "kept",
]  # fmt: skip
"""Who stated a check: the person's own tests, the task text (read by code), the spec tester, the adversarial tester,
the critic's failing input, a checker of answers that tries every possibility, the arbiter on an input that programs
answer differently, the person's answer to a question. Of given code: what the person reports and running it showed,
which must change (symptom), and what it did before anything was changed (kept)."""
Fault = Literal["code", "test", "task", "unknown"]
Category = Literal["syntax", "import", "signature", "type", "runtime", "assertion", "timeout", "memory", "other"]
AttemptKind = Literal["given", "first", "independent", "reference", "repair", "rewrite"]
"""reference: slow and obvious, right on small inputs; a witness, never the answer while another program is sound."""
Action = Literal[
    "run_tests", "diagnose", "second_attempt", "arbitrate", "ask_person", "quarantine", "write_inputs",
    "write_adversarial_tests", "critic", "conclude",
]  # fmt: skip
"""What the judge may decide: names of boxes."""
RunStatus = Literal["queued", "running", "waiting", "stopped", "done"]


@dataclass(frozen=True, slots=True)
class Task:
    """What the person asks for; their tests are T0. `originals`: bytes that a text does not tell, by path."""

    text: str
    code: str | None = None
    """Code to be fixed or extended."""
    tests: str | None = None
    files: Mapping[str, FileData] = field(default_factory=dict[str, FileData])
    originals: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    earlier: Earlier | None = None
    """What this follows on from."""
    fork: Fork | None = None
    """The attempt of another run that this one begins with."""
    part: str = ""
    """Which step of a task of several steps this is, as "step2"; "" for a whole task."""
    whole: str = ""
    """The text of the task that it is a step of."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier run in short."""

    task: str
    verdict: str
    answer: str


@dataclass(frozen=True, slots=True)
class Earlier:
    """The conversation so far. Its program and its files are the task's own."""

    run: str
    kind: TaskKind
    turns: tuple[Turn, ...]
    """The last ones, oldest first."""
    suites: tuple[Suite, ...] = ()
    """Checks that the program passed."""


@dataclass(frozen=True, slots=True)
class Fork:
    """An attempt of another run, with whatever the person edited."""

    run: str
    attempt: str
    code: str
    edited: tuple[str, ...] = ()
    """Of task, code and checks."""
    suites: tuple[Suite, ...] = ()
    """Checks of that run that were written from the task alone and still stand, where the task is the same."""


@dataclass(frozen=True, slots=True)
class Check:
    """One test function. Its tier is derived by `agent.trust`, not stored."""

    id: str
    """Unique in the run: "<suite id>.<function name>"."""
    name: str
    origin: Origin
    source: str
    """The function's source, decorators included."""
    call: str | None = None
    expected: str | None = None
    """Set when the check is one assertion `call == literal`: what lets suites vote and outputs be compared."""
    held_out: bool = False
    sentence: str = ""
    """The sentence of the task it follows from, where its author gave one."""
    is_property: bool = False


@dataclass(frozen=True, slots=True)
class Suite:
    """Checks written together, by one author who saw one thing."""

    id: str
    """"person", "task", "spec:1", "adversary:1", "critic:1", "answer:1"."""
    origin: Origin
    header: str
    """Imports, fixtures and helpers shared by the checks."""
    checks: tuple[Check, ...]
    against: str | None = None
    """The candidate its author saw (the adversary sees one); None: written blind."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One program."""

    id: str
    """"c1", "c2", ..."""
    code: str
    kind: AttemptKind
    parent: str | None
    """The candidate it repairs; None: a root."""
    root: str
    """The independent program it descends from (itself, for a root): a family counts once."""
    strategy: str = ""
    note: str = ""
    """What its author says was changed, in one sentence."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What one check came to on one candidate."""

    status: Literal["pass", "fail", "error", "timeout", "not_run", "skipped"]
    """not_run: it says nothing, neither for nor against the program."""
    message: str = ""

    @property
    def failed(self) -> bool:
        """It ran and did not pass."""
        return self.status in FAILED


FAILED = ("fail", "error", "timeout")
"""Words of an outcome that speak against the program, or against the check."""


@dataclass(frozen=True, slots=True)
class Run:
    """One candidate executed against one suite; `outcomes` by check id, `outputs` by call expression."""

    candidate: str
    suite: str
    """Id of the suite, "script" for a run without tests, "probes" for generated inputs."""
    execution: Execution
    """Without per-check reports and outputs, which stand below, and without the bytes of artifacts, which are stored
    beside the journal: every checkpoint holds the whole state."""
    reported: bool = False
    """The executor has a record of at least one check."""
    outcomes: Mapping[str, CheckOutcome] = field(default_factory=dict[str, CheckOutcome])
    outputs: Mapping[str, CallOutput] = field(default_factory=dict[str, CallOutput])
    lacks: str = ""
    """What a script did not put out although the task demands it, in one sentence."""
    by_chance: bool = False
    """With other seeds the script puts out something else."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """Who was found to be at fault for a check that some candidate fails."""

    check: str
    fault: Fault
    by: Literal["agreement", "arbiter", "person", "trust", "limits", "adversary"]
    reason: str
    candidate: str | None = None
    """Set where the fault is that candidate's."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How the debugger concluded."""

    candidate: str
    fault: Fault
    category: Category
    confidence: float
    explanation: str
    repair_hint: str
    signature: str
    """Normalised failure: same twice means stuck."""


@dataclass(frozen=True, slots=True)
class Mutation:
    candidate: str
    killed: int
    total: int
    survivors: tuple[str, ...]
    killed_by: tuple[str, ...]
    """Ids of checks that killed at least one."""
    unpinned: str = ""  # a survivor that shows at a corner, in words


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """An answer to a pause; `action` approve | abort | revise | tick | edit, with the person's words, choice or
    program."""

    question: str
    action: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The next box of the diagram, what it is about, and why in one sentence for the person."""

    action: Action
    reason: str
    candidate: str | None = None
    check: str | None = None
    fault: Fault | None = None
    attempt: AttemptKind | None = None
    """What the next program is: repair (diagnose), independent or rewrite (second_attempt)."""
    call: str | None = None
    """The input on which candidates differ, for arbitrate and ask_person; their answers are `outputs[call]`."""


def with_suites(known: list[Suite], new: list[Suite]) -> list[Suite]:
    """Both in their order; one without checks takes away the suite of its id, which was written for another task than
    is asked for."""
    gone = {suite.id for suite in new if not suite.checks}
    return [suite for suite in (*known, *new) if suite.id not in gone]


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentState:
    task: Task
    config: AgentConfig = field(default_factory=AgentConfig)
    brief: Brief | None = None
    plan: str | None = None
    explanation: str = ""
    """Of the given program, where one is asked for."""
    steps: Steps | None = None
    """Where it is done in several steps, by the planner's word; task, brief and candidates are then the open step's."""
    planned_form: Form | None = None
    """How small inputs can be decided by brute force, by the planner's word."""
    suites: Annotated[list[Suite], with_suites] = field(default_factory=list[Suite])
    candidates: Annotated[list[Candidate], operator.add] = field(default_factory=list[Candidate])
    proposals: Annotated[list[Candidate], operator.add] = field(default_factory=list[Candidate])
    """Repairs that a person is asked about before they count as candidates."""
    runs: Annotated[list[Run], operator.add] = field(default_factory=list[Run])
    rulings: Annotated[list[Ruling], operator.add] = field(default_factory=list[Ruling])
    diagnoses: Annotated[list[Diagnosis], operator.add] = field(default_factory=list[Diagnosis])
    lessons: list[str] = field(default_factory=list[str])
    recalled: tuple[Recalled, ...] = ()
    inputs: Annotated[list[str], operator.add] = field(default_factory=list[str])
    """Call expressions that the adversary or the critic found worth trying; they carry no expected value."""
    domains: Annotated[list[Domain], operator.add] = field(default_factory=list[Domain])
    """The generator and validator of inputs that stood its trial: one, or none."""
    admitted: Annotated[dict[str, str], operator.or_] = field(default_factory=dict[str, str])
    """Call -> "" where the validator allows it, else why not; a call that is absent was not put to it."""
    mutations: Annotated[list[Mutation], operator.add] = field(default_factory=list[Mutation])
    inspections: Annotated[list[Inspection], operator.add] = field(default_factory=list[Inspection])
    decisions: Annotated[list[Decision], operator.add] = field(default_factory=list[Decision])
    """The judge's words, in order; the last one is the way that is taken."""
    answers: Annotated[list[PersonAnswer], operator.add] = field(default_factory=list[PersonAnswer])
    done: Annotated[list[Done], operator.add] = field(default_factory=list[Done])
    """What took place."""
    problems: Annotated[list[str], operator.add] = field(default_factory=list[str])
    """What went wrong on the way, in words for the person: a role that gave no valid reply, a budget reached."""

    def did(self, what: What, about: str | None = None) -> bool:
        """Whether it took place, with this where it is named."""
        return any(about in (None, one.about) for one in done_of(self.done, what))

    def about(self, what: What) -> list[str]:
        """What each of these was about."""
        return [one.about for one in done_of(self.done, what)]


class Update(TypedDict, total=False):
    """What a node may return; its keys equal AgentState's fields (tested, LangGraph drops unknown ones silently)."""

    task: Task
    config: AgentConfig
    brief: Brief
    plan: str
    explanation: str
    steps: Steps | None
    planned_form: Form | None
    suites: list[Suite]
    candidates: list[Candidate]
    proposals: list[Candidate]
    runs: list[Run]
    rulings: list[Ruling]
    diagnoses: list[Diagnosis]
    lessons: list[str]
    recalled: tuple[Recalled, ...]
    inputs: list[str]
    domains: list[Domain]
    admitted: dict[str, str]
    mutations: list[Mutation]
    inspections: list[Inspection]
    decisions: list[Decision]
    answers: list[PersonAnswer]
    done: list[Done]
    problems: list[str]
