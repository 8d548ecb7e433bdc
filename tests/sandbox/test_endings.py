"""How the worker learns that the solution's process ends by itself, and for what it does not wait."""

from __future__ import annotations

import os
import signal
from _socket import socketpair
from typing import Any

import pytest

from sandbox.child.proxy.wire import ENDED, LinkLost, Wire
from sandbox.worker.frames import GONE, HEADER, RECORD, Emitter
from sandbox.worker.spare import Spare
from sandbox.worker.watch import ended_by_itself

NONCE = b"n" * 16


@pytest.mark.parametrize(("said", "ends"), [(b"", True), (b"\0\0", True), (b"\xff" * 64, False), (b"\0\0\0\1{", False)])
def test_only_a_link_that_falls_silent_tells_that_the_other_process_ends(said: bytes, ends: bool) -> None:
    ours, theirs = socketpair()
    os.write(theirs.fileno(), said)
    theirs.close()
    with pytest.raises(LinkLost) as lost:
        Wire(ours.fileno()).receive()
    assert (str(lost.value) == ENDED) is ends


@pytest.mark.parametrize(("ending", "kind"), [(True, GONE), (False, RECORD)])
def test_the_worker_is_told_apart_what_it_has_to_wait_for(ending: bool, kind: int) -> None:
    ours, theirs = socketpair()
    Emitter(theirs, NONCE, {})({"gone": "why", "ending": ending})
    assert HEADER.unpack_from(ours.recv(100))[1] == kind


@pytest.mark.parametrize(
    ("leave", "patience", "told"),
    [
        (lambda: os._exit(5), 30.0, True),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), 30.0, True),
        (signal.pause, 0.001, False),
    ],
)
def test_a_process_that_seems_to_end_and_does_not_is_killed(leave: Any, patience: float, told: bool) -> None:
    ours, theirs = socketpair()
    pid = os.fork()
    if not pid:
        leave()
    ours.close()
    ended = Spare(pid, os.pidfd_open(pid), theirs, -1, -1)
    assert ended_by_itself(ended, patience) is told
    assert ended.status is not None
