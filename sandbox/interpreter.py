"""Where this process's own interpreter lies, and all it needs to start once more where nothing else is to be seen."""

from __future__ import annotations

import os
import site
import stat
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache

_SHARED_PREFIXES = ("/", "/usr", "/usr/local")
"""Here the interpreter lives among everything else; only its own folders are named."""


_OF_A_PREFIX = ("bin", "lib", "lib64", "share", "etc", "ssl")
"""Not the whole of it: the app may lie beside its interpreter."""


@cache
def executable() -> str:
    """The interpreter by a path without detours. However the app was started (`../venv/bin/python`), what is made
    visible under one name must be started by that name."""
    if sys.prefix == sys.base_prefix:
        return os.path.realpath(sys.executable)
    # In a virtual environment the last step is a link that must stay: pyvenv.cfg lies beside it.
    folder, name = os.path.split(sys.executable)
    plain = os.path.normpath(folder)
    return os.path.join(plain if _same(plain, folder) else os.path.realpath(folder), name)


def _same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


@cache
def folders() -> tuple[str, ...]:
    """Folders and files of the standard library, the installed packages, their shared libraries, and the virtual
    environment; each under the name that Python uses and under the name that the linker may."""
    found = [sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    found += site.getsitepackages()
    if sys.base_prefix not in _SHARED_PREFIXES:
        found += [os.path.join(sys.base_prefix, name) for name in _OF_A_PREFIX]
    if sys.prefix != sys.base_prefix:
        found += [os.path.join(sys.prefix, name) for name in ("bin", "lib", "lib64", "pyvenv.cfg")]
    found += _links(executable())
    found += [os.path.realpath(path) for path in found]
    there = [path for path in dict.fromkeys(map(os.path.normpath, found)) if os.path.exists(path)]
    return tuple(path for path in there if not any(path.startswith(other + os.sep) for other in there))


def _links(path: str) -> Iterator[str]:
    """A path and whatever it links to, step by step."""
    for _ in range(40):
        yield path
        if not os.path.islink(path):
            return
        path = os.path.join(os.path.dirname(path), os.readlink(path))


def hidden_from_workers() -> str:
    """The folder above the interpreter that this process may enter only because it is root, in words; "" for none.
    Workers give up what makes root special before they run anything."""
    if os.geteuid() != 0:
        return ""
    for path in (executable(), *folders()):
        for above in _above(os.path.realpath(path)):
            status = os.stat(above)
            if status.st_uid != 0 and not status.st_mode & (stat.S_IXOTH if status.st_gid else stat.S_IXGRP):
                return f"the interpreter lies where only root may look: {above} belongs to another user"
    return ""


def _above(path: str) -> Iterator[str]:
    while (path := os.path.dirname(path)) != "/":
        yield path
