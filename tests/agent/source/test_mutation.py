"""Mutants are small, different from the program and from each other, and leave alone what no check could see."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from agent.config import AgentConfig
from agent.outcome.mutants import STEPS, affordable, measure
from agent.source.mutation import mutants
from agent.state import AgentState, Candidate, Check, CheckOutcome, Mutation, Run, Suite, Task
from sandbox.types import CheckResult, Execution, Isolation, Program, Status

PROGRAM = '''
def clamp(value: int, low: int = 0) -> int:
    """Never below 0 or 7."""
    if value < low:
        raise ValueError("below 3")
    for n in range(9):
        if n == value and value > 1:
            break
    return value


if __name__ == "__main__":
    print(clamp(5))
'''


def test_every_mutant_parses_and_differs_from_all_others() -> None:
    made = mutants(PROGRAM)
    shapes = {ast.dump(ast.parse(mutant.code)) for mutant in made}
    assert len(shapes) == len(made) > 8
    assert ast.dump(ast.parse(PROGRAM)) not in shapes


def test_boundaries_are_moved() -> None:
    assert any("value < low` became `value <= low" in mutant.change for mutant in mutants(PROGRAM))


def test_what_no_check_can_see_stays() -> None:
    for mutant in mutants(PROGRAM, limit=1000):
        for untouched in ("Never below 0 or 7.", "below 3", "value: int", "print(clamp(5))"):
            assert untouched in mutant.code


def test_the_choice_is_the_same_each_time() -> None:
    assert mutants(PROGRAM, limit=5) == mutants(PROGRAM, limit=5)
    assert len(mutants(PROGRAM, limit=5)) == 5


def test_a_busy_machine_does_not_change_how_many_are_tried() -> None:
    """CPU seconds of the same suite, as an idle and a busy machine count them."""
    assert affordable(0.02, 2.0) == affordable(0.03, 2.0) == affordable(0.07, 2.0) == 30
    assert affordable(0.3, 2.0) == affordable(0.45, 2.0) == 10
    assert affordable(60.0, 2.0) == 1


ISOLATION = Isolation("limits", *["open"] * 6)
MANY = PROGRAM + "\n".join(f"def f{n}(x):\n    return x + {n}\n" for n in range(2, 40))
CHECK = Check("spec:1.test_a", "test_a", "spec", "def test_a():\n    assert clamp(1) == 1")
SUITE = Suite("spec:1", "spec", "", (CHECK,))


class Cheap:
    """A sandbox in which the program passes in 10 ms, and every mutant ends like `fate`."""

    def __init__(self, fate: Status = "fail") -> None:
        self.fate: Status = fate
        self.mutants: list[Program] = []

    async def run(self, program: Program) -> Execution:
        if program.solution == MANY:
            return Execution("pass", ISOLATION, checks=(CheckResult("test_a", "pass"),), cpu_ms=10.0)
        self.mutants.append(program)
        checks = (CheckResult("test_a", "timeout" if self.fate == "timeout" else "fail"),)
        return Execution(self.fate, ISOLATION, checks=checks, cpu_ms=10.0)


def unchanged(program: Program) -> Program:
    return program


async def measured(sandbox: Cheap, took: float = 1000.0, memory: dict[str, Any] | None = None) -> Mutation | None:
    """Measures in a run in which the program took so many milliseconds to be confirmed."""
    candidate = Candidate("c1", MANY, "first", None, "c1")
    confirmed = Run("c1", "spec:1", Execution("pass", ISOLATION, cpu_ms=took), True, {CHECK.id: CheckOutcome("pass")})
    state = AgentState(
        task=Task("Write clamp."), config=AgentConfig(), candidates=[candidate], suites=[SUITE], runs=[confirmed]
    )
    kept = {} if memory is None else memory
    port = SimpleNamespace(recall=kept.get, remember=kept.__setitem__)
    session = SimpleNamespace(sandbox=sandbox, port=port)
    context: Any = SimpleNamespace(session=session, equipped=unchanged)
    return await measure(state, context, candidate)


async def test_the_way_between_two_processes_is_no_cost_of_a_mutant() -> None:
    """The run that confirmed the program took a second, nearly all of it to and fro between tests and solution."""
    mutation = await measured(Cheap())
    assert mutation is not None
    assert (mutation.killed, mutation.total, mutation.killed_by) == (STEPS[0], STEPS[0], (CHECK.id,))


@pytest.mark.parametrize(("took", "seconds"), [(10.0, 0.5), (200.0, 2.0), (2000.0, 0.5)])
async def test_a_mutant_runs_in_one_process_to_its_first_failure_and_ten_times_as_long_as_the_program(
    took: float, seconds: float
) -> None:
    sandbox = Cheap()
    await measured(sandbox, took)
    for program in sandbox.mutants:
        assert (program.mode, program.fail_fast) == ("inprocess", True)
        assert (program.limits.timeout, program.limits.memory_mb) == (pytest.approx(seconds), AgentConfig().memory_mb)


async def test_no_more_mutants_are_tried_after_eight_that_hang() -> None:
    mutation = await measured(Cheap("timeout"))
    assert mutation is not None
    assert (mutation.killed, mutation.total) == (8, 8)


async def test_a_mutant_that_the_sandbox_could_not_run_is_not_counted() -> None:
    assert await measured(Cheap("broken")) is None


async def test_mutants_are_measured_once_for_the_same_program_and_passes() -> None:
    memory: dict[str, Any] = {}
    first = await measured(Cheap(), memory=memory)
    again = Cheap("pass")
    assert (await measured(again, memory=memory), again.mutants) == (first, [])
