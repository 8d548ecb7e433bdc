"""Frames between supervisor and worker: two lengths, a small JSON head, and a body that is passed on unread."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

_LENGTHS = struct.Struct("<II")
Head = dict[str, Any]


def frame_head(head: Head, body_size: int) -> bytes:
    """The bytes that go before a body of `body_size` bytes."""
    encoded = json.dumps(head, separators=(",", ":")).encode("ascii")
    return _LENGTHS.pack(len(encoded), body_size) + encoded


class ChannelClosed(Exception):
    """The other side is gone."""


class Channel:
    """Blocking frames over two descriptors (which may be the same socket)."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink

    def receive(self) -> tuple[Head, int]:
        """Head of the next frame and the size of its body, which must be read next. Raises ChannelClosed."""
        head_size, body_size = _LENGTHS.unpack(self.read(_LENGTHS.size))
        return json.loads(self.read(head_size)), body_size

    def read(self, size: int) -> bytearray:
        """So many bytes, in a buffer of their own, so that it can be wiped. Raises ChannelClosed."""
        buffer = bytearray(size)
        view = memoryview(buffer)
        while view:
            count = os.readv(self.source, [view])
            if count == 0:
                raise ChannelClosed
            view = view[count:]
        return buffer

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
