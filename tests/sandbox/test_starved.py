"""What a busy machine starved of processors is tried once more when it is quieter, and waiting in a queue is no sleep.
No process is started here: workers, machine and scheduler are played."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox import Isolation, Program, runs
from sandbox.link import Frame
from sandbox.runs import ProgramRunner
from sandbox.worker import clock
from sandbox.worker.clock import Clock, LimitClock, Times
from sandbox.worker.frames import HEADER

NONCE = bytes(16)
WALLS = Isolation("walled", **dict.fromkeys(("network", "files", "memory", "disk", "processes", "environment"), ""))
SCRIPT = Program("print(1)")
SUITE = Program("x = 1", tests="def test_a(): assert x\n")
PASSED: list[Any] = [
    {"collected": ["test_a"]}, {"check": "test_a", "status": "pass", "message": ""}, {"done": 1},
]  # fmt: skip


def ended(cause: str, records: list[Any]) -> Frame:
    texts = [json.dumps(record).encode() for record in records]
    told = b"".join(HEADER.pack(len(text), 0, NONCE) + text for text in texts)
    head = {
        "cause": cause, "nonce": NONCE.hex(), "exit_code": 0, "signal": None, "second_signal": None,
        "second_code": None, "own": False, "peak_kb": 1, "cpu_ms": 1, "ms": 1, "truncated": False, "changed": False,
        "artifacts": [], "sizes": [0, 0, len(told)],
    }  # fmt: skip
    return Frame(head, told)


@pytest.fixture
def events() -> list[str]:
    """What happened in a run: "run" for a process, "quieter" for a wait for a quieter machine."""
    return []


@pytest.fixture
def runner(events: list[str], monkeypatch: pytest.MonkeyPatch) -> ProgramRunner:
    """Its first process starves, all others do what they should."""

    async def request(head: dict[str, Any], _body: Any, _patience: float) -> Frame:
        events.append("run")
        if events.count("run") == 1:
            return ended("starved", [])
        return ended("exit", []) if head["entry"] == "script" else ended("done", PASSED)

    async def quieter() -> None:
        events.append("quieter")

    @contextlib.asynccontextmanager
    async def worker(*_: Any) -> AsyncGenerator[Any]:
        yield SimpleNamespace(request=request)

    played: Any = SimpleNamespace(worker=worker)
    monkeypatch.setattr(runs, "_quieter", quieter)
    return ProgramRunner(played, WALLS, None)


@pytest.mark.asyncio
async def test_a_starved_suite_is_tried_once_more_when_the_machine_is_quieter(
    runner: ProgramRunner, events: list[str]
) -> None:
    done = await runner.run(SUITE)
    assert (done.execution.status, events) == ("pass", ["run", "quieter", "run"])


@pytest.mark.asyncio
async def test_a_starved_script_is_tried_once_more_when_the_machine_is_quieter(
    runner: ProgramRunner, events: list[str]
) -> None:
    done = await runner.run(SCRIPT)
    assert (done.execution.status, events) == ("ok", ["run", "quieter", "run"])


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
