"""Defines the state of the graph, which LangGraph checkpoints. The state holds only what cannot be derived, and no
events. Its parts are findings on demands, what was done, what a person may be asked, the steps of a task, and its
domain of inputs."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypedDict

from sandbox.types import CallOutput, Execution, FileData

from ..config import AgentConfig
from ..examples.bruteforce import Form
from ..examples.types import Brief, TaskKind
from .domain import Domain
from .done import Done, What, done_of
from .findings import Inspection
from .questions import QuestionKind
from .recalled import Recalled
from .steps import Steps

Tier = Literal["T0", "T1", "T2"]
Origin = Literal[
    "person", "task", "spec", "adversary", "critic", "reference", "arbiter", "answer", "symptom", "kept",
]  # fmt: skip
"""Who stated a check. person: the person's own tests. task: examples in the task text, read by code. spec: the spec
tester. adversary: the adversarial tester. critic: the failing input that the critic named. reference: a checker of
answers that tries every possibility. arbiter: the arbiter, on an input that programs answer differently. answer: the
person's answer to a question. symptom: what the person reports of given code and running it showed, which must change.
kept: what given code did before anything was changed."""
Fault = Literal["code", "test", "task", "unknown"]
RuledBy = Literal["agreement", "arbiter", "person", "trust", "limits", "adversary"]
Category = Literal["syntax", "import", "signature", "type", "runtime", "assertion", "timeout", "memory", "other"]
AttemptKind = Literal["given", "first", "independent", "reference", "repair", "rewrite"]
"""How a program came about. given: the person's code. first: the first program. independent: written without having
seen another. reference: slow and obvious, right on small inputs; it testifies, and is the answer only when no other
program is sound. repair: a new version of another candidate. rewrite: written anew because a family is stuck."""
Action = Literal[
    "run_tests",
    "diagnose",
    "second_attempt",
    "arbitrate",
    "ask_person",
    "quarantine",
    "write_inputs",
    "write_adversarial_tests",
    "critic",
    "conclude",
]
"""The judge's decisions, each the name of a box of the diagram."""
RunStatus = Literal["queued", "running", "waiting", "stopped", "done"]


@dataclass(frozen=True, slots=True)
class Task:
    """What the person asks for. The person's tests become T0 checks. `originals` holds, by path, the bytes of files
    whose text does not determine them (encoding, line ends)."""

    text: str
    code: str | None = None
    """Code to be fixed or extended."""
    tests: str | None = None
    files: Mapping[str, FileData] = field(default_factory=dict[str, FileData])
    originals: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    earlier: Earlier | None = None
    """The conversation that this task follows on from."""
    fork: Fork | None = None
    """The attempt of another run that this run begins with."""
    part: str = ""
    """The step of a task of several steps that this task is, such as "step2"; "" for a whole task."""
    whole: str = ""
    """The text of the whole task, when this task is one of its steps."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A short record of one earlier run."""

    task: str
    verdict: str
    answer: str


@dataclass(frozen=True, slots=True)
class Earlier:
    """The conversation so far. The earlier program and its files stand in the task's own `code` and `files`."""

    run: str
    kind: TaskKind
    turns: tuple[Turn, ...]  # the last ones, oldest first
    suites: tuple[Suite, ...] = ()
    """Checks that the earlier program passed."""


@dataclass(frozen=True, slots=True)
class Fork:
    """An attempt of another run, with whatever the person edited."""

    run: str
    attempt: str
    code: str
    edited: tuple[str, ...] = ()  # which of "task", "code" and "checks" the person edited
    suites: tuple[Suite, ...] = ()
    """Checks of the other run that were written from the task alone and still stand; empty when the task was edited."""


@dataclass(frozen=True, slots=True)
class Check:
    """One test function. `agent.trust` derives its tier, which is not stored."""

    id: str
    """Unique in the run: "<suite id>.<function name>"."""
    name: str
    origin: Origin
    source: str
    """The function's source, decorators included."""
    call: str | None = None
    expected: str | None = None
    """`call` and `expected` are set when the check is one assertion `call == literal`. Such checks let suites vote and
    outputs be compared."""
    held_out: bool = False
    sentence: str = ""
    """The sentence of the task that the check follows from, if its author quoted one."""
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
    """The candidate that the author saw (the adversary sees one); None when the suite was written blind."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One program."""

    id: str
    """"c1", "c2", ..."""
    code: str
    kind: AttemptKind
    parent: str | None
    """The candidate that this one repairs; None for a root."""
    root: str
    """The independent program that this one descends from; a root names itself. All candidates of one root count as one
    witness."""
    strategy: str = ""
    note: str = ""
    """What the author says was changed, in one sentence."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The outcome of one check on one candidate."""

    status: Literal["pass", "fail", "error", "timeout", "not_run", "skipped"]
    """not_run: the check says nothing for or against the program."""
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether the check ran and did not pass."""
        return self.status in FAILED


FAILED = ("fail", "error", "timeout")
"""Statuses that speak against the program, or against the check."""


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a candidate against a suite, not the run of the task. `outcomes` is keyed by check id, `outputs`
    by call expression."""

    candidate: str
    suite: str
    """The suite's id, "script" for a run without tests, or "probes" for generated inputs."""
    execution: Execution
    """The execution without its per-check reports and outputs, which stand below, and without the bytes of artifacts,
    which are stored beside the journal: every checkpoint holds the whole state, so both would be copied each time."""
    reported: bool = False
    """Whether the executor recorded at least one check."""
    outcomes: Mapping[str, CheckOutcome] = field(default_factory=dict[str, CheckOutcome])
    outputs: Mapping[str, CallOutput] = field(default_factory=dict[str, CallOutput])
    lacks: str = ""
    """In one sentence, what a script did not put out although the task demands it; "" when nothing is missing."""
    by_chance: bool = False
    """Whether the script puts out something else under other random seeds."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """Who was found to be at fault for a check that some candidate fails."""

    check: str
    fault: Fault
    by: RuledBy
    reason: str
    candidate: str | None = None
    """The candidate at fault, when the fault is in one candidate."""
    is_contradiction: bool = False
    """Whether the reason is that two sentences of the task contradict each other, of which the check states one."""
    value: str = ""
    """What the arbiter takes the task to demand, if neither the check nor any program gives that."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The debugger's conclusion."""

    candidate: str
    fault: Fault
    category: Category
    confidence: float
    explanation: str
    repair_hint: str
    signature: str
    """The normalised failure. The same signature twice means that the family is stuck."""


@dataclass(frozen=True, slots=True)
class Mutation:
    candidate: str
    killed: int
    total: int
    survivors: tuple[str, ...]
    """In words, the mutants that no check noticed, with an allowed input that shows them; without the `alike` ones."""
    killed_by: tuple[str, ...]  # ids of the checks that killed at least one mutant
    unpinned: str = ""  # in words, one that differs from the program on a corner input
    alike: int = 0  # so many that no check noticed answer all allowed inputs as the program does: perhaps no faults


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """An answer to a pause. `action` is approve, abort, revise, tick or edit; `text` holds the person's words, choice
    or program."""

    question: QuestionKind
    action: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The next box of the diagram, what it works on, and why, in one sentence for the person."""

    action: Action
    reason: str
    candidate: str | None = None
    check: str | None = None
    fault: Fault | None = None
    attempt: AttemptKind | None = None
    """What the next program is: repair (diagnose), independent or rewrite (second_attempt)."""
    call: str | None = None
    """The input on which candidates differ, for arbitrate and ask_person; `outputs[call]` holds their answers."""


def with_suites(known: list[Suite], new: list[Suite]) -> list[Suite]:
    """Returns both lists in their order. A new suite takes the place of a known one of the same id; without checks it
    only removes that one."""
    changed = {suite.id: suite for suite in new}
    both = [*(changed.pop(suite.id, suite) for suite in known), *changed.values()]
    return [suite for suite in both if suite.checks]


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentState:
    task: Task
    config: AgentConfig = field(default_factory=AgentConfig)
    brief: Brief | None = None
    plan: str | None = None
    explanation: str = ""
    """The explanation of the given program, if the task asks for one."""
    steps: Steps | None = None
    """The steps of a task that the planner cut; task, brief and candidates are then those of the open step."""
    planned_form: Form | None = None
    """How small inputs can be decided by brute force, as the planner says."""
    suites: Annotated[list[Suite], with_suites] = field(default_factory=list[Suite])
    candidates: Annotated[list[Candidate], operator.add] = field(default_factory=list[Candidate])
    proposals: Annotated[list[Candidate], operator.add] = field(default_factory=list[Candidate])
    """Repairs that await the person's approval before they count as candidates."""
    runs: Annotated[list[Run], operator.add] = field(default_factory=list[Run])
    rulings: Annotated[list[Ruling], operator.add] = field(default_factory=list[Ruling])
    diagnoses: Annotated[list[Diagnosis], operator.add] = field(default_factory=list[Diagnosis])
    lessons: list[str] = field(default_factory=list[str])
    recalled: tuple[Recalled, ...] = ()
    inputs: Annotated[list[str], operator.add] = field(default_factory=list[str])
    """Call expressions that the adversary or the critic found worth trying, without expected values."""
    domains: Annotated[list[Domain], operator.add] = field(default_factory=list[Domain])
    """The generator and validator of inputs that passed its trial: at most one."""
    admitted: Annotated[dict[str, str], operator.or_] = field(default_factory=dict[str, str])
    """Call -> "" when the validator allows it, otherwise the reason; calls that it was not asked about are absent."""
    mutations: Annotated[list[Mutation], operator.add] = field(default_factory=list[Mutation])
    inspections: Annotated[list[Inspection], operator.add] = field(default_factory=list[Inspection])
    decisions: Annotated[list[Decision], operator.add] = field(default_factory=list[Decision])
    """The judge's decisions, in order; the last one is followed."""
    answers: Annotated[list[PersonAnswer], operator.add] = field(default_factory=list[PersonAnswer])
    done: Annotated[list[Done], operator.add] = field(default_factory=list[Done])
    """What took place in the run (`agent/state/done.py`)."""
    problems: Annotated[list[str], operator.add] = field(default_factory=list[str])
    """What went wrong on the way, in words for the person, such as a role without a valid reply or a spent budget."""

    def did(self, what: What, about: str | None = None) -> bool:
        """Returns whether `what` took place; with `about`, whether it took place for exactly that."""
        return any(about in (None, one.about) for one in done_of(self.done, what))

    def about(self, what: What) -> list[str]:
        """Returns what each occurrence of `what` was about."""
        return [one.about for one in done_of(self.done, what)]


class Update(TypedDict, total=False):
    """What a node may return. The keys equal AgentState's fields, which a test demands because LangGraph silently drops
    unknown keys."""

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
