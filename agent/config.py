"""Every flag of a run, in one place; each has a test that its effect on a run is real."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Autonomy = Literal["full_auto", "review_repairs", "review_all"]
AUTONOMY: tuple[Autonomy, ...] = get_args(Autonomy)
Review = Literal["auto", "always", "never"]
REVIEW: tuple[Review, ...] = get_args(Review)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    autonomy: Autonomy = "full_auto"
    """full_auto never pauses; review_repairs pauses before each repair and where only the person can answer; review_all
    also before anything is written."""
    plan: Literal["auto", "always", "never"] = "auto"
    """auto: the planner is asked where the task is hard, where code is unsure what it asks for, and with review_all."""
    review: Review = "auto"
    """Whether ruff and a reviewer look at a program before it is run; auto: where the task is hard. What they find is
    told to whoever repairs it or writes it anew."""
    examples: bool = True
    """The examples that the task text gives are executed."""
    spec_tests: bool = True
    second_suite: bool = True
    """A task without any check that is trusted from the start gets two blind suites."""
    reference: bool = True
    """The second program is asked for as a slow and obvious one, or as a checker of answers, where the task's small
    inputs can be decided so."""
    valid_inputs: bool = True
    """A generator and a validator of inputs are asked for where the evidence is thin."""
    properties: bool = True
    """What models say of every input is kept as checks."""
    adversary: bool = True
    critic: bool = True
    arbiter: bool = True
    independent_attempts: int = 2
    """Independent programs written to settle disputes, at most."""
    max_repairs: int = 4
    """Repairs in all, at most two per independent program; strategies tried in parallel count once."""
    max_rewrites: int = 2
    """Programs written anew because a family is stuck."""
    strategies: int = 1
    """Repair strategies tried in parallel (1 to 3); more than one ends in a tournament."""
    mutation_seconds: float = 2.0
    """CPU seconds that the candidate's own suites may take, mutant after mutant, which bounds how many are tried; 0
    switches the mutation check off."""
    held_out: float = 0.25
    """Share of the spec suite that no repair prompt ever sees."""
    budget_usd: float | None = None
    budget_calls: int | None = 40
    budget_tokens: int | None = None
    """Tokens read and written by models."""
    timeout: float = 900.0
    """Wall seconds of a run, pauses not counted."""
    execution_timeout: float = 5.0
    """CPU seconds of one step of a program run: loading, one check, a whole script."""
    memory_mb: int = 512
    sandbox_mode: Literal["auto", "inprocess", "split"] = "auto"
    min_level: str | None = None
    """Weakest isolation level free input may run at; scripted scenarios run at any."""
    believe_tests: bool = False
    """Every check of a model counts as if the task stated it: a program is wrong as soon as one fails. The usual way,
    here for comparison; the verdict says so and is never `verified`."""
    blind_rewrites: bool = False
    """Whoever writes a program anew hears nothing of those before it: another sample, for comparison."""
    style: bool = True
    """An accepted program that was not given is formatted and lint-fixed by ruff, where that changes nothing else."""
    memory: bool = False
    """Lessons of earlier runs on similar tasks of the same owner are told beside its own, and its own are kept for
    later ones: hints, never counted for the verdict and never told to who writes checks or a reference."""
    web_search: bool = False
    """Whoever writes a program or looks for its fault may have the web searched by the service that answers. Never who
    writes checks, nor the author of a second program: what both found on one page would confirm nothing."""
    install_packages: bool = False
    """Build a per-run environment for what a task or a program needs and is missing."""
    may_install: bool = True
    """False: nothing is installed, whoever allows it: the deployment is set so."""
