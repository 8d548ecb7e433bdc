"""What runs in other processes: drives that die at a chosen moment, drives that hang, and second openers."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from framework.port import keep_all
from framework.secret import Secret
from framework.workers.crew import serve
from framework.workers.relay import Relay
from framework.workers.worker import RunWorker

from .places import Place
from .toy import Happened, Tick, ToyContext, ToyEngine, no_step, reply

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["tests.framework.processes"])
"""Children fork from a server that has imported langgraph once and has no threads."""


def start(target: Callable[..., None], *arguments: Any) -> BaseProcess:
    """Starts a function of this module in another process, which does not outlive this one."""
    child = processes.Process(target=target, args=arguments, daemon=True)
    child.start()
    return child


def run_in_child(target: Callable[..., None], *arguments: Any) -> int:
    """Runs a function of this module in another process to its end; its exit code (-9: killed)."""
    child = start(target, *arguments)
    child.join(60)
    assert child.exitcode is not None, "the child hangs"
    return child.exitcode


def told(here: Connection) -> Any:
    """What a child says next; an error if it says nothing for long."""
    assert here.poll(60), "the child says nothing"
    return here.recv()


def paying(calls: Path) -> Callable[[str], str]:
    """A paid call that notes each payment where a kill cannot undo it."""

    def pay(node: str) -> str:
        with calls.open("a") as file:
            file.write(f"{node}\n")
        return reply(node)

    return pay


def keeping(calls: Path) -> Callable[[str], None]:
    """Notes what is stored in the same file."""
    pay = paying(calls)

    def keep(node: str) -> None:
        pay(f"kept {node}")

    return keep


def dies_at(count: int) -> Tick:
    """A tick whose count-th call (from 1) is the process's last."""
    left = count

    def tick() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return tick


def submit(place: Place, spec: dict[str, Any], run_id: str, tick_of_death: int) -> None:
    """Submits a run and drives it until it ends, pauses, or the process dies at that tick."""

    async def main() -> None:
        engine = ToyEngine(
            tick=dies_at(tick_of_death), pay=paying(place.directory / "calls"), kept=keeping(place.directory / "calls")
        )
        runs = await place.runs(engine)
        await runs.submit(spec, title="child", run_id=run_id)
        async for _ in runs.follow(run_id):
            pass
        await runs.aclose()

    asyncio.run(main())


def answer(place: Place, run_id: str, text: str, tick_of_death: int) -> None:
    """Answers the open question and drives on, until the process dies at that tick."""

    async def main() -> None:
        engine = ToyEngine(
            tick=dies_at(tick_of_death), pay=paying(place.directory / "calls"), kept=keeping(place.directory / "calls")
        )
        runs = await place.runs(engine)
        pending = await runs.pending(run_id)
        assert pending
        await runs.answer(run_id, pending.id, {"text": text})
        async for _ in runs.follow(run_id):
            pass
        await runs.aclose()

    asyncio.run(main())


def hang(place: Place, run_id: str, node: str, out: Connection) -> None:
    """Submits a run that hangs in a node; tells when it is there, and the run's status once it ended."""

    async def main() -> None:
        async def step(_context: ToyContext, name: str, _task_id: str) -> None:
            if name == node:
                out.send("hanging")
                await asyncio.Event().wait()

        runs = await place.runs(ToyEngine(step))
        await runs.submit({}, title="child", run_id=run_id)
        async for _ in runs.follow(run_id):
            pass
        out.send(await runs.status(run_id))
        await runs.aclose()

    asyncio.run(main())


def hang_as_worker(place: Place, run_id: str, node: str, out: Connection) -> None:
    """Drives a submitted run as a worker; it hangs in a node, and that is told."""

    async def main() -> None:
        async def step(_context: ToyContext, name: str, _task_id: str) -> None:
            if name == node:
                out.send("hanging")
                await asyncio.Event().wait()

        await RunWorker(await place.runs(ToyEngine(step)), 1).drive(run_id)

    asyncio.run(main())


def opened_by(place: Place, pid: int | None) -> Path:
    """A file that is there once the worker with that id has opened the database."""
    return place.directory / f"opened by {pid}"


def serve_runs(place: Place, url: str, tick_of_death: int) -> None:
    """A worker over a real Redis, which pays for each run in a file of the run's own, until it dies at that tick."""

    class Accounting(ToyEngine):
        def session(self, port: Any, spec: Any) -> Any:
            calls = place.directory / f"calls {port.run_id}"
            self.pay, self.kept = paying(calls), keeping(calls)
            return super().session(port, spec)

    async def open_worker() -> RunWorker[Happened]:
        engine = Accounting(tick=dies_at(tick_of_death))
        worker = RunWorker(await place.runs(engine), 3, Relay(Secret(url), engine, keep_all))
        worker.start()
        opened_by(place, os.getpid()).touch()
        return worker

    serve(Secret(url), open_worker, 3)


def open_and_close(place: Place, out: Connection) -> None:
    """Opens a place, stores a run with an event, and tells how it went."""

    async def main() -> None:
        try:
            runs = await place.runs(ToyEngine(no_step))
            run_id = await runs.submit({}, title="child")
            kinds = [item.event async for item in runs.follow(run_id)]
            await runs.aclose()
            out.send(
                kinds[-1]
                == Happened("reply for plan, reply for branch 1, reply for branch 2, reply for join", "outcome")
            )
        except Exception as error:  # noqa: BLE001 - whatever went wrong is for the test to show
            out.send(repr(error))

    asyncio.run(main())
