"""What goes through Redis: text of the moment, wake-ups, and keys of visitors."""

from __future__ import annotations

import asyncio
import importlib
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio
from cryptography.fernet import Fernet

from framework.bus import EventBus
from framework.engine import Envelope, Live
from framework.errors import StoreError
from framework.port import keep_all
from framework.rate import Rate, SharedRateLimiter
from framework.secret import Secret
from framework.visitors import SealedKeys
from framework.workers.broker import celery_address, celery_app, redis_client
from framework.workers.crew import RedisCrew, serve
from framework.workers.relay import Relay
from framework.workers.worker import RunWorker

from .places import Place
from .redis_server import MISSING, Redis, redis_server
from .steps import Open, texts
from .toy import Happened, ToyEngine

CANARY = Secret("sk-canary-0123456789abcdef")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    with redis_server(tmp_path_factory.mktemp("redis")) as running:
        if running is None:
            pytest.skip(MISSING)
        yield running


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Which database it is makes no difference to Redis; with processes both are tried."""
    return Place(tmp_path)


def masked(data: Any) -> Any:
    return {name: value.replace("word", "***") for name, value in data.items()}


async def test_a_redis_whose_machine_is_gone_is_noticed_by_who_only_listens(server: Redis) -> None:
    client, _ = redis_client(Secret(server.url))
    async with client, client.pubsub() as heard:
        await heard.psubscribe("news:*")
        asked = heard.connection._writer.get_extra_info("socket")
        assert asked.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        for name, limit in {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 2}.items():
            # macOS has another name for the first.
            if option := getattr(socket, name, None):
                assert asked.getsockopt(socket.IPPROTO_TCP, option) == limit


@asynccontextmanager
async def wired(url: Secret, bus: EventBus[Any]) -> AsyncIterator[EventBus[Any]]:
    """A bus whose items reach the other one, from now on."""
    sender, receiver = (Relay(url, ToyEngine(), masked) for _ in range(2))
    source: EventBus[Any] = EventBus()
    receiver.bring_to(bus)
    sender.send_from(source)
    try:
        with bus.subscribe("probe") as inbox:
            while await inbox.get(0.05) is None:
                source.publish("probe", Live(Happened("is anybody there?")))
        yield source
    finally:
        await sender.aclose()
        await receiver.aclose()


async def test_what_is_published_in_one_process_is_heard_in_another_redacted_and_in_order(server: Redis) -> None:
    bus: EventBus[Any] = EventBus()
    items = [Live(Happened("a word")), Envelope("r", 3, 1.5, "happened", Happened("stored")), None]
    async with wired(Secret(server.url), bus) as source:
        with bus.subscribe("r") as inbox:
            for item in items:
                source.publish("another run", item)
                source.publish("r", item)
            heard = [await inbox.get() for _ in items]
    assert heard == [Live(Happened("a ***")), items[1], None]


@pytest.mark.parametrize("local", [False, True])
async def test_a_woken_worker_drives_and_its_text_is_seen_live(server: Redis, opened: Open, local: bool) -> None:
    """The message itself is Celery's; its worker is tried with the processes."""
    app, engine = await opened(), ToyEngine()
    runs = await opened(engine)
    url = Secret(server.local_url if local else server.url)
    app.leave_to(RedisCrew(url, Relay(url, engine, keep_all)))
    worker = RunWorker(runs, 1, Relay(url, engine, keep_all))
    async with wired(url, app.driver.bus):
        run_id = await app.submit({}, title="t")
        seen: list[Any] = []

        async def watch() -> None:
            seen.extend([item async for item in app.follow(run_id)])

        watching = asyncio.create_task(watch())
        while run_id not in app.driver.bus:  # noqa: ASYNC110 - that it listens is no event
            await asyncio.sleep(0)
        await worker.drive(run_id)
        await watching
    assert Live(Happened("plan pays")) in seen
    assert [item.seq for item in seen if isinstance(item, Envelope)] == list(range(16))


async def test_a_run_stopped_before_a_worker_began_it_ends_for_the_viewers_of_another_web_process(
    server: Redis, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.follow._SELDOM", 3600.0)
    monkeypatch.setattr("framework.follow._LEAST_OFTEN", 3600.0)
    apps = [await opened(), await opened()]
    for app in apps:
        app.leave_to(RedisCrew(Secret(server.url), Relay(Secret(server.url), ToyEngine(), keep_all)))
    run_id = await apps[0].submit({}, title="t")
    while not apps[1].driver.bus.is_fed:  # noqa: ASYNC110 - that it hears is no event
        await asyncio.sleep(0.01)
    watching = asyncio.create_task(texts(apps[1], run_id))
    while run_id not in apps[1].driver.bus:  # noqa: ASYNC110
        await asyncio.sleep(0)
    assert await apps[0].stop(run_id)
    async with asyncio.timeout(60):
        assert await watching == ["stopped"]


async def test_a_key_is_read_by_its_run_alone_and_lies_in_redis_encrypted(server: Redis) -> None:
    secret = Secret(Fernet.generate_key().decode())
    app, worker = (SealedKeys(Secret(server.url), secret) for _ in range(2))
    stranger = SealedKeys(Secret(server.url), Secret(Fernet.generate_key().decode()))
    client = redis.asyncio.Redis.from_url(server.url)
    await app.keep("r", CANARY)
    assert await worker.fetch("r") == CANARY
    assert (await worker.fetch("another"), await stranger.fetch("r")) == (None, None)
    await client.copy("visitor-key:r", "visitor-key:another")
    assert await worker.fetch("another") is None
    assert 0 < await client.ttl("visitor-key:r") <= 12 * 3600
    dump = server.saved()
    assert b"visitor-key:r" in dump
    assert CANARY.reveal().encode() not in dump
    await app.forget("r")
    assert await worker.fetch("r") is None
    for one in (app, worker, stranger, client):
        await one.aclose()


async def test_keys_out_of_reach_are_one_line(tmp_path: Path) -> None:
    with redis_server(tmp_path) as gone:
        if gone is None:
            pytest.skip(MISSING)
    keys = SealedKeys(Secret(gone.url), Secret(Fernet.generate_key().decode()))
    with pytest.raises(StoreError, match=r"^the keys of visitors are out of reach: .*$"):
        await keys.keep("r", CANARY)
    await keys.aclose()


async def test_without_redis_a_run_is_submitted_all_the_same(
    tmp_path: Path, opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with redis_server(tmp_path) as gone:
        if gone is None:
            pytest.skip(MISSING)
    app, engine = await opened(), ToyEngine()
    crew = RedisCrew(Secret(gone.url), Relay(Secret(gone.url), engine, keep_all))
    app.leave_to(crew)
    run_id = await app.submit({}, title="t")
    await RunWorker(await opened(), 1).drive(run_id)
    assert await app.status(run_id) == "done"
    await crew.aclose()
    assert f"run {run_id} begins when one looks" in caplog.text
    crew.wake(run_id)  # as a submission does that was under way when the process began to end


class GivesUp:
    """A Celery that does so where Redis is killed while a message is not acknowledged; the third one is told to end."""

    begun = 0

    def __init__(self, told: Callable[[], object]) -> None:
        self._told = told

    def task(self, name: str) -> Any:
        return lambda act: act

    def worker_main(self, argv: list[str]) -> None:
        self.begun += 1
        assert self.begun < 4
        if self.begun == 3:
            self._told()


@pytest.mark.parametrize("by", ["SIGTERM", "SIGHUP"])
def test_a_celery_that_gives_up_is_started_again_and_the_worker_stays(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    signals, left = pytest.importorskip("celery.signals"), asyncio.Event()
    monkeypatch.setattr("celery.worker.state.should_stop", None)

    class Idle:
        async def leave(self) -> None:
            left.set()

        async def aclose(self) -> None:
            if by == "SIGTERM":
                await left.wait()

    async def open_worker() -> Any:
        return Idle()

    celery = GivesUp(
        partial(signals.worker_shutting_down.send, sender=None)
        if by == "SIGTERM"
        else partial(monkeypatch.setattr, "celery.worker.state.should_stop", 0)
    )
    monkeypatch.setattr("framework.workers.crew._application", lambda url: celery)
    monkeypatch.setattr("framework.workers.crew._PAUSE_S", 0.0)
    serve(Secret("redis://127.0.0.1:1/0"), open_worker, 1)
    assert celery.begun == 3


def test_a_socket_of_this_machine_carries_celerys_messages_to_the_same_redis(server: Redis) -> None:
    app = celery_app("calls", Secret(server.local_url), visibility_s=60)
    app.send_task("anything", ())
    app.close()
    with importlib.import_module("redis").Redis.from_url(server.local_url) as client:
        assert client.llen("calls") == 1


@pytest.mark.parametrize(
    ("address", "celerys"),
    [
        ("redis://:a%2Fb@host:6379/2", "redis://:a%2Fb@host:6379/2"),
        ("unix:///run/redis.sock", "redis+socket://:@/run/redis.sock?virtual_host=0"),
        ("unix://me:a%2Fb@/run/redis.sock?db=2", "redis+socket://me:a%2Fb@/run/redis.sock?virtual_host=2"),
        ("unix:///s?db=2&username=m%40e&password=a%2Fb", "redis+socket://m%40e:a%2Fb@/s?virtual_host=2"),
    ],
)
def test_celery_is_told_the_same_place_in_its_own_words(address: str, celerys: str) -> None:
    assert celery_address(Secret(address)) == celerys


async def test_two_processes_count_one_caller_together(server: Redis) -> None:
    one, other = (SharedRateLimiter("start", Rate(3, 3600.0), Secret(url)) for url in [server.local_url] * 2)
    assert [await one.take("me"), await other.take("me"), await one.take("me")] == [0.0, 0.0, 0.0]
    assert 0 < await other.take("me") <= 1200, "a third of an hour each"
    assert await other.take("you") == 0.0
    await one.aclose()
    await other.aclose()


async def test_a_redis_that_takes_and_does_not_answer_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("framework.rate._ANSWER_S", 0.05)

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(never, "127.0.0.1", 0) as silent:
        port = silent.sockets[0].getsockname()[1]
        limiter = SharedRateLimiter("start", Rate(1, 3600.0), Secret(f"redis://127.0.0.1:{port}/0"))
        assert await limiter.take("me") == 0.0
        assert await limiter.take("me") > 0
        await limiter.aclose()


async def test_without_redis_each_process_counts_for_itself(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with redis_server(tmp_path) as gone:
        if gone is None:
            pytest.skip(MISSING)
    limiter = SharedRateLimiter("start", Rate(1, 3600.0), Secret(gone.url))
    assert await limiter.take("me") == 0.0
    assert await limiter.take("me") > 0
    assert "counted by this process alone" in caplog.text
    await limiter.aclose()
