"""The supervisor's connection to one worker process: starts it, exchanges frames over one socket, and ends it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from .backends import Backend
from .launch import Flavour, Place, first_words
from .types import SandboxBroken
from .worker.frames import frame_head

_LENGTHS = 8
"""Bytes that hold the two lengths at the beginning of a frame."""
_FAREWELL = 1.0
"""Seconds that a worker has to end by itself."""
_PATIENCE = {"bare": 20.0, "pytest": 40.0, "data": 120.0}
"""Seconds that a worker of each flavour may take to start on a loaded machine."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame from a worker."""

    head: dict[str, Any]
    body: bytes

    def parts(self) -> list[bytes]:
        """Cuts the body of a run's answer into stdout, stderr, the report, and each file that was left."""
        sizes = [*self.head["sizes"], *(size for _, size in self.head["artifacts"])]
        return [self.body[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]


class _Frames(asyncio.Protocol):
    """Cuts the stream from the worker into frames. One reply is awaited at a time."""

    def __init__(self) -> None:
        self.reply: asyncio.Future[Frame] | None = None
        self.closed = False
        self.tidy = asyncio.Event()
        """Cleared while the worker removes what a run left, after it has answered."""
        self.tidy.set()
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    @property
    def connected(self) -> bool:
        """Whether the event loop owns the socket."""
        return self._transport is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= _LENGTHS:
            head_size = int.from_bytes(self._buffer[:4], "little")
            end = _LENGTHS + head_size + int.from_bytes(self._buffer[4:8], "little")
            if len(self._buffer) < end:
                return
            head = json.loads(self._buffer[_LENGTHS : _LENGTHS + head_size])
            frame = Frame(head, bytes(self._buffer[_LENGTHS + head_size : end]))
            del self._buffer[:end]
            if "tidy" in head:
                self.tidy.set()
            elif self.reply is not None and not self.reply.done():
                if head.get("tidying"):
                    self.tidy.clear()
                self.reply.set_result(frame)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self.closed = True
        self.tidy.set()
        if self.reply is not None and not self.reply.done():
            self.reply.set_exception(SandboxBroken("a worker died"))

    def send(self, data: bytes) -> None:
        if self._transport is None or self.closed:
            raise SandboxBroken("a worker is gone")
        self._transport.write(data)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class Link:
    """A started worker. It takes one request at a time."""

    def __init__(self, group: ProcessGroup, frames: _Frames, flavour: Flavour, place: Place) -> None:
        self._group = group
        self._frames = frames
        self._ended: asyncio.Future[None] | None = None
        self.flavour = flavour
        self.place = place
        self.runs = 0
        self.walls: dict[str, bool] = {}

    @classmethod
    async def start(cls, backend: Backend, place: Place, flavour: Flavour, walls: tuple[str, ...]) -> Link:
        """Starts a worker and waits until it can run programs. Raises SandboxBroken."""
        group, sock = _spawn(backend, place)
        frames = _Frames()
        link = cls(group, frames, flavour, place)
        try:
            link._watch()
            await asyncio.get_running_loop().create_connection(lambda: frames, sock=sock)
            ready = await link._exchange([first_words(place, flavour, walls)], _PATIENCE[flavour])
        except BaseException as error:
            group.kill()
            if not frames.connected:
                sock.close()
            said = group.said()
            await link.stop()
            if isinstance(error, SandboxBroken) and said:
                raise SandboxBroken(f"{error}: {said}") from error
            raise
        group.came_up()
        link.walls = ready.head["walls"]
        return link

    def _watch(self) -> None:
        """Kills the worker's process group as soon as its first process ends, so that no process outlives it."""
        if self._group.exit_sign is not None:
            asyncio.get_running_loop().add_reader(self._group.exit_sign, self._first_ended)

    def _first_ended(self) -> None:
        self._unwatch()
        self._group.kill()

    def _unwatch(self) -> None:
        if self._group.exit_sign is not None:
            asyncio.get_running_loop().remove_reader(self._group.exit_sign)

    async def request(self, head: dict[str, Any], body: bytes, patience: float) -> Frame:
        """Sends a run and waits for its reply. Raises SandboxBroken when the worker dies, or is silent for `patience`
        seconds."""
        self.runs += 1
        return await self._exchange([frame_head(head, len(body)), body], patience)

    async def _exchange(self, parts: list[bytes], patience: float) -> Frame:
        reply: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        reply.add_done_callback(_retrieve_error)
        self._frames.reply = reply
        self._frames.send(b"".join(parts))
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(reply)
        except TimeoutError:
            raise SandboxBroken("a worker does not answer") from None

    async def cancel(self) -> bool:
        """Ends the run in progress at once. Returns whether the worker can take another run."""
        reply = self._frames.reply
        try:
            self._frames.send(frame_head({"op": "cancel"}, 0))
            async with asyncio.timeout(1.0):
                if reply is not None:
                    await asyncio.shield(reply)
        except (TimeoutError, SandboxBroken):
            return False
        return True

    @property
    def tidy(self) -> bool:
        """Whether the worker could start a run at once; False while it removes what the last one left."""
        return self._frames.tidy.is_set()

    async def until_tidy(self) -> None:
        """Waits until the worker could start a run, or is gone."""
        await self._frames.tidy.wait()

    @property
    def pid(self) -> int:
        return self._group.pid

    @property
    def alive(self) -> bool:
        return not self._frames.closed

    async def stop(self) -> None:
        """Ends the worker. It ends its children and exits when its socket closes, and is killed if it does not. The
        worker is ended even if the caller is cancelled while waiting."""
        if self._ended is None:
            self._unwatch()
            self._frames.close()
            self._ended = asyncio.ensure_future(asyncio.to_thread(self._group.end, _FAREWELL))
        await asyncio.shield(self._ended)


def _retrieve_error(reply: asyncio.Future[Frame]) -> None:
    """Marks the exception of an abandoned reply as seen: when a worker dies after a cancelled run, nobody awaits the
    reply."""
    if not reply.cancelled():
        reply.exception()


def _spawn(backend: Backend, place: Place) -> tuple[ProcessGroup, socket.socket]:
    """Starts the worker's process and returns it with our end of its socket, without waiting. Raises SandboxBroken."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            os.mkdir(place.root, mode=0o700)
            os.makedirs(place.cache, mode=0o700, exist_ok=True)
            group = ProcessGroup(backend.command(place), theirs, place.environment, place.root)
        except OSError as error:
            ours.close()
            raise SandboxBroken(f"a worker cannot be started: {error}") from error
    ours.setblocking(False)
    return group, ours


_SAID_BYTES = 2000
"""Bytes of a worker's stderr that are read when it did not come up."""


class ProcessGroup:
    """One started process and its descendants in the same process group.

    Killing the first process alone would not be enough: the child that bubblewrap forks asks the kernel only later to
    die with its parent, and before that it would wait for ever. The kernel signals a group as a whole, including a
    process that is being forked at that moment."""

    def __init__(
        self, command: Sequence[str], channel: socket.socket, environment: Mapping[str, str], folder: str
    ) -> None:
        """Starts `command` with `channel` as its stdin and stdout. Raises OSError."""
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - lives until the process has come up
        try:
            streams: dict[str, Any] = {"stdin": channel.fileno(), "stdout": channel.fileno(), "stderr": self._said}
            self._first = subprocess.Popen(command, **streams, env=environment, cwd=folder, start_new_session=True)
        except BaseException:
            self._said.close()
            raise
        self.exit_sign = _exit_sign(self._first.pid)
        """Descriptor that becomes readable when the first process has ended; None on systems without pidfd."""
        self._close_sign = None if self.exit_sign is None else weakref.finalize(self, os.close, self.exit_sign)

    @property
    def pid(self) -> int:
        """The id of the first process."""
        return self._first.pid

    def said(self) -> str:
        """Returns the last words on stderr as one line, for a process that did not come up."""
        if self._said.closed:
            return ""
        self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, self._said.tell() - _SAID_BYTES))
        return " ".join(self._said.read().decode("utf-8", "replace").split())

    def came_up(self) -> None:
        """Stops listening to stderr once the process is up: closes this end, while the process keeps its own."""
        self._said.close()

    def kill(self) -> None:
        """Kills every process of the group."""
        # Until the first process is reaped, no other process can get its number.
        if self._first.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._first.pid, signal.SIGKILL)

    def end(self, patience: float) -> None:
        """Waits up to `patience` seconds for the first process to exit, kills what is left of the group, and reaps.
        Blocks."""
        if self.exit_sign is not None:
            poll = select.poll()
            poll.register(self.exit_sign, select.POLLIN)
            poll.poll(patience * 1000)
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._first.wait(patience)
        self.kill()
        self._first.wait()
        self._said.close()
        if self._close_sign is not None:
            self._close_sign()
            self.exit_sign = None


def _exit_sign(pid: int) -> int | None:
    if not hasattr(os, "pidfd_open"):
        return None
    with contextlib.suppress(OSError):
        return os.pidfd_open(pid)
    return None
