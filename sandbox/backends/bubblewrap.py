"""Starts a worker inside namespaces of its own, made by bubblewrap: without network, foreign processes or foreign
files."""

from __future__ import annotations

import os
import shutil
import sys

from ..cleanup import system_tool
from ..launch import Place
from ..types import Level
from ..worker.landlock import SYSTEM
from ..worker.usage import MAX_BYTES

LEVEL: Level = "namespaces"
UNTRIED = False
WALLS = ("landlock", "seccomp")
"""Each child also walls itself in inside the namespaces. Namespaces only separate the worker from the machine; landlock
and seccomp separate a program from the worker, from the other half of its own run, and from rarely used system calls of
the kernel, which are its weakest spots."""


def missing() -> str:
    if sys.platform != "linux":
        return "namespaces exist on Linux only"
    return "" if shutil.which("bwrap") else "bwrap (package bubblewrap) is not installed"


def command(place: Place) -> list[str]:
    """Builds an empty root that holds only what is named here: the interpreter, read-only, and one tmpfs of limited
    size.

    `--unshare-user` applies to root too, so that root inside has no rights outside; `--cap-drop` takes root's rights
    inside. `--new-session` is not given: the first process has its own session already, and whatever stays in its
    process group is killed with it at any moment (`link.py:ProcessGroup`)."""
    arguments = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user", "--die-with-parent"]
    arguments += ["--cap-drop", "ALL", "--dev", "/dev", "--proc", "/proc"]
    # /tmp exists but is read-only, wherever this machine keeps temporary files: a program that writes there gets an
    # error.
    arguments += ["--dir", "/tmp"]
    # The run folders. The kernel itself enforces their size, which is the disk limit of a run.
    arguments += ["--size", str(MAX_BYTES), "--tmpfs", place.root]
    for path in (*SYSTEM, *place.read_only):
        if os.path.islink(path) and os.path.dirname(path) == "/":
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            arguments += ["--ro-bind", path, path]
    # The worker empties its run folders with rm; the programs themselves can execute nothing.
    arguments += ["--ro-bind", os.path.realpath(system_tool("rm")), "/usr/bin/rm"]
    # The cache holds what one worker prepares for all, such as font lists. Last, the root becomes read-only: it has no
    # size limit of its own, so nothing may be put there.
    arguments += ["--bind", place.cache, place.cache, "--remount-ro", "/", "--remount-ro", "/dev"]
    return [*arguments, "--chdir", place.root, "--", *place.python]
