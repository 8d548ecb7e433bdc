"""What a busy machine starved of processors is tried once more when it is quieter, and waiting in a queue is no sleep.
No process is started here: workers, machine and scheduler are played."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox import Limits, Program, runs
from sandbox.link import Frame
from sandbox.times import times_of
from sandbox.worker import clock
from sandbox.worker.clock import Clock, LimitClock, Times
from tests.sandbox.played import PASSED, Workers, ended

SCRIPT = Program("print(1)")
SUITE = Program("x = 1", tests="def test_a(): assert x\n")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("program", "then", "status"), [(SUITE, ended("done", PASSED), "pass"), (SCRIPT, ended("exit", []), "ok")]
)
async def test_what_starved_is_tried_once_more_when_the_machine_is_quieter(
    program: Program, then: Frame, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = Workers(ended("starved", []), then)
    waited: list[int] = []

    async def quieter() -> None:
        waited.append(len(workers.heads))

    monkeypatch.setattr(runs, "_quieter", quieter)
    done = await workers.runner().run(program)
    assert (done.execution.status, waited, len(workers.heads)) == (status, [1], 2)


@pytest.mark.asyncio
@pytest.mark.parametrize(("wanting", "waits"), [([2], 0), ([9, 3, 1], 2), ([9] * 99, 40)])
async def test_a_quieter_machine_is_waited_for_and_not_for_ever(
    wanting: list[int], waits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, waited = iter(wanting), list[float]()

    def told(_: str) -> Any:
        return SimpleNamespace(read_text=lambda: f"0.5 0.6 0.7 {next(left)}/321 4711\n")

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(runs, "Path", told)
    monkeypatch.setattr(runs.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(runs.asyncio, "sleep", sleep)
    await runs._quieter()  # pyright: ignore[reportPrivateUsage]
    assert len(waited) == waits


class Machine:
    """A clock, a process, and how long that stood in the queue of the scheduler."""

    def __init__(self, queue: Path) -> None:
        self.now = self.used = 0.0
        self._queue = queue
        self.stand(0)

    def stand(self, seconds: float) -> None:
        self._queue.write_text(f"0 {round(seconds * 1e9)} 0")

    def monotonic(self) -> float:
        return self.now

    def cpu_seconds(self, _: int) -> float:
        return self.used

    def threads(self, _: int) -> list[str]:
        return [str(self._queue)]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path / "schedstat")
    monkeypatch.setattr(clock, "time", made)
    monkeypatch.setattr(clock, "cpu_seconds", made.cpu_seconds)
    monkeypatch.setattr(clock, "threads", made.threads)
    return made


@pytest.fixture
def steps(machine: Machine) -> LimitClock:
    own = Clock([1])
    own.tells_queueing = True
    return LimitClock(Times(1, 1, step_idle=3, step_wall=60, run_cpu=12, run_wall=180), own)


@pytest.mark.parametrize(("queued", "over"), [(0.0, "idle"), (9.0, "")])
def test_what_stands_in_a_queue_is_not_asleep(machine: Machine, steps: LimitClock, queued: float, over: str) -> None:
    machine.now, machine.used = 10.0, 0.5
    machine.stand(queued)
    steps.look()
    assert steps.over() == over


@pytest.mark.parametrize(("at_once", "over"), [(True, "idle"), (False, "")])
def test_threads_that_stand_in_the_queue_at_once_count_as_one(
    machine: Machine, steps: LimitClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool, over: str
) -> None:
    queues = [tmp_path / "one", tmp_path / "other"]
    monkeypatch.setattr(clock, "threads", lambda _: [*map(str, queues)])
    for seconds in [(4, 4)] if at_once else [(4, 0), (4, 4)]:
        for queue, waited in zip(queues, seconds, strict=True):
            queue.write_text(f"0 {waited * 10**9} 0")
        steps.look()
    machine.now = 10.0
    assert steps.over() == over


def test_each_step_has_its_own_time_in_the_queue(machine: Machine, steps: LimitClock) -> None:
    machine.now = 10.0
    machine.stand(9.0)
    steps.look()
    steps.next()
    machine.now = 20.0
    steps.look()
    assert steps.over() == "idle"


def test_what_never_gets_a_processor_is_starved(machine: Machine, steps: LimitClock) -> None:
    machine.now = 60.0
    machine.stand(59.0)
    steps.look()
    assert steps.over() == "starved"


@pytest.mark.parametrize(("left", "used", "over"), [(60.0, 4.0, ""), (60.0, 5.0, "cpu"), (2.0, 2.0, "budget")])
def test_time_that_was_used_up_before_is_no_fault_of_the_loading(
    machine: Machine, left: float, used: float, over: str
) -> None:
    suite = Program("x = 1", tests="", limits=Limits(timeout=5))
    steps = LimitClock(times_of(suite, used_cpu=60 - left), Clock([1]))
    machine.now = machine.used = used
    assert steps.over() == over
