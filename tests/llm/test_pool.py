"""What lives as long as the process: providers, what they learnt, slots across runs and event loops, loaded weights."""

from __future__ import annotations

import asyncio
import importlib
import sys
import tempfile
import threading
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from llm import errors
from llm.choose import LLMSettings, LocalSearch, build_router
from llm.local import engine as engines
from llm.local.engine import LocalEngine, make_room, share
from llm.local.job import Generated, Options
from llm.meter import Meter
from llm.pool import ProviderPool, Slots
from llm.types import Answer

from .conftest import ask
from .protocols import KEY, Chat, Llama
from .servers import Seen, Sent, Server, json_reply, until

NOWHERE = LocalSearch(ollama=lambda _: None, has_torch=lambda: False)
DONE = Generated(text="", tokens=0, reused=0, ended=True)


def settings(server: Server, provider: str = "groq", **more: Any) -> LLMSettings:
    given = {"provider": provider, "model": "m", "keys": {provider: KEY}, **more}
    return LLMSettings(base_urls={provider: f"{server.url}{'' if provider == 'ollama' else '/v1'}"}, **given)


async def a_run(configured: LLMSettings, pool: ProviderPool, **request: Any) -> Answer:
    """What each run does: build a router of its own and ask."""
    return await build_router(configured, NOWHERE, pool).ask(ask(**request), Meter())


async def test_what_one_run_learnt_the_next_one_knows() -> None:
    def answer(seen: Seen) -> Sent:
        refused = "temperature" in seen.body
        return json_reply({"error": {"message": "temperature?"}}, 400) if refused else Chat("groq", "m").says("x")(seen)

    pool = ProviderPool()
    with Server(answer) as server:
        for _ in range(3):
            await a_run(settings(server), pool, temperature=0.5)
    assert ["temperature" in seen.body for seen in server.seen] == [True, False, False, False]


async def test_a_refused_key_is_not_shown_again_by_the_next_run_but_another_key_is() -> None:
    pool = ProviderPool()
    with Server(json_reply({"error": {"message": "no"}}, 401)) as server:
        for key in (KEY, KEY, "another-key-of-a-visitor"):
            with pytest.raises(errors.AuthFailed):
                await a_run(settings(server, keys={"groq": key}), pool)
    assert len(server.seen) == 2


async def test_a_key_is_not_kept_in_the_names_of_providers() -> None:
    pool = ProviderPool()
    with Server(Chat("groq", "m").says("x")) as server:
        await a_run(settings(server), pool)
    assert KEY not in repr(vars(pool))


class Busy:
    """An Ollama that counts how many questions it answers at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.now = self.most = 0
        self.enough = threading.Event()

    def answer(self, seen: Seen) -> Sent:
        if seen.path == "/api/show":
            return Llama("ollama", "m").shown()
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        said = Llama("ollama", "m").says("x")(seen)

        def chunks() -> Iterator[bytes]:
            yield from said.chunks
            with self._lock:
                self.now -= 1

        return Sent(said.status, said.headers, chunks())


async def test_runs_at_the_same_time_never_exceed_the_one_slot_of_an_ollama() -> None:
    pool, busy = ProviderPool(), Busy()
    with Server(busy.answer) as server:
        one = settings(server, "ollama")
        same = {"ollama": server.url.replace("127.0.0.1", "LocalHost") + "/"}
        other = replace(one, options={"ollama": {"context": 4096}}, keys={"ollama": "k"}, base_urls=same)

        def in_another_loop() -> None:
            asyncio.run(several(other))

        async def several(configured: LLMSettings) -> None:
            await asyncio.gather(*(a_run(configured, pool) for _ in range(4)))

        await asyncio.gather(several(one), asyncio.to_thread(in_another_loop))
    assert busy.most == 1


async def test_slots_are_given_in_order_and_lost_by_nobody() -> None:
    slots, order = Slots(1), list[int]()

    async def take(number: int) -> None:
        async with slots:
            order.append(number)
            await asyncio.sleep(0)

    async with slots:
        assert slots.busy
        waiting = [asyncio.create_task(take(number)) for number in range(5)]
        await asyncio.sleep(0)
        waiting[2].cancel()
    waiting[0].cancel()  # the slot was given to it in this moment
    await asyncio.gather(*waiting, return_exceptions=True)
    assert order == [1, 3, 4]
    assert not slots.busy


async def test_an_event_loop_that_is_gone_waits_no_more() -> None:
    slots, gone = Slots(1), asyncio.new_event_loop()
    async with slots:
        waits = gone.create_task(slots.__aenter__())
        # Nobody can end it once its loop is gone; asyncio would say so in the middle of some later test.
        waits._log_destroy_pending = False  # type: ignore[attr-defined]
        await asyncio.to_thread(gone.run_until_complete, asyncio.wait([waits], timeout=0))
        gone.close()
    async with slots:
        assert slots.busy


HOLDER = """
import asyncio, sys
from llm.pool import Slots

async def hold():
    async with Slots(1, sys.argv[1]):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


async def test_a_slot_of_a_server_of_ones_own_is_shared_by_processes_and_freed_by_their_death(tmp_path: Path) -> None:
    server = f"http://127.0.0.1/{tmp_path.name}"
    slots = Slots(1, server)
    assert not slots.busy
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLDER, server, stdout=PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"held\n"
    assert slots.busy
    waiting = asyncio.create_task(slots.__aenter__())
    await asyncio.sleep(0)
    assert not waiting.done()
    process.kill()
    await waiting
    await slots.__aexit__(None, None, None)
    await process.wait()
    assert not slots.busy


async def test_slots_work_where_no_lock_file_can_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    slots = Slots(2, "x")
    async with slots, slots:
        assert slots.busy
    assert "not shared" in caplog.text


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of models as they are loaded, by a loader that needs no torch."""
    loaded: list[str] = []

    def load(model: str, options: Options, progress: Any, make_room: Any = None) -> object:
        loaded.append(model)
        return object()

    stand_in = ModuleType("llm.local.load")
    vars(stand_in)["load"] = load
    monkeypatch.setitem(sys.modules, "llm.local.load", stand_in)
    monkeypatch.setattr(importlib.import_module("llm.local"), "load", stand_in, raising=False)
    monkeypatch.setattr(engines, "ENGINES", {})
    return loaded


async def use(engine: LocalEngine) -> None:
    assert [item async for item in engine.stream(lambda *_: DONE)] == [DONE]


async def test_three_runs_load_a_model_once(loads: list[str]) -> None:
    for _ in range(3):
        await use(share("m", Options()))
    assert loads == ["m"]


@pytest.mark.slow
async def test_weights_leave_when_nobody_asked_for_a_while_and_come_back(loads: list[str]) -> None:
    engine = share("m", Options())
    await use(engine)
    kept = engine.leave(unused_s=3600)
    assert kept is not None
    assert not await asyncio.wrap_future(kept)
    left = engine.leave()
    assert left is not None
    assert await asyncio.wrap_future(left)
    assert engine.loaded is None
    await use(engine)
    assert loads == ["m", "m"]


@pytest.mark.slow
async def test_the_idle_time_is_counted_by_itself(loads: list[str]) -> None:
    engine = share("m", Options(idle_s=0.01))
    await use(engine)
    assert await asyncio.to_thread(until, lambda: engine.loaded is None, 20)


@pytest.mark.slow
async def test_a_model_that_needs_room_gets_that_of_models_at_rest_only(loads: list[str]) -> None:
    resting, working, wanting = (share(name, Options()) for name in ("a", "b", "c"))
    await use(resting)
    begun, go_on = threading.Event(), threading.Event()

    def work(*_: object) -> Generated:
        begun.set()
        go_on.wait(20)
        return DONE

    busy = asyncio.create_task(anext(working.stream(work)))
    await asyncio.to_thread(begun.wait, 20)
    assert await asyncio.to_thread(make_room, wanting)
    assert resting.loaded is None
    assert working.loaded is not None
    assert not await asyncio.to_thread(make_room, wanting)
    go_on.set()
    await busy
