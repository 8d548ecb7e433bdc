"""Trials made by real Celery workers over a real Redis on this machine, where both are installed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation import fleet
from evaluation.arms import ARMS
from evaluation.fleet import NoFleet, WorkerWatch, application
from evaluation.harness import Choice, Job
from evaluation.suites import Problem
from evaluation.trials import FILE, Trial
from framework.settings import Settings
from tests.agent.command_line import free_port
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import RIGHT, TASK, TESTS, usual
from tests.evaluation.made import trial

ROOT = Path(__file__).resolve().parents[2]


def test_without_an_address_it_says_what_to_set() -> None:
    with pytest.raises(NoFleet, match="REDIS_URL"):
        application(Settings.from_env({}))


def begun(worker: str) -> SimpleNamespace:
    return SimpleNamespace(state="STARTED", info={"hostname": worker})


def test_what_a_killed_worker_had_begun_is_lost_after_two_silent_pings_and_nothing_else_is() -> None:
    watch, queued = WorkerWatch(), SimpleNamespace(state="PENDING", info=None)
    waiting = {"a#0": begun("one"), "b#0": begun("two"), "c#0": queued}
    for answers, lost in (
        ("one two", []), ("two", []), ("one two", []), ("two", []), ("two", ["a#0"]), ("two three", ["a#0"]),
    ):  # fmt: skip
        watch.heard(dict.fromkeys(answers.split(), 1))
        assert watch.lost(waiting) == lost, answers
    assert watch.lost({"a#0": begun("three")}) == [], "what was sent again is another worker's"


def test_a_fleet_that_is_gone_is_told_after_two_silent_pings() -> None:
    watch = WorkerWatch()
    watch.heard({"one": 1})
    watch.heard({})
    assert watch.lost({"a#0": begun("one")}) == []
    watch.heard({})
    with pytest.raises(NoFleet, match="no worker answers"):
        watch.lost({"a#0": begun("one")})


class Queue:
    """Stands for Celery with one worker of two places: whatever is sent has ended at once."""

    def __init__(self, answer: Callable[[str], object]) -> None:
        self.answer, self.open, self.most, self.revoked = answer, 0, 0, list[str]()
        self.control = SimpleNamespace(inspect=self._inspect, revoke=lambda ids, terminate: self.revoked.extend(ids))

    def _inspect(self, timeout: float) -> SimpleNamespace:
        return SimpleNamespace(stats=lambda: {"one": {"pool": {"max-concurrency": 2}}})

    def send_task(self, name: str, arguments: tuple[Any, ...]) -> SimpleNamespace:
        self.open += 1
        self.most = max(self.most, self.open)
        problem = arguments[0]["id"]
        return SimpleNamespace(id=problem, ready=lambda: True, get=lambda propagate: self._ended(problem))

    def _ended(self, problem: str) -> object:
        self.open -= 1
        return self.answer(problem)

    def close(self) -> None: ...


async def played(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> list[Trial]:
    monkeypatch.setattr(fleet, "application", lambda settings: queue)
    jobs = [Job(Problem(str(number), "", ""), 0) for number in range(20)]
    return [each async for each in fleet.trials(Settings.from_env({}), Choice(), jobs)]


async def test_no_more_is_sent_than_workers_will_take_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(lambda problem: asdict(trial(problem)))
    assert sorted(int(each.problem) for each in await played(queue, monkeypatch)) == list(range(20))
    assert queue.most == fleet.AHEAD * 2, "what a killed client has sent is made for nobody"
    assert queue.revoked == []


async def test_a_worker_that_cannot_say_how_many_trials_it_makes_is_taken_for_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queue = Queue(lambda problem: asdict(trial(problem)))
    queue.control.inspect = lambda timeout: SimpleNamespace(stats=lambda: {"one": {"error": "busy"}})
    assert len(await played(queue, monkeypatch)) == 20
    assert queue.most == fleet.AHEAD


async def test_what_a_worker_could_not_make_is_one_trial_without_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(lambda problem: MemoryError("killed") if problem == "7" else asdict(trial(problem)))
    found = {each.problem: each.error for each in await played(queue, monkeypatch)}
    assert found.pop("7") == "the worker: MemoryError('killed')"
    assert set(found.values()) == {""}
    assert len(found) == 19


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment that names a Redis of this test."""
    pytest.importorskip("celery", reason="needs the extra `celery`")
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("redis-server is not installed")
    port = free_port()
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        until = time.monotonic() + 10
        while time.monotonic() < until and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
        yield {**os.environ, "REDIS_URL": f"redis://127.0.0.1:{port}/0", "STATE_DIR": str(tmp_path / "workers")}
        process.terminate()


def evaluate(out: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evaluation", "run", "--suite", "scenarios", "--provider", "mock"]
    command += ["--task-ids", "slugify,roman_numerals", "--engine", "celery", "--out", str(out), "--resume"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_workers_make_the_trials_and_their_absence_is_one_line(broker: dict[str, str], tmp_path: Path) -> None:
    alone = evaluate(tmp_path / "out", broker)
    assert alone.returncode == 3
    assert alone.stderr.splitlines()[-1].endswith("start one with: python -m evaluation worker")
    command = [sys.executable, "-m", "evaluation", "worker", "--workers", "2"]
    with subprocess.Popen(command, cwd=ROOT, env=broker, stdout=subprocess.DEVNULL) as worker:
        until = time.monotonic() + 60
        while (done := evaluate(tmp_path / "out", broker)).returncode == 3 and time.monotonic() < until:
            pass
        worker.terminate()
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out" / FILE).read_text().splitlines()]
    assert {row["problem"]: (row["verdict"], row["final_correct"]) for row in rows} == {
        "slugify": ("verified", True),
        "roman_numerals": ("verified", True),
    }


@pytest.mark.slow
async def test_the_trial_of_a_worker_that_is_killed_is_made_again_and_counted_once(
    broker: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real worker with a real Redis, killed while its model is being asked. Two silent pings are the lease: here a
    ping follows the other at once, and nothing is measured in seconds."""
    monkeypatch.setattr(fleet, "PING_S", 0.0)
    asked, killed = threading.Event(), threading.Event()
    model = ModelServer()
    model.answer = lambda role, times: fenced(RIGHT) if role == "generator" else usual(role)

    def hold(_role: str) -> None:
        asked.set()
        killed.wait(120)

    model.on_request = hold
    model.start()
    loopback = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"}
    settings = Settings.from_env(broker)
    app = application(settings)

    def start(name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "evaluation", "worker", "--workers", "1"]
        environment = {**broker, **loopback, "STATE_DIR": str(tmp_path / name)}
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)

    async def there(count: int) -> None:
        async with asyncio.timeout(120):
            while len(await fleet._answering(app)) != count:
                pass

    async def made() -> list[Trial]:
        job = Job(Problem("vowels", TASK, "from solution import *\n\n" + TESTS), 0)
        choice = Choice(provider="openai", model="loopback", config=ARMS["one_shot"][1])
        return [each async for each in fleet.trials(settings, choice, [job])]

    workers = [start("one")]
    try:
        await there(1)
        async with asyncio.timeout(240):
            client = asyncio.create_task(made())
            assert await asyncio.to_thread(asked.wait, 120)
            workers.append(start("two"))
            await there(2)
            os.killpg(workers[0].pid, signal.SIGKILL)
            model.on_request = lambda role: None
            killed.set()
            trials = await client
    finally:
        killed.set()
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
        model.stop()
    assert [(each.key, each.final_correct, each.error) for each in trials] == [("vowels#0", True, "")]
    assert model.asked["generator"] == 2, "once by the worker that was killed, once by the other"
