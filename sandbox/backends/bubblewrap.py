"""A worker inside namespaces of its own, made by bubblewrap: no network, no foreign process, no foreign file."""

from __future__ import annotations

import os
import shutil
import sys

from ..cleanup import tool
from ..launch import Place
from ..types import Level
from ..worker.usage import MAX_BYTES

LEVEL: Level = "namespaces"
UNTRIED = False
ON_REQUEST = False
WALLS = ("landlock", "seccomp")
_SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/usr/share/fonts",
    "/usr/share/locale",
    "/etc/localtime", "/etc/timezone", "/etc/ld.so.cache", "/etc/mime.types", "/etc/fonts",
)  # fmt: skip


def missing() -> str:
    if sys.platform != "linux":
        return "namespaces exist on Linux only"
    return "" if shutil.which("bwrap") else "bwrap (package bubblewrap) is not installed"


def command(place: Place) -> list[str]:
    bwrap = shutil.which("bwrap") or "bwrap"
    # No --new-session: the first process has a session of its own already, and what stays in its process group is ended
    # with it, at whatever moment (group.py).
    arguments = [bwrap, "--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL"]
    arguments += ["--dev", "/dev", "--proc", "/proc", "--size", str(MAX_BYTES), "--tmpfs", place.root]
    for path in (*_SYSTEM, *place.read_only):
        if os.path.islink(path) and os.path.dirname(path) == "/":
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            arguments += ["--ro-bind", path, path]
    # For the worker, which empties its run folders with it; the programs themselves can execute nothing.
    arguments += ["--ro-bind", os.path.realpath(tool("rm")), "/usr/bin/rm"]
    return [*arguments, "--bind", place.cache, place.cache, "--chdir", place.root, "--", *place.python]
