"""What the policy may know: counted facts about checks and candidates, with no code, no prompt and no model in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agent.findings import Finding
from agent.state import Action, AttemptKind, Decision, Fault, Origin
from sandbox.types import CallOutput

__all__ = ["Action", "CandidateFacts", "CheckFacts", "Decision", "Facts", "Letter", "Spent"]

Letter = Literal["P", "F", "E", "T"]
"""What became of a check: passed, assertion failed, another exception, timed out."""
ANCHORS: tuple[Origin, ...] = ("person", "task", "answer", "symptom")
"""Of these a check is T0: a person stands behind it."""
OUTPUT = "<output>"
"""Stands for all that a script puts out where programs are compared by their calls."""
WORDING = "how they word what they print"
"""What programs may differ in where no example fixes it: then they are compared by the checks that both pass."""
LACKS_OUTPUT = "missing output: "
"""How every sentence begins on what a script lacks that ran to its end."""
REPAIRS_PER_ROOT = 2
"""Of one family of programs, before another one is tried."""


@dataclass(frozen=True, slots=True)
class CheckFacts:
    id: str
    origin: Origin
    anchor: bool = False
    """T0: the person's own, read from the task by code, ticked by the person, or a reported fault that was seen."""
    claims: int = 1
    """Things it says: a test that a person wrote may say many, and an example of the task is one."""
    votes: int = 1
    """Independently written suites that state the same call and expected value."""
    against: str | None = None
    """Root of the candidate its author saw; None: written blind."""
    is_property: bool = False
    kills: int = 0
    """Mutants it killed."""
    call: str | None = None
    expected: CallOutput | None = None
    """The stated value as the executor evaluated it, comparable with CandidateFacts.outputs."""
    ruling: Fault | None = None
    """Settled by agreement, the arbiter or the person; `test` means quarantined."""
    ruled_by: str = ""
    """agreement | arbiter | person | trust | limits; "" without a ruling."""
    held_out: bool = False
    is_reading: bool = False
    """It says what another reading of a sentence gives, which nobody has claimed to be the right one."""
    contradicts: str = ""
    """Of such a check that gives what one of two sentences does which contradict each other: how they do, in words."""
    excluded: str = ""
    """The sentence of the task that its input breaks, by the validator; "" where it breaks none."""


@dataclass(frozen=True, slots=True)
class CandidateFacts:
    id: str
    root: str
    """Families count once: a candidate and its repairs share a root."""
    kind: AttemptKind = "first"
    outcomes: Mapping[str, Letter] = field(default_factory=dict[str, Letter])
    """By check id; a check that is absent was not executed."""
    outputs: Mapping[str, CallOutput] = field(default_factory=dict[str, CallOutput])
    """By call expression: test inputs and generated ones."""
    broken: str = ""
    """Non-empty when it could not run at all: syntax, import, crash, timeout at load, wrong signature."""
    lost: str = ""
    """What a repair took away from the public names of given code and the ways to call them; "" when nothing."""
    size: int = 0
    """Code length; of a repair of given code, how much of it was changed. The last tie-break."""
    signature: str = ""
    """Normalised failure of its trusted failures; "" when none."""
    fingerprint: str = ""
    """Hash of its AST; equal means the same program."""
    crashed: frozenset[str] = frozenset()
    """Checks on whose input, valid as far as anybody knows, the given program or its repair breaks off unmeant."""
    breaks_off: str = ""
    """An input at a corner of its type on which it ends by an exception that the task does not name; "" for none."""
    unpinned: str = ""
    """A change of it that no check notices and that shows at such an input; "" for none."""
    executed: bool = True
    """False: not yet run against the checks; the judge then asks for run_tests."""
    clauses: tuple[Finding, ...] = ()
    """What became of the task's clauses on it, where it was looked at."""

    @property
    def unusable(self) -> str:
        """`broken` as a sentence on the program, without its subject."""
        lacking = self.broken.removeprefix(LACKS_OUTPUT)
        return f"ran to its end, but {lacking}" if lacking != self.broken else f"could not run: {self.broken}"

    @property
    def breaches(self) -> tuple[str, ...]:
        """Clauses of the task that it breaks beyond doubt, each with what shows it."""
        return tuple(f"the task says {one.text!r}, but: {one.told}" for one in self.clauses if one.standing == "broken")


@dataclass(frozen=True, slots=True)
class Spent:
    """What the run has used and may still use."""

    repairs: Mapping[str, int] = field(default_factory=dict[str, int])
    """Repairs by root."""
    independents: int = 0
    rewrites: int = 0
    """Programs written anew because a family was stuck."""
    arbitrated: frozenset[str] = frozenset()
    """Checks, and inputs that programs answer differently, that the arbiter was asked about."""
    left_open: frozenset[str] = frozenset()
    """Those of the inputs for which it found that the task does not say."""
    asked: bool = False
    """The person was asked about an ambiguity, or cannot be asked (full_auto)."""
    inputs_done: bool = False
    """A generator and a validator of inputs were asked for."""
    adversary_done: bool = False
    unattacked: bool = False
    """An adversary was to try the program, and no check came of it."""
    inputs_tried: bool = False
    """It gave inputs, which say something only where there is another program to compare with."""
    critic_done: bool = False
    diagnosed: frozenset[str] = frozenset()
    """Candidates that a debugger concluded on."""
    refused: frozenset[str] = frozenset()
    """Those of them for which it did not blame the code, so that no repair followed."""
    judged: int = 0
    """Returns to judge so far; bounded."""
    exhausted: str = ""
    """Non-empty: why no further model call may be made (budget, time, stop)."""
    max_repairs: int = 4
    max_repairs_per_root: int = REPAIRS_PER_ROOT
    max_independents: int = 2
    max_rewrites: int = 2
    max_judged: int = 40
    use_inputs: bool = False
    hard: bool = False
    """The task is of the kind at which models fail: its examples alone are little evidence."""
    use_adversary: bool = True
    use_critic: bool = True
    use_arbiter: bool = True
    max_arbitrated: int = 5


@dataclass(frozen=True, slots=True)
class Facts:
    checks: tuple[CheckFacts, ...]
    candidates: tuple[CandidateFacts, ...]
    """In the order they were written."""
    probes: tuple[str, ...] = ()
    """Call expressions generated by mutating known inputs, executed on every candidate."""
    spent: Spent = Spent()
    valid: tuple[str, ...] = ()
    """Call expressions that the task allows, by its validator, executed on every candidate."""
    tried: tuple[str, ...] = ()
    """Inputs, among probes and valid ones, that adversary and critic hold to be allowed."""
    suites: int = 1
    """Blind suites that were written: the most votes a check can have."""
    ties_open: bool = False
    """The task ranks, sorts or groups things and does not say which of equal ones is meant, or in which order."""
    keeps_state: bool = False
    """A class is asked for: what one call leaves behind may change what another gives."""
    apart_from: str = ""
    """What the outputs of programs may differ in and be equal, in words; empty: nothing."""
    contradictions: tuple[str, ...] = ()
    """How the task contradicts itself, in sentences."""
    passed_over: bool = False
    """No example, no passed check and no demand is known to be about some sentence of the task."""
