"""Frames and records as they come out of a socket, and what the worker makes of a child's records."""

from __future__ import annotations

import json
import os
import struct
import threading
from _socket import socketpair
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox.worker.frames import (
    END,
    GONE,
    HEADER,
    PEAK,
    RECORD,
    STEP,
    Channel,
    ChannelClosed,
    Emitter,
    frame_head,
    read_exactly,
)
from sandbox.worker.watch import Capture, NamedMemory, Watch, spill

NONCE = b"n" * 16


@pytest.fixture
def ends() -> Iterator[tuple[Any, Any]]:
    ours, theirs = socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def test_a_frame_is_a_head_and_a_body_that_is_read_next(ends: tuple[Any, Any]) -> None:
    ours, theirs = ends
    there, here = (Channel(end.fileno(), end.fileno()) for end in ends)
    body = [b"a" * 300_000, b"", bytearray(b"bc"), memoryview(b"d")]
    sender = threading.Thread(target=lambda: (there.send({"é": 1}, *body, more=2), os.write(ours.fileno(), b"ef")))
    sender.start()
    head, size = here.receive()
    assert (head, size) == ({"é": 1}, 300_005)
    assert read_exactly(theirs.fileno(), size) == b"a" * 300_000 + b"bcdef"
    sender.join()
    assert frame_head({"a": 1}, 5) == struct.pack("<II", 7, 5) + b'{"a":1}'
    theirs.close()
    with pytest.raises(ChannelClosed):
        there.send({}, b"x" * 100_000)
    with pytest.raises(ChannelClosed):
        there.receive()


@pytest.mark.parametrize(("given", "size", "sent"), [(b"abc", 3, b"abc"), (b"abcd", 2, b"ab"), (b"a", 3, b"a\0\0")])
def test_a_file_is_sent_in_its_announced_size(
    ends: tuple[Any, Any], tmp_path: Path, given: bytes, size: int, sent: bytes
) -> None:
    (tmp_path / "f").write_bytes(given)
    with (tmp_path / "f").open("rb") as file:
        Channel(-1, ends[0].fileno()).send_file(file.fileno(), size)
    assert ends[1].recv(100) == sent


def test_records_carry_the_nonce_and_say_whether_a_step_is_over(ends: tuple[Any, Any]) -> None:
    ours, theirs = ends
    emit = Emitter(theirs, NONCE, {})
    assert not hasattr(emit, "ask")
    records: list[tuple[dict[str, Any], int]] = [
        ({"check": "é", "status": "pass"}, STEP), ({"collected": []}, STEP), ({"output": [0, "value", "1"]}, STEP),
        ({"limit": ["", "x"]}, RECORD), ({"gone": "x", "ending": True}, GONE), ({"gone": "x", "ending": False}, RECORD),
    ]  # fmt: skip
    for record, kind in records:
        emit(record)
        size, told, nonce = HEADER.unpack(read_exactly(ours.fileno(), HEADER.size))
        assert (told, nonce, json.loads(read_exactly(ours.fileno(), size))) == (kind, NONCE, record)
    emit.end(77)
    size, told, _ = HEADER.unpack(read_exactly(ours.fileno(), HEADER.size))
    assert (told, PEAK.unpack(read_exactly(ours.fileno(), size))) == (END, (77,))
    emit.close()
    assert ours.recv(1) == b""


def test_a_test_asks_for_a_run_of_the_program_and_of_nothing_else(ends: tuple[Any, Any]) -> None:
    ours, theirs = ends
    job: dict[str, Any] = {"solution": "x", "package": {}, "module": "m", "coverage": True, "tests": "secret"}
    emit: Any = Emitter(theirs, NONCE, job, theirs)
    channel = Channel(ours.fileno(), ours.fileno())
    channel.send({"stdout": "\udcff é"})
    assert emit.ask({"argv": []}) == {"stdout": "\udcff é"}
    del job["tests"]
    assert channel.receive() == ({"argv": [], "program": job}, 0)
    theirs.close()
    with pytest.raises(ChannelClosed):
        channel.receive()


def framed(kind: int, body: bytes = b"{}", nonce: bytes = NONCE) -> bytes:
    return HEADER.pack(len(body), kind, nonce) + body


DONE = framed(END, PEAK.pack(77))


TOLD: list[tuple[bytes, tuple[str, int, bool, int]]] = [
    (b"", ("", 0, False, 0)), (framed(RECORD), ("", 0, False, 0)), (framed(STEP) * 2, ("", 2, False, 0)),
    (framed(GONE), ("", 0, True, 0)), (framed(STEP) + DONE, ("done", 1, False, 77)),
    (framed(STEP)[:-1], ("", 0, False, 0)), (framed(STEP) + framed(STEP)[:9], ("", 1, False, 0)),
    (framed(STEP, nonce=bytes(16)), ("forged", 0, False, 0)), (framed(STEP) + framed(9), ("forged", 1, False, 0)),
    (framed(END, b"123"), ("forged", 0, False, 0)), (framed(RECORD)[:-1] + b"?", ("", 0, False, 0)),
]  # fmt: skip
"""What a child wrote, and what the worker makes of it: why the run ends, how many steps are over, whether the
solution's process is ending, and the peak memory."""


@pytest.mark.parametrize(("told", "seen"), TOLD)
@pytest.mark.parametrize("size", [1, 1000])
def test_the_worker_counts_records_and_believes_only_its_nonce(
    ends: tuple[Any, Any], told: bytes, seen: tuple[str, int, bool, int], size: int
) -> None:
    ours, theirs = ends
    ours.setblocking(False)
    memory, counted = NamedMemory(), list[int]()
    child: Any = SimpleNamespace(out=-1, err=-1, sock=ours)
    clock: Any = SimpleNamespace(next=lambda: counted.append(1))
    watch: Any = Watch(memory, child, None, 100, NONCE, clock)
    for at in range(0, len(told), size):
        theirs.send(told[at : at + size])
        watch.report.pull()
        watch._read_report()
    assert (watch.cause, len(counted), watch._gone, watch.said_peak_kb) == seen


def test_what_does_not_fit_is_read_and_dropped_and_all_is_wiped() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    memory = NamedMemory()
    capture = Capture(reading, memory.area("out", 5), spill(memory))
    assert capture.pull() is None
    os.write(writing, b"abc")
    assert (capture.pull(), bytes(capture.bytes()), capture.truncated) == (3, b"abc", False)
    os.write(writing, b"defgh")
    capture.drain()
    assert (bytes(capture.bytes()), capture.truncated) == (b"abcde", True)
    os.close(writing)
    assert capture.pull() == 0
    capture.wipe()
    assert bytes(memory.area("out", 5)) == bytes(5)
    assert not any(memory.area("spill", 9))
    assert len(memory.area("out", 9000)) == 9000
    os.close(reading)
