"""What travels: frames between supervisor and worker (two lengths, a small JSON head, and a body that is passed on
unread), and a child's records, each with the run's nonce, over a descriptor that only the reporting process holds.

Nothing here or behind it imports `socket`, but `_socket`: each loaded library slows every fork."""

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
    """The bytes that go before a body of `body_size` bytes."""
    encoded = json.dumps(head, separators=(",", ":")).encode("ascii")
    return LENGTHS.pack(len(encoded), body_size) + encoded


class ChannelClosed(EOFError):
    """The other side is gone."""


def read_exactly(descriptor: int, size: int) -> bytearray:
    """So many bytes, in a buffer of their own, so that it can be wiped. Raises ChannelClosed."""
    buffer = bytearray(size)
    view = memoryview(buffer)
    while view:
        count = os.readv(descriptor, [view])
        if count == 0:
            raise ChannelClosed
        view = view[count:]
    return buffer


class Channel:
    """Blocking frames over two descriptors (which may be the same socket)."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink

    def receive(self) -> tuple[Head, int]:
        """Head of the next frame and the size of its body, which must be read next. Raises ChannelClosed."""
        head_size, body_size = LENGTHS.unpack(read_exactly(self.source, LENGTHS.size))
        return json.loads(read_exactly(self.source, head_size)), body_size

    def send(self, head: Head, *parts: bytes | bytearray | memoryview, more: int = 0) -> None:
        """Write one frame, whose last `more` bytes are sent afterwards. Raises ChannelClosed when nobody reads."""
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
        """Write so many bytes of a file, which the kernel copies; a file that has shrunk is filled up with zeros."""
        sent = 0
        while sent < size:
            count = os.sendfile(self.sink, descriptor, sent, size - sent)
            sent += count or os.write(self.sink, bytes(min(size - sent, 1 << 16)))


HEADER = struct.Struct("<IB16s")
"""Length of the body, kind, nonce."""
RECORD, STEP, END, GONE = 0, 1, 2, 3
"""RECORD: JSON. STEP: JSON that ends one step of the run (loading, a check, a call), so the next one's time begins.
END: it has said everything and may be killed. GONE: JSON that tells that the solution's process is ending."""
PEAK = struct.Struct("<Q")
"""Body of END: the process's peak memory in KiB."""
_STEPS = frozenset(("collected", "check", "output"))
_LENGTH = struct.Struct("<I")

Record = dict[str, Any]


_chunks: Callable[[Record, int], tuple[str, ...]] = json.encoder.c_make_encoder(  # pyright: ignore
    None, json.JSONEncoder().default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True
)
"""The encoder that json.dumps would look for in its module at each record, where a program may have put its own."""


def encode(record: Record) -> str:
    return "".join(_chunks(record, 0))


class Emitter:
    """Callable that sends one record at once: what a check came to is out before the next check's code begins."""

    def __init__(self, sock: Socket, nonce: bytes, program: Record, broker: Socket | None = None) -> None:
        self._sock = sock
        self._nonce = nonce
        if broker is not None:
            self.ask = partial(_ask, broker, program)
            """Has the program run as a script; exists only where somebody answers."""

    def __call__(self, record: Record) -> None:
        kind = GONE if "gone" in record else RECORD if _STEPS.isdisjoint(record) else STEP
        self._send(kind, encode(record).encode("ascii"))

    def end(self, peak_kb: int) -> None:
        """The last word of a process whose exit code nobody needs."""
        self._send(END, PEAK.pack(peak_kb))

    def _send(self, kind: int, body: bytes) -> None:
        self._sock.sendall(HEADER.pack(len(body), kind, self._nonce) + body)

    def close(self) -> None:
        """Give up reporting: the process that serves the solution has no part in the verdict."""
        self._sock.close()


def _ask(broker: Socket, program: Record, request: Record) -> Record:
    send_message(broker, {**request, "program": program})
    return receive_message(broker)


def send_message(sock: Socket, message: Record) -> None:
    """One length and one JSON object, between a test and the process that runs programs for it. Bytes are in it as text
    of as many letters (latin-1)."""
    encoded = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    sock.sendall(_LENGTH.pack(len(encoded)) + encoded)


def receive_message(sock: Socket) -> Record:
    """Raises ChannelClosed when the other side is gone, ValueError for what is no JSON."""
    (size,) = _LENGTH.unpack(read_exactly(sock.fileno(), _LENGTH.size))
    return json.loads(read_exactly(sock.fileno(), size))
