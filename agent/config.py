"""The options of a run. For each there is a test that it changes what a run does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

Autonomy = Literal["full_auto", "review_repairs", "review_all"]
AUTONOMY: tuple[Autonomy, ...] = get_args(Autonomy)
When = Literal["auto", "always", "never"]
WHEN: tuple[When, ...] = get_args(When)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    autonomy: Autonomy = "full_auto"
    """full_auto: the run never pauses. review_repairs: it pauses before each repair, and for questions that only the
    person can answer. review_all: it also pauses before anything is written."""
    plan: When = "auto"
    """auto: the planner is asked when the task is hard, when code is unsure what the task asks for, and with
    review_all."""
    review: When = "auto"
    """Whether ruff and a reviewer look at a program before it is run; auto: when the task is hard. Their findings go to
    the role that repairs or rewrites the program."""
    examples: bool = True
    """Whether the examples in the task text are executed."""
    spec_tests: bool = True
    """Whether a model writes tests from the task alone."""
    second_suite: bool = True
    """Whether a task without any T0 check gets two blind suites."""
    reference: bool = True
    """Whether the second program is asked for as a slow and obvious one, or as a checker of answers, if brute force
    decides the task's small inputs."""
    valid_inputs: bool = True
    """Whether a model is asked for a generator and a validator of inputs when the evidence is thin."""
    properties: bool = True
    """Whether properties, which models state for every input, are kept as checks."""
    adversary: bool = True
    """Whether a model that sees a program that passes looks for inputs and properties that break it."""
    adversary_turns: int = 3
    """The most looks of one attack at how several programs answer its inputs; a pass that is well supported gets
    one."""
    critic: bool = True
    """Whether a model takes a last look at a program that passes and names an input on which it should fail."""
    arbiter: bool = True
    """Whether a model that sees the task and one input alone is asked what the task demands there."""
    independent_attempts: int = 2
    """The most independent programs that are written to settle disputes."""
    max_repairs: int = 4
    """The most repairs in all; each independent program gets at most two. Strategies tried in parallel count once."""
    max_rewrites: int = 2
    """The most programs that are written anew because a family is stuck."""
    strategies: int = 1
    """Repair strategies tried in parallel (1 to 3); more than one ends in a tournament."""
    mutation_seconds: float = 2.0
    """CPU seconds for running the candidate's own suites on mutants, one after the other. This bounds how many mutants
    are tried; 0 switches the mutation check off."""
    held_out: float = 0.25
    """Share of the spec suite that no repair prompt ever sees."""
    budget_usd: float | None = None
    """The most dollars that calls of models may cost; None for no limit."""
    budget_calls: int | None = 40
    """The most calls of models; None for no limit."""
    budget_tokens: int | None = None
    """The most tokens that models may read and write; None for no limit."""
    timeout: float = 900.0
    """Wall seconds of a run, without pauses."""
    execution_timeout: float = 5.0
    """CPU seconds of one part of a program run: loading, one check, or a whole script."""
    memory_mb: int = 512
    """Megabytes of memory that each process of a program run may take."""
    sandbox_mode: Literal["auto", "inprocess", "split"] = "auto"
    """Whether tests run in the program's process, in another one, or (auto) in both as needed."""
    min_level: str | None = None
    """The weakest isolation level at which free input may run; scripted scenarios run at any level."""
    believe_tests: bool = False
    """Whether every check of a model counts as if the task stated it: a program is wrong as soon as one check fails.
    Most agents work this way, and this option is for comparison; the verdict says so and is never `verified`."""
    blind_rewrites: bool = False
    """Whether a rewrite is made without telling its author of earlier programs. It is then another sample, for
    comparison."""
    style: bool = True
    """Whether ruff formats and lint-fixes an accepted program, if that changes nothing else. Given code is left alone.
    """
    memory: bool = False
    """Whether lessons of the owner's earlier runs on similar tasks are told beside those of this run, and those of this
    run are kept for later. Lessons are hints: the verdict does not count them, and authors of checks or of a reference
    never see them."""
    web_search: bool = False
    """Whether the model service may search the web for roles that write a program or diagnose its failure. Authors of
    checks and of a second program never search: what both found on the same page would confirm nothing."""
    install_packages: bool = False
    """Whether to build an environment for the run with packages that a task or a program needs and that are missing."""
    may_install: bool = True
    """Whether the deployment allows packages to be installed; False overrules `install_packages`."""


OFFERED = (
    "autonomy", "install_packages", "web_search", "review", "memory", "max_repairs", "strategies", "budget_usd",
    "budget_calls", "budget_tokens", "timeout",
)  # fmt: skip
"""The options that the command line, REST and MCP offer, besides provider and model."""


class RunOptions(TypedDict, total=False):
    """The options that a caller may name: fields of AgentConfig. One that is missing is as the deployment sets it."""

    autonomy: Autonomy
    plan: When
    review: When
    examples: bool
    spec_tests: bool
    second_suite: bool
    reference: bool
    valid_inputs: bool
    properties: bool
    adversary: bool
    adversary_turns: int
    critic: bool
    arbiter: bool
    independent_attempts: int
    max_repairs: int
    max_rewrites: int
    strategies: int
    mutation_seconds: float
    held_out: float
    budget_usd: float
    budget_calls: int
    budget_tokens: int
    timeout: float
    execution_timeout: float
    memory_mb: int
    sandbox_mode: Literal["auto", "inprocess", "split"]
    min_level: str
    believe_tests: bool
    blind_rewrites: bool
    style: bool
    memory: bool
    web_search: bool
    install_packages: bool
