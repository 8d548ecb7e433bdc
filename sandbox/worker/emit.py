"""How the child reports: records with the run's nonce over the one descriptor that only the reporting process holds."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from typing import Any

from .sockets import Socket

HEADER = struct.Struct("<IB16s")
"""Length of the JSON, kind, nonce."""
RECORD, ASK, END = 0, 1, 2
"""END: the process has said everything and may be killed; holds its peak memory in KiB."""
_KEEP_BYTES = 1 << 15
_KEEP_SECONDS = 0.005
_LENGTH = struct.Struct("<I")

Record = dict[str, Any]


def _unknown(value: object) -> str:
    raise TypeError(f"{type(value).__name__} in a record")


_encode: Callable[[Record, int], tuple[str, ...]] = json.encoder.c_make_encoder(  # pyright: ignore
    None, _unknown, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True
)
"""The encoder that json.dumps would build anew for each record, touching memory that a fresh child has to copy."""


class Emit:
    """Callable that sends one record; records are held back for some milliseconds to spare system calls."""

    def __init__(self, sock: Socket, nonce: bytes, program: Record) -> None:
        self._sock = sock
        self._nonce = nonce
        self._program = program
        self._held = bytearray()
        self._flushed = time.monotonic()

    def __call__(self, record: Record) -> None:
        self._add(RECORD, record)
        late = time.monotonic() - self._flushed > _KEEP_SECONDS
        if late or "done" in record or len(self._held) > _KEEP_BYTES:
            self.flush()

    def end(self, peak_kb: int) -> None:
        """The last word of a process whose exit code nobody needs."""
        self._add(END, {"peak_kb": peak_kb})
        self.flush()

    def _add(self, kind: int, record: Record) -> None:
        text = "".join(_encode(record, 0)).encode("ascii")
        self._held += HEADER.pack(len(text), kind, self._nonce) + text

    def flush(self) -> None:
        if self._held:
            held, self._held = self._held, bytearray()
            self._sock.sendall(held)
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Give up reporting: the process that serves the solution has no part in the verdict."""
        self._sock.close()
        self._held = bytearray()

    def ask(self, request: Record) -> Record:
        """Have the worker run the program as a script; waits for its outcome."""
        self._add(ASK, {**request, "program": self._program})
        self.flush()
        (size,) = _LENGTH.unpack(self._receive(_LENGTH.size))
        return json.loads(self._receive(size))

    def _receive(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._sock.recv(size - len(parts))
            if not part:
                raise EOFError("the sandbox ended")
            parts += part
        return bytes(parts)
