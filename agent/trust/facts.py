"""The facts that the policy may know about checks and candidates. They are counts and outcomes, without program text,
prompt or model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agent.state import Action, AttemptKind, Decision, Fault, Origin
from agent.state.findings import Finding
from sandbox.types import CallOutput

__all__ = ["Action", "CandidateFacts", "CheckFacts", "Decision", "Facts", "Letter", "Spent"]

Letter = Literal["P", "F", "E", "T"]
"""The outcome of a check: passed, assertion failed, another exception, timed out."""
ANCHORS: tuple[Origin, ...] = ("person", "task", "answer", "symptom")
"""Origins whose checks are T0, because a person stands behind them."""
OUTPUT = "<output>"
"""The call that stands for everything a script puts out, when programs are compared by calls."""
WORDING = "how they word what they print"
"""What programs may differ in when no example fixes the wording; they are then compared by the checks that both
pass."""
LACKS_OUTPUT = "missing output: "
"""Prefix of every sentence on what is missing in the output of a script that ran to its end."""
ENDS_WHEN_IMPORTED = "it ends its process when it is imported, which its tests do: "
"""Prefix of why a program that is to be started was run by no test. It may be right all the same."""
NOT_HERE = "it needs what is not here: "
"""Prefix of why a program was ended by what the sandbox lacks or refuses. It may be right all the same."""
REPAIRS_PER_ROOT = 2
"""The most repairs of one family of programs before another one is tried."""


@dataclass(frozen=True, slots=True)
class CheckFacts:
    id: str
    origin: Origin
    anchor: bool = False
    """Whether the check is T0: the person's own, read from the task by code, chosen by the person, or a reported fault
    that was seen."""
    claims: int = 1
    """How many things the check says. A person's test may say many; an example of the task says one."""
    votes: int = 1
    """How many independently written suites state the same call and expected value."""
    against: str | None = None
    """The root of the candidate that its author saw; None when the check was written blind."""
    is_property: bool = False
    kills: int = 0
    """How many mutants it killed."""
    call: str | None = None
    expected: CallOutput | None = None
    """The stated value as the executor evaluated it, comparable with CandidateFacts.outputs."""
    ruling: Fault | None = None
    """The fault as agreement, the arbiter or the person settled it; `test` means quarantined."""
    ruled_by: str = ""
    """One of agreement, arbiter, person, trust, limits; "" without a ruling."""
    held_out: bool = False
    is_reading: bool = False
    """Whether the check says what another reading of a sentence gives. Nobody claims that reading to be the right
    one."""
    contradicts: str = ""
    """How two sentences of the task contradict each other, in words, if the check gives what one of them does."""
    read_as: str = ""
    """The value that the arbiter takes the task to demand for the check's input, if neither the check nor any program
    gives it."""
    excluded: str = ""
    """The sentence of the task that the check's input breaks, as the validator says; "" if it breaks none."""
    is_quoted: bool = False
    """Whether a model wrote it, it quotes a sentence of the task, and what it calls can be put to the arbiter."""
    drawn: bool = False
    """Whether chance decides what the check's call gives, so that no single value of it is right."""


@dataclass(frozen=True, slots=True)
class CandidateFacts:
    id: str
    root: str
    """The family: a candidate and its repairs share a root and count once."""
    kind: AttemptKind = "first"
    outcomes: Mapping[str, Letter] = field(default_factory=dict[str, Letter])
    """By check id. A check that was not executed is absent."""
    outputs: Mapping[str, CallOutput] = field(default_factory=dict[str, CallOutput])
    """By call expression: inputs of tests and generated ones."""
    broken: str = ""
    """Why the program could not run at all (syntax, import, crash, timeout at load, wrong signature); "" when it
    could."""
    lost: str = ""
    """What a repair took away from the public names of given code or the ways to call them; "" when nothing."""
    size: int = 0
    """Code length; for a repair of given code, the number of changed lines. Used last, between otherwise equal
    programs."""
    signature: str = ""
    """The normalised failures of trusted checks; "" without any."""
    fingerprint: str = ""
    """Hash of the AST; equal hashes mean the same program."""
    form: str = ""
    """Hash of the program apart from names, docstrings and annotations; "" where nobody compares these."""
    crashed: frozenset[str] = frozenset()
    """Checks on whose input the given program or its repair crashes by mistake. The input is valid as far as is
    known."""
    breaks_off: str = ""
    """An input at a corner of its type on which the program ends with an exception that the task does not name; ""
    without one."""
    unpinned: str = ""
    """A mutant that no check kills and that differs on such an input; "" without one."""
    executed: bool = True
    """False before the program was run against the checks; the judge then asks for run_tests."""
    clauses: tuple[Finding, ...] = ()
    """The findings on the task's clauses for this program, if it was inspected."""

    @property
    def untried(self) -> bool:
        """Whether nothing of it could be run for a reason that says nothing against it."""
        return self.broken.startswith((ENDS_WHEN_IMPORTED, NOT_HERE))

    @property
    def unusable(self) -> str:
        """Why the program cannot be used, as a sentence without its subject."""
        if self.untried:
            return f"was not tried: {self.broken}"
        lacking = self.broken.removeprefix(LACKS_OUTPUT)
        return f"ran to its end, but {lacking}" if lacking != self.broken else f"could not run: {self.broken}"

    @property
    def breaches(self) -> tuple[str, ...]:
        """Clauses of the task that it breaks beyond doubt, each with what shows it."""
        return tuple(f"the task says {one.text!r}, but: {one.told}" for one in self.clauses if one.standing == "broken")


@dataclass(frozen=True, slots=True)
class Spent:
    """What the run has used up and may still use."""

    repairs: Mapping[str, int] = field(default_factory=dict[str, int])
    """Root of a family -> number of its repairs."""
    independents: int = 0
    rewrites: int = 0
    """Programs written anew because a family was stuck."""
    arbitrated: frozenset[str] = frozenset()
    """Checks, and inputs that programs answer differently, that the arbiter was asked about."""
    left_open: frozenset[str] = frozenset()
    """Inputs that the task does not decide, as the arbiter found."""
    asked: bool = False
    """Whether the person was asked about an ambiguity, or cannot be asked (full_auto)."""
    inputs_done: bool = False
    """Whether a generator and a validator of inputs were asked for."""
    adversary_done: bool = False
    unattacked: bool = False
    """Whether an adversary was to try the program and no check came of it."""
    inputs_tried: bool = False
    """Whether the adversary gave inputs. They say something only if there is another program to compare with."""
    tests_alone: bool = False
    """Whether the adversary gave tests and no input."""
    critic_done: bool = False
    diagnosed: frozenset[str] = frozenset()
    """Candidates whose failure a debugger has explained."""
    refused: frozenset[str] = frozenset()
    """Diagnosed candidates whose code the debugger did not blame, so that no repair followed."""
    chosen: Mapping[Action, int] = field(default_factory=dict[Action, int])
    """How often the judge chose each node."""
    judged: int = 0
    """How often the judge was asked; bounded by max_judged."""
    exhausted: str = ""
    """Why no further model may be called (budget, time, stop); "" while one may."""
    max_repairs: int = 4
    max_repairs_per_root: int = REPAIRS_PER_ROOT
    max_independents: int = 2
    max_rewrites: int = 2
    max_judged: int = 40
    use_inputs: bool = False
    hard: bool = False
    """Whether models often fail at tasks of this kind, so that examples alone are little evidence."""
    use_adversary: bool = True
    use_critic: bool = True
    use_arbiter: bool = True
    max_arbitrated: int = 5


@dataclass(frozen=True, slots=True)
class Facts:
    checks: tuple[CheckFacts, ...]
    candidates: tuple[CandidateFacts, ...]
    """In the order of writing."""
    probes: tuple[str, ...] = ()
    """Call expressions made by mutating known inputs, executed on every candidate."""
    spent: Spent = Spent()
    valid: tuple[str, ...] = ()
    """Call expressions that the task's validator allows, executed on every candidate."""
    tried: tuple[str, ...] = ()
    """Inputs among probes and valid ones that adversary and critic hold to be allowed."""
    suites: int = 1
    """How many blind suites were written, which is the most votes a check can have."""
    ties_open: bool = False
    """Whether the task ranks, sorts or groups things and does not say which of equal ones is meant, or in which
    order."""
    extends: bool = False
    """Whether given code is to do more than it did. What it did before says nothing of what is new."""
    stays: bool = False
    """Whether the program stays as it is, because only tests of it or words about it are wanted."""
    keeps_state: bool = False
    """Whether a class is asked for: what one call leaves behind may change the result of another."""
    apart_from: str = ""
    """What outputs of programs may differ in and still count as equal, in words; "" for nothing."""
    contradictions: tuple[str, ...] = ()
    """How the task contradicts itself, in sentences."""
    passed_over: bool = False
    """Whether some sentence of the task is known to be about no example, no passed check and no demand."""
