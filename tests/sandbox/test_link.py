"""What the supervisor makes of a worker's words, of its silence and of its end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import struct
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from sandbox import SandboxBroken
from sandbox.launch import Place
from sandbox.link import Frame, Link, ProcessGroup, _Frames  # pyright: ignore[reportPrivateUsage]
from tests.sandbox.conftest import until

pytestmark = pytest.mark.asyncio


def framed(head: dict[str, Any], body: bytes = b"") -> bytes:
    text = json.dumps(head).encode()
    return struct.pack("<II", len(text), len(body)) + text + body


class Group:
    """A worker's processes, which are only there."""

    pid, exit_sign = 77, None

    def __init__(self) -> None:
        self.ends: list[float] = []

    def end(self, patience: float) -> None:
        self.ends.append(patience)


class Talk:
    """A link, and the worker's end of its socket."""

    def __init__(self, link: Link, group: Group, frames: _Frames, theirs: socket.socket) -> None:
        self.link, self.group, self.frames, self.theirs = link, group, frames, theirs

    async def heard(self) -> dict[str, Any]:
        """The head of the next frame to the worker."""
        loop = asyncio.get_running_loop()
        sizes = await loop.sock_recv(self.theirs, 8)
        head, body = struct.unpack("<II", sizes)
        return json.loads((await loop.sock_recv(self.theirs, head + body))[:head])


@pytest_asyncio.fixture
async def talk() -> AsyncGenerator[Talk]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    frames, group = _Frames(), Group()
    await asyncio.get_running_loop().create_connection(lambda: frames, sock=ours)
    made: Any = group
    with theirs:
        yield Talk(Link(made, frames, "bare", Place("/nowhere", "/nowhere")), group, frames, theirs)
    frames.close()


async def test_an_answer_is_cut_into_what_was_printed_reported_and_left() -> None:
    frame = Frame({"sizes": [2, 0, 3], "artifacts": [["a", 1], ["b", 4]]}, b"oorrrabbbb")
    assert frame.parts() == [b"oo", b"", b"rrr", b"a", b"bbbb"]


async def test_a_request_is_answered_however_the_answer_comes(talk: Talk) -> None:
    for size in (1, 7, 10_000):
        asked = asyncio.ensure_future(talk.link.request({"op": "run"}, b"body", 30))
        assert await talk.heard() == {"op": "run"}
        told = framed({"cause": "done"}, b"x" * 300)
        for at in range(0, len(told), size):
            await asyncio.get_running_loop().sock_sendall(talk.theirs, told[at : at + size])
            await asyncio.sleep(0)
        frame = await asked
        assert (frame.head, frame.body) == ({"cause": "done"}, b"x" * 300)
    assert talk.link.runs == 3
    talk.frames.data_received(framed({"cause": "nobody asked"}))


async def test_a_worker_is_tidy_but_between_its_answer_and_its_word(talk: Talk) -> None:
    assert talk.link.tidy
    asked = asyncio.ensure_future(talk.link.request({"op": "run"}, b"", 30))
    await talk.heard()
    talk.frames.data_received(framed({"cause": "done", "tidying": True}))
    assert ((await asked).head["cause"], talk.link.tidy) == ("done", False)
    waits = asyncio.ensure_future(talk.link.until_tidy())
    await asyncio.sleep(0)
    assert not waits.done()
    talk.frames.data_received(framed({"tidy": True}))
    await waits
    assert talk.link.tidy


async def test_a_worker_that_dies_breaks_the_run_and_takes_no_other(talk: Talk) -> None:
    asked = asyncio.ensure_future(talk.link.request({"op": "run"}, b"", 30))
    await talk.heard()
    talk.frames.tidy.clear()
    talk.theirs.close()
    with pytest.raises(SandboxBroken, match="a worker died"):
        await asked
    assert (talk.link.alive, talk.link.tidy) == (False, True)
    with pytest.raises(SandboxBroken, match="a worker is gone"):
        await talk.link.request({"op": "run"}, b"", 30)
    assert await talk.link.cancel() is False


async def test_a_worker_that_does_not_answer_breaks_the_run(talk: Talk) -> None:
    with pytest.raises(SandboxBroken, match="does not answer"):
        await talk.link.request({"op": "run"}, b"", 0.0)
    assert talk.link.alive
    with pytest.raises(SandboxBroken, match="a worker is gone"):
        _Frames().send(b"")


async def test_a_run_is_cancelled_where_its_worker_answers(talk: Talk) -> None:
    asked = asyncio.ensure_future(talk.link.request({"op": "run"}, b"", 30))
    await talk.heard()
    asked.cancel()
    cancelled = asyncio.ensure_future(talk.link.cancel())
    assert await talk.heard() == {"op": "cancel"}
    talk.frames.data_received(framed({"cause": "cancelled"}))
    assert await cancelled is True


async def test_a_worker_is_ended_once_whoever_asks_and_whoever_waits(talk: Talk) -> None:
    first = asyncio.ensure_future(talk.link.stop())
    await asyncio.sleep(0)
    first.cancel()
    await talk.link.stop()
    await talk.link.stop()
    assert (len(talk.group.ends), talk.link.pid) == (1, 77)
    assert await asyncio.get_running_loop().sock_recv(talk.theirs, 1) == b"", "it hears of it"


async def test_a_worker_that_is_ended_is_no_more_watched(talk: Talk) -> None:
    reading, writing = os.pipe()
    group: Any = talk.group
    group.exit_sign = reading
    talk.link._watch()  # pyright: ignore[reportPrivateUsage]
    await talk.link.stop()
    assert not asyncio.get_running_loop().remove_reader(reading)
    os.close(reading)
    os.close(writing)


async def test_the_end_of_the_first_process_ends_the_others_and_is_then_no_more_watched(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: dict[int, Callable[[], None]] = {}
    loop: Any = SimpleNamespace(add_reader=watched.__setitem__, remove_reader=watched.pop)
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: loop)
    killed: list[str] = []
    group: Any = talk.group
    group.exit_sign, group.kill = 5, lambda: killed.append("all")
    talk.link._watch()  # pyright: ignore[reportPrivateUsage]
    watched[5]()
    assert (watched, killed) == ({}, ["all"])


def state_of(pid: int) -> str:
    """The letter of a process's state; "" once it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


@pytest.mark.slow
class TestProcesses:
    """Of a group of processes."""

    def start(self, script: str) -> ProcessGroup:
        self.ours, theirs = socket.socketpair()
        with theirs:
            return ProcessGroup(["/bin/sh", "-c", script], theirs, {}, "/")

    def read(self) -> bytes:
        with self.ours:
            return self.ours.recv(100)

    async def test_their_last_words_are_one_line_of_bounded_length(self) -> None:
        group = self.start("yes line | head -n 9999 >&2; printf 'the\\n  \\377last ' >&2")
        group._first.wait()  # pyright: ignore[reportPrivateUsage]
        said = group.said()
        assert said.endswith("line the \ufffdlast"), "whatever bytes they are"
        assert len(said) <= 2000
        group.end(30)
        assert (group.said(), group.exit_sign) == ("", None)

    async def test_one_that_came_up_is_not_listened_to(self) -> None:
        group = self.start("echo up; exec sleep 99")
        assert self.read() == b"up\n"
        group.came_up()
        assert group.said() == ""
        group.kill()
        group.end(0)

    async def test_none_is_left(self) -> None:
        group = self.start("sleep 99 & echo $!; trap '' TERM; while :; do sleep 1; done")
        other = int(self.read())
        group.end(0)
        assert group._first.returncode == -signal.SIGKILL  # pyright: ignore[reportPrivateUsage]
        group.kill()  # nobody else may have its number now
        await until(lambda: state_of(other) in ("Z", ""))
