"""Sends what a program left behind without ever holding it: no later run is forked from memory that saw it.

A forked process reads the names and lets the kernel copy the files' bytes into the channel; then it ends.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .channel import Channel, ChannelClosed, Head

if TYPE_CHECKING:
    from .runner import Outcome


def send_outcome(channel: Channel, head: Head, outcome: Outcome) -> None:
    """Answer for a finished run. Raises ChannelClosed, also when the sender failed half-way."""
    if not outcome.left_files():
        channel.send({**head, "artifacts": []}, *outcome.parts())
        return
    outcome.watch.reap()
    pid = os.fork()
    if pid == 0:
        _send_and_leave(channel, head, outcome)
    if os.waitpid(pid, 0)[1] != 0:
        raise ChannelClosed


def _send_and_leave(channel: Channel, head: Head, outcome: Outcome) -> None:
    code = 1
    try:
        found = list(outcome.folders.artifacts())
        sizes = [[name, size] for name, _, size in found]
        channel.send({**head, "artifacts": sizes}, *outcome.parts(), more=sum(size for _, _, size in found))
        for _, descriptor, size in found:
            channel.send_file(descriptor, size)
        code = 0
    finally:
        os._exit(code)
