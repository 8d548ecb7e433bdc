"""Decides whether a program is right: by the hidden tests alone, in a sandbox of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass

from sandbox.types import Limits, Program, Sandbox, SandboxBroken

from .suites import Problem
from .together import together


@dataclass(frozen=True, slots=True)
class ProgramToGrade:
    """One program that claims to solve a problem."""

    problem: Problem
    label: str
    """Where the program comes from: "right 1", a mistake in words, the name of a cheat."""
    code: str


@dataclass(frozen=True, slots=True)
class Grade:
    """Whether a program is right."""

    answer: ProgramToGrade
    right: bool
    error: str = ""
    """Why the program could not be graded; "" if it was. It then counts as neither right nor wrong."""


async def is_right(grader: Sandbox, problem: Problem, code: str) -> bool:
    """Returns whether the program passes the hidden tests. Raises SandboxBroken if that cannot be told."""
    if not code.strip():
        return False
    limits = Limits(timeout=problem.seconds)
    program = Program(solution=code, tests=problem.hidden, files=problem.files, limits=limits)
    execution = await grader.run(program)
    if execution.status == "broken":
        raise SandboxBroken(execution.error)
    # An unconfirmed pass may rest on an object that agrees with everything.
    return execution.passed and execution.confirmed


def grades(grader: Sandbox, answers: Iterable[ProgramToGrade], workers: int) -> AsyncGenerator[Grade]:
    """Yields grades in the order of the answers, and grades at most `workers` programs at a time."""

    async def one(answer: ProgramToGrade) -> Grade:
        try:
            return Grade(answer, await is_right(grader, answer.problem, answer.code))
        except SandboxBroken as error:
            return Grade(answer, False, f"the sandbox: {error}")

    return together(one, answers, workers, in_order=True)
