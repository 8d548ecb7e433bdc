"""A process with all that it starts: begun in a session of its own, told apart from the app's, and ended as one."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import tempfile
import weakref
from collections.abc import Mapping, Sequence

_SAID_BYTES = 2000


class Group:
    """One started process and whatever it forks that stays in its process group.

    Killing the first process alone is not enough: bubblewrap forks a child that asks to die with its parent only later,
    and that would wait for ever. The kernel signals a group as a whole, also what is being forked at that moment.
    """

    def __init__(
        self, command: Sequence[str], channel: socket.socket, environment: Mapping[str, str], folder: str
    ) -> None:
        """Start `command` with `channel` as its stdin and stdout. Raises OSError."""
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - lives until the process has come up
        try:
            self._first = subprocess.Popen(
                command,
                stdin=channel.fileno(),
                stdout=channel.fileno(),
                stderr=self._said,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
        except BaseException:
            self._said.close()
            raise
        self.exit_sign = _exit_sign(self._first.pid)
        """Descriptor that becomes readable when the first process has ended; None where the system has none."""
        self._close_sign = None if self.exit_sign is None else weakref.finalize(self, os.close, self.exit_sign)

    @property
    def pid(self) -> int:
        """The first process."""
        return self._first.pid

    def said(self) -> str:
        """The last words on stderr, in one line; for a process that did not come up."""
        if self._said.closed:
            return ""
        self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, self._said.tell() - _SAID_BYTES))
        return " ".join(self._said.read().decode("utf-8", "replace").split())

    def came_up(self) -> None:
        """What is said from now on is nobody's business: the process keeps its descriptor, this one is closed."""
        self._said.close()

    def kill(self) -> None:
        """Kill every process of the group."""
        # As long as the first process is not reaped, no stranger can have its number.
        if self._first.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._first.pid, signal.SIGKILL)

    def end(self, patience: float) -> None:
        """Wait so many seconds for the first process to leave by itself, kill what is left then, and reap. Blocks."""
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
