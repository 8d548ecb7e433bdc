"""Many different runs at once on a few workers, beside what they should take: `python -m tests.benches.workers`.

A model on loopback answers each call after a pause. The ideal is the longer of two: the calls of all runs one behind
the other in every slot, and the CPU seconds of that many runs that were driven one at a time, on all cores.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agent.outcome.report import report_of
from agent.state import Task
from agent.task.order import Order
from demo.workshop import Workshop
from framework.settings import Settings
from tests.agent.command_line import start
from tests.agent.model_server import ModelServer, fenced
from tests.framework.postgres import server as postgres_server
from tests.framework.redis_server import redis_server

BAR, GROWTH_BAR = 1.3, 1.2
ALONE = 10
"""Runs that are driven one at a time, to learn what one costs."""
_NUMBER = re.compile(r"scale_(\d+)")


class Scaler(ModelServer):
    """Writes what each task asks for, and knows it only from the words of that task."""

    def __init__(self, pause_s: float) -> None:
        super().__init__()
        self._pause_s = pause_s

    def _reply(self, handler: Any) -> None:
        time.sleep(self._pause_s)
        super()._reply(handler)

    def reply_to(self, role: str, words: str) -> str:
        found = set(_NUMBER.findall(words))
        assert len(found) == 1, f"a prompt of {len(found)} tasks"
        (number,) = found
        return {
            "generator": fenced(f"def scale_{number}(x):\n    return x * {number}"),
            "spec tester": fenced(f"def test_three():\n    assert scale_{number}(3) == {3 * int(number)}"),
            "adversarial tester": fenced(
                f"def test_property_sign():\n    assert scale_{number}(-7) == -scale_{number}(7)"
            ),
        }[role]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benches.workers", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--slots", type=int, default=8, help="runs at a time in each worker")
    parser.add_argument("--pause", type=float, default=0.2, help="seconds that the model takes for each call")
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own, else SQLite")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "redis").mkdir()
        with redis_server(Path(folder) / "redis") as redis, postgres_server() as postgres:
            if redis is None or (given.postgres and postgres is None):
                parser.error("needs redis-server, and PostgreSQL for --postgres")
            settings = {"REDIS_URL": redis.url, "LLM_PROVIDER": "mock", "RUNS_RUNNING": str(given.slots)}
            settings["RUNS_QUEUED"] = str(given.runs)
            if given.postgres and postgres:
                settings["DATABASE_URL"] = postgres.url()
            return asyncio.run(measured(given, Path(folder) / "state", settings))


async def measured(given: argparse.Namespace, state: Path, settings: dict[str, str]) -> int:
    """Prints the figures; 1 where a bar is missed."""
    model = Scaler(given.pause)
    model.start()
    settings |= {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"}
    app = await Workshop.open(Settings.from_env({**settings, "STATE_DIR": str(state)}))
    async with workers(given.workers, state, settings) as processes:
        for number in range(3 * given.workers):
            await _solved(app, 2000 + number)
        before = _cpu_s(processes)
        for number in range(ALONE):
            await _solved(app, 1000 + number)
        each = (_cpu_s(processes) - before) / ALONE
        calls = model.asked.total()
        small = _memory_mb(processes)
        began, before, own = time.monotonic(), _cpu_s(processes), time.process_time()
        await asyncio.gather(*(_solved(app, number) for number in range(1, given.runs + 1)))
        took, cpu = time.monotonic() - began, (_cpu_s(processes) - before) / given.runs
        own = (time.process_time() - own) / given.runs
        calls = (model.asked.total() - calls) / given.runs
        grown = _memory_mb(processes) / small
    await app.aclose()
    model.stop()
    waiting = given.runs * calls * given.pause / (given.workers * given.slots)
    computing = given.runs * each / (os.cpu_count() or 1)
    ratio = took / max(waiting, computing)
    for line in (
        f"{given.runs} runs, {given.workers} workers, {given.slots} slots each, {calls:.1f} calls of {given.pause:g} s",
        f"took {took:.1f} s; the ideal: {waiting:.1f} s of waiting, {computing:.1f} s of computing",
        f"ratio {ratio:.2f} (bar {BAR:g}); memory of the workers {grown:.2f} times (bar {GROWTH_BAR:g})",
        f"CPU of a run: {each:.3f} s alone, {cpu:.3f} s among the others, and {own:.3f} s of who submits and watches",
    ):
        sys.stdout.write(f"{line}\n")
    return int(ratio > BAR or grown > GROWTH_BAR)


@asynccontextmanager
async def workers(count: int, state: Path, settings: dict[str, str]) -> AsyncGenerator[list[int]]:
    started = [await start("worker", state=state, env=settings) for _ in range(count)]
    try:
        for worker in started:
            assert worker.stderr
            while b"runs at a time" not in (line := await worker.stderr.readline()):
                assert line, "a worker did not start"
        yield [worker.pid for worker in started]
    finally:
        for worker in started:
            worker.terminate()
        await asyncio.gather(*(worker.communicate() for worker in started))


async def _solved(app: Workshop, number: int) -> None:
    """Fails where a run ends with anything but the verified program of its own task."""
    name = f"scale_{number}"
    task = f"Write {name}(x) that returns x times {number}. For example {name}(2) == {2 * number}, {name}(0) == 0."
    run_id = await app.runs.begin(Order(Task(task), provider="openai", model="loopback"))
    async for _ in app.runs.follow(run_id):
        pass
    events = await app.runs.events(run_id)
    assert [event.seq for event in events] == list(range(len(events)))
    told = report_of(run_id, events).outcome().as_json()
    assert told["verdict"] == "verified", told["answer"]
    assert set(_NUMBER.findall(str(told))) == {str(number)}, "words of another run"


def _cpu_s(processes: list[int]) -> float:
    """CPU seconds of processes and of all that they started, ended or not, as Linux counts them."""
    spent, left = 0, [*processes]
    while left:
        folder = Path("/proc") / str(left.pop())
        try:
            spent += sum(map(int, (folder / "stat").read_text().rpartition(")")[2].split()[11:15]))
            for children in folder.glob("task/*/children"):
                left += map(int, children.read_text().split())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return spent / os.sysconf("SC_CLK_TCK")


def _memory_mb(processes: list[int]) -> float:
    pages = sum(int((Path("/proc") / str(one) / "statm").read_text().split()[1]) for one in processes)
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    sys.exit(main())
