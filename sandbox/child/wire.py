"""Whole messages over a stream socket: a length, then JSON; nothing that arrives can be more than data."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, cast

MESSAGE_LIMIT = 32 << 20
_CHUNK = 1 << 16
_DEPTH = 10_000
_LONG = 1000
"""Bytes below which no message is nested deep."""
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_decode: Any = cast(Any, json.JSONDecoder()).scan_once


class _Deep:
    """Raises the recursion limit while values are taken apart or put together: they may be nested deeper than calls."""

    def __init__(self) -> None:
        self._before: list[int] = []

    def __enter__(self) -> None:
        self._before.append(sys.getrecursionlimit())
        sys.setrecursionlimit(max(_DEPTH, self._before[-1]))

    def __exit__(self, *_: object) -> None:
        sys.setrecursionlimit(self._before.pop())


DEEP = _Deep()


class LinkLost(Exception):
    """The other side is gone, or what it sends cannot be read."""


class Wire:
    """One end of the socket between the solution's process and the tests'."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.deep = False
        """The message received last may be nested deep."""
        self._rest = b""

    def send(self, message: object) -> None:
        """Raises LinkLost; ValueError or RecursionError, with nothing sent, for what JSON cannot take."""
        body = _encode(message).encode("ascii")
        if len(body) > MESSAGE_LIMIT:
            raise ValueError(f"a message of {len(body) >> 20} MB is too large to cross")
        data = len(body).to_bytes(4, "big") + body
        try:
            sent = os.write(self.descriptor, data)
            waiting = memoryview(data)[sent:]
            while waiting:
                waiting = waiting[os.write(self.descriptor, waiting) :]
        except OSError as problem:
            raise LinkLost("the other process has ended") from problem

    def receive(self) -> Any:
        """Raises LinkLost."""
        head = self._take(4)
        size = int.from_bytes(head, "big")
        if size > MESSAGE_LIMIT:
            raise LinkLost("a message larger than the limit")
        data = self._take(size)
        self.deep = size > _LONG
        try:
            if not self.deep:
                return _decode(data.decode("ascii"), 0)[0]
            with DEEP:
                return _decode(data.decode("ascii"), 0)[0]
        except (ValueError, StopIteration, RecursionError) as problem:
            raise LinkLost("an unreadable message") from problem

    def _take(self, size: int) -> bytes:
        data = self._rest
        if len(data) < size:
            parts = [data]
            missing = size - len(data)
            while missing > 0:
                part = self._read(max(_CHUNK, missing))
                parts.append(part)
                missing -= len(part)
            data = b"".join(parts)
        self._rest = data[size:]
        return data[:size]

    def _read(self, size: int) -> bytes:
        try:
            part = os.read(self.descriptor, size)
        except OSError as problem:
            raise LinkLost("the other process has ended") from problem
        if not part:
            raise LinkLost("the other process has ended")
        return part
