"""The socket between the solution's process and the tests'. Whole messages go over it, each a length and then JSON, so
that what arrives can be nothing but data."""

from __future__ import annotations

import json
import os
import sys
from _json import encode_basestring_ascii, make_encoder  # pyright: ignore
from typing import Any, cast

Message = list[Any]
MESSAGE_LIMIT = 32 << 20
"""The most bytes of one message."""
_CHUNK = 1 << 16
"""Bytes that are read from the socket at once."""
_DEPTH = 10_000
"""The recursion limit while values are encoded and decoded."""
_LONG = 1000
"""Messages shorter than this many bytes are not nested deep."""
_default = json.JSONEncoder().default
_encode: Any = make_encoder(None, _default, encode_basestring_ascii, None, ":", ",", False, False, True)
_decode: Any = cast(Any, json.JSONDecoder()).scan_once
"""Both run in C, so that nothing that a program replaces in the classes of `json` reaches them."""


class _Deep:
    """Raises the recursion limit while values are taken apart or put together, because they may be nested deeper than
    calls."""

    def __init__(self) -> None:
        self._before: list[int] = []

    def __enter__(self) -> None:
        self._before.append(sys.getrecursionlimit())
        sys.setrecursionlimit(max(_DEPTH, self._before[-1]))

    def __exit__(self, *_: object) -> None:
        sys.setrecursionlimit(self._before.pop())


DEEP = _Deep()
ENDED = "the other process has ended"
"""Why a link is lost where nothing comes from the other end any more."""


class LinkLost(Exception):
    """Raised if the other side is gone, or if what it sends cannot be read."""


class Wire:
    """One end of the socket between the solution's process and the tests'."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.deep = False
        """Whether the message received last may be nested deep."""
        self._rest = b""

    def send(self, message: object) -> None:
        """Sends a message. Raises LinkLost, or ValueError or RecursionError, with nothing sent, if JSON cannot take
        it."""
        body = "".join(_encode(message, 0)).encode("ascii")
        if len(body) > MESSAGE_LIMIT:
            raise ValueError(f"a message of {len(body) >> 20} MB is too large to cross")
        data = len(body).to_bytes(4, "big") + body
        try:
            sent = os.write(self.descriptor, data)
            waiting = memoryview(data)[sent:]
            while waiting:
                waiting = waiting[os.write(self.descriptor, waiting) :]
        except OSError as problem:
            raise LinkLost(ENDED) from problem

    def receive(self) -> Any:
        """Returns the next message. Raises LinkLost."""
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
            raise LinkLost(ENDED) from problem
        if not part:
            raise LinkLost(ENDED)
        return part
