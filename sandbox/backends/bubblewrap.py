"""A worker inside namespaces of its own, made by bubblewrap: no network, no foreign process, no foreign file."""

from __future__ import annotations

import os
import shutil
import sys

from ..cleanup import tool
from ..launch import Place
from ..types import Level
from ..worker.landlock import SYSTEM
from ..worker.usage import MAX_BYTES

LEVEL: Level = "namespaces"
UNTRIED = False
WALLS = ("landlock", "seccomp")
"""Inside the namespaces each child walls itself in all the same: they part a worker from the machine, and landlock and
seccomp part a program from the worker, from the other half of its own run, and from the kernel's less used corners."""


def missing() -> str:
    if sys.platform != "linux":
        return "namespaces exist on Linux only"
    return "" if shutil.which("bwrap") else "bwrap (package bubblewrap) is not installed"


def command(place: Place) -> list[str]:
    """Nothing is there but what is named: an empty root, the interpreter read-only, and one tmpfs of limited size.

    `--unshare-user` also for root, so that root inside is nobody special outside, and `--cap-drop` so that it is nobody
    special inside either. No `--new-session`: the first process has a session of its own already, and what stays in its
    process group is ended with it, at whatever moment (`link.py:Group`).
    """
    arguments = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user", "--die-with-parent"]
    arguments += ["--cap-drop", "ALL", "--dev", "/dev", "--proc", "/proc"]
    # There and shut, wherever this machine keeps its temporary files: who writes to it by name is refused and told so.
    arguments += ["--dir", "/tmp"]
    # The run folders. Their size is the limit of a run, by the kernel's own count.
    arguments += ["--size", str(MAX_BYTES), "--tmpfs", place.root]
    for path in (*SYSTEM, *place.read_only):
        if os.path.islink(path) and os.path.dirname(path) == "/":
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            arguments += ["--ro-bind", path, path]
    # For the worker, which empties its run folders with it; the programs themselves can execute nothing.
    arguments += ["--ro-bind", os.path.realpath(tool("rm")), "/usr/bin/rm"]
    # What one worker prepares for all (lists of fonts). Last, the root itself, which has no size: nothing is put there.
    arguments += ["--bind", place.cache, place.cache, "--remount-ro", "/", "--remount-ro", "/dev"]
    return [*arguments, "--chdir", place.root, "--", *place.python]
