"""The formats on the wire: frames between supervisor and worker (two lengths, a small JSON head, and a body that is
passed on unread), and a child's records, each with the run's nonce. A program without the nonce cannot forge a record.

This module and what it uses import `_socket` and never `socket`: each loaded library slows every fork."""

from __future__ import annotations

import json
import os
import struct
from _socket import socket as Socket
from collections.abc import Callable
from functools import partial
from typing import Any

LENGTHS = struct.Struct("<II")
"""Sizes of a head and of what follows it."""
Head = dict[str, Any]


def frame_head(head: Head, body_size: int) -> bytes:
    """Returns the bytes that go before a body of `body_size` bytes."""
    encoded = json.dumps(head, separators=(",", ":")).encode("ascii")
    return LENGTHS.pack(len(encoded), body_size) + encoded


class ChannelClosed(EOFError):
    """The other side is gone."""


def read_exactly(descriptor: int, size: int) -> bytearray:
    """Reads exactly `size` bytes into a buffer of their own, which can be wiped. Raises ChannelClosed."""
    buffer = bytearray(size)
    view = memoryview(buffer)
    while view:
        count = os.readv(descriptor, [view])
        if count == 0:
            raise ChannelClosed
        view = view[count:]
    return buffer


class Channel:
    """Blocking frames over two descriptors, which may be the same socket."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink

    def receive(self) -> tuple[Head, int]:
        """Returns the head of the next frame and the size of its body, which must be read next. Raises
        ChannelClosed."""
        head_size, body_size = LENGTHS.unpack(read_exactly(self.source, LENGTHS.size))
        return json.loads(read_exactly(self.source, head_size)), body_size

    def send(self, head: Head, *parts: bytes | bytearray | memoryview, more: int = 0) -> None:
        """Writes one frame, whose last `more` bytes the caller sends afterwards. Raises ChannelClosed when nobody
        reads."""
        size = sum(map(len, parts)) + more
        views = [memoryview(frame_head(head, size)), *(memoryview(part) for part in parts if len(part))]
        try:
            while views:
                count = os.writev(self.sink, views)
                while views and count >= len(views[0]):
                    count -= len(views.pop(0))
                if views:
                    views[0] = views[0][count:]
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ChannelClosed from error

    def send_file(self, descriptor: int, size: int) -> None:
        """Writes `size` bytes of a file, which the kernel copies. A file that has shrunk is filled up with zeros, to
        keep the frame whole."""
        sent = 0
        while sent < size:
            count = os.sendfile(self.sink, descriptor, sent, size - sent)
            sent += count or os.write(self.sink, bytes(min(size - sent, 1 << 16)))


HEADER = struct.Struct("<IB16s")
"""Length of the body, kind, nonce."""
RECORD, STEP, END, GONE = 0, 1, 2, 3
"""RECORD: JSON. STEP: JSON that ends one step of the run (loading, a check, a call), so that the next one's time
begins. END: the process has reported everything and may be killed. GONE: JSON that says that the solution's process is
ending."""
PEAK = struct.Struct("<Q")
"""The body of END: the process's peak memory in KiB."""
_STEPS = frozenset(("collected", "check", "output"))
_PROGRAM = ("solution", "package", "module", "coverage")
"""What of a job is the program to run, and how."""

Record = dict[str, Any]


_chunks: Callable[[Record, int], tuple[str, ...]] = json.encoder.c_make_encoder(  # pyright: ignore
    None, json.JSONEncoder().default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True
)
"""Encodes JSON. `json.dumps` would look its encoder up in the module at each record, and a program may have replaced it
there to change the report."""


def encode(record: Record) -> str:
    return "".join(_chunks(record, 0))


class Emitter:
    """Sends one record at once when called, so that the outcome of a check is out before the next check's code
    begins."""

    def __init__(self, sock: Socket, nonce: bytes, job: Record, broker: Socket | None = None) -> None:
        self._sock = sock
        self._nonce = nonce
        if broker is not None:
            self.ask = partial(_ask, broker, {name: job.get(name) for name in _PROGRAM})
            """Has the program run as a script; exists only if a broker answers."""

    def __call__(self, record: Record) -> None:
        kind = GONE if record.get("ending") else RECORD if _STEPS.isdisjoint(record) else STEP
        self._send(kind, encode(record).encode("ascii"))

    def end(self, peak_kb: int) -> None:
        """Sends the last record of a process whose exit code is not needed."""
        self._send(END, PEAK.pack(peak_kb))

    def _send(self, kind: int, body: bytes) -> None:
        self._sock.sendall(HEADER.pack(len(body), kind, self._nonce) + body)

    def close(self) -> None:
        """Stops reporting. The process that serves the solution must not be able to report anything."""
        self._sock.close()


def _ask(broker: Socket, program: Record, request: Record) -> Record:
    """Returns the answer of the process that runs programs for tests; bytes travel as latin-1 text. Raises
    ChannelClosed when it is gone."""
    channel = Channel(broker.fileno(), broker.fileno())
    channel.send({**request, "program": program})
    return channel.receive()[0]
