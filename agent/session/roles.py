"""The roles that models play. Each role is a prompt file, and the type of its valid reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar, cast

from llm.types import Reply

R = TypeVar("R", covariant=True)


@dataclass(frozen=True, slots=True)
class Role(Generic[R]):
    name: str
    """The name of the prompt file."""
    reply: type[R]

    @property
    def writes_code(self) -> bool:
        return any(entry.name == "code" for entry in fields(self.reply))  # pyright: ignore[reportArgumentType]

    def read(self, reply: Reply) -> R:
        """Returns the reply's header fields and code as this role's type. The prompt's schema has validated the
        header."""
        values: dict[str, Any] = {**reply.header, "code": reply.code}
        known = {entry.name for entry in fields(self.reply)}  # pyright: ignore[reportArgumentType]
        return self.reply(**{name: value for name, value in values.items() if name in known})


@dataclass(frozen=True, slots=True)
class PlanReply:
    plan: str
    outline: Sequence[str] = ()
    """Lines of the plan as told to a person."""
    question: str = ""
    choices: Sequence[str] = ()
    proposed_examples: Sequence[str] = ()
    brute_force: str = ""
    """program | checker | no"""
    kind: str = ""
    """What kind of program the task asks for; "" when the planner was not asked that."""
    steps: Sequence[Mapping[str, Any]] = ()
    """The steps of the task, each with its `task` and the files (name, columns) and values that it leaves behind."""


@dataclass(frozen=True, slots=True)
class CodeReply:
    code: str
    note: str = ""
    format: str = "full"
    """full | edits"""


@dataclass(frozen=True, slots=True)
class TestsReply:
    code: str
    inputs: Sequence[str] = field(default_factory=tuple[str, ...])
    """Call expressions worth running, from the adversarial tester."""
    readings: Sequence[Mapping[str, str]] = field(default_factory=tuple[Mapping[str, str], ...])
    """What another reading of a sentence of the task gives for an input, from the adversarial tester."""
    contradictions: Sequence[Mapping[str, Any]] = field(default_factory=tuple[Mapping[str, Any], ...])
    """Pairs of sentences of the task, each with an input and what the two sentences give for that input."""
    note: str = ""
    """Why nothing can be tested, where there is no code."""


@dataclass(frozen=True, slots=True)
class InputsReply:
    code: str
    """A module with the functions `allowed` and `inputs`."""
    limits: Sequence[str] = ()
    brute_force: str = ""
    """How trying every possibility could decide small inputs: program, checker or no; "" if that was not said."""


@dataclass(frozen=True, slots=True)
class DiagnosisReply:
    fault: str
    explanation: str
    category: str = "other"
    confidence: float = 0.5
    repair_hint: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class RulingReply:
    expected: str = ""
    quote: str = ""
    ambiguous: bool = False
    excluded: bool = False
    """The quoted sentence does not allow the input."""


@dataclass(frozen=True, slots=True)
class CriticReply:
    objection: str = ""
    input: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class ReviewReply:
    findings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class LessonsReply:
    lessons: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ExplainReply:
    explanation: str


@dataclass(frozen=True, slots=True)
class RatingReply:
    why: str
    score: int
    """0 to 3."""


PLANNER = Role("planner", PlanReply)
SPEC_TESTER = Role("spec_tester", TestsReply)
INPUT_WRITER = Role("input_writer", InputsReply)
GENERATOR = Role("generator", CodeReply)
REFERENCE = Role("reference", CodeReply)
ADVERSARY = Role("adversarial_tester", TestsReply)
DEBUGGER = Role("debugger", DiagnosisReply)
ARBITER = Role("arbiter", RulingReply)
CRITIC = Role("critic", CriticReply)
REVIEWER = Role("reviewer", ReviewReply)
EXPLAINER = Role("explainer", ExplainReply)
HISTORIAN = Role("memory_summarizer", LessonsReply)
MODEL_JUDGE = Role("model_judge", RatingReply)
"""Asked only by `python -m evaluation judge`; no run uses this role."""
ROLES = cast(Sequence[Role[Any]], [role for role in list(globals().values()) if isinstance(role, Role)])
"""Every role above."""
