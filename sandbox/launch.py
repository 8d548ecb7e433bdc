"""Prepares what a worker starts with: an interpreter with a clean environment, and the worker's own code."""

from __future__ import annotations

import marshal
import os
import site
import stat
import struct
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, Literal

Flavour = Literal["bare", "pytest", "data"]
FLAVOURS: tuple[Flavour, ...] = ("bare", "pytest", "data")
_HERE = Path(__file__).parent
_ROOMS = {"@worker": _HERE / "worker", "@child": _HERE / "child"}
"""The modules of a worker get names under "@worker" and "@child", which no import statement of a program can spell."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one worker lives."""

    root: str
    """The worker's own folder, which holds the run folders."""
    cache: str
    """A folder that only workers write to, for font lists and the like."""
    paths: tuple[str, ...] = ()
    """What its programs may also read: folders to import from, such as an installed environment, and linked data
    files."""
    seed: int = 0
    """The seed of str hashes, so that sets have the same order in all processes of a run."""

    @property
    def python(self) -> list[str]:
        # Not -I, which would ignore PYTHONHASHSEED. The environment holds no other variable that the interpreter reads.
        return [executable(), "-s", "-P", "-B", "-X", "utf8", "-c", _boot()]

    @property
    def read_only(self) -> tuple[str, ...]:
        """The paths that the worker and its programs may read: the interpreter and its packages, nothing of the
        project."""
        return (*folders(), *self.paths)

    @property
    def environment(self) -> dict[str, str]:
        """The whole environment of a worker. Nothing of the app's own environment passes, or a program could read its
        keys."""
        run = os.path.join(self.root, "main", "run")
        return {
            "PATH": os.pathsep.join((os.path.dirname(executable()), "/usr/local/bin", "/usr/bin", "/bin")),
            "LANG": "C.UTF-8",
            "HOME": run,
            "USER": "sandbox",
            "LOGNAME": "sandbox",
            "TMPDIR": os.path.join(self.root, "main", "tmp"),
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": self.cache,
            "XDG_CACHE_HOME": self.cache,
            **{f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "NUMEXPR")},
            "JOBLIB_MULTIPROCESSING": "0",
            "MALLOC_ARENA_MAX": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONHASHSEED": str(self.seed),
            "LD_BIND_NOW": "1",
        }


@cache
def _boot() -> str:
    return (_HERE / "worker" / "boot.py").read_text(encoding="utf-8")


@cache
def _modules() -> Mapping[str, CodeType]:
    """Returns module name -> code of everything that runs in a worker, compiled once for all workers. Docstrings are
    left out, because every fork carries what a worker holds."""
    found: dict[str, CodeType] = {}
    for room, folder in _ROOMS.items():
        for path in sorted(folder.rglob("*.py")):
            if path.stem != "boot":
                name = ".".join((room, *path.relative_to(folder).with_suffix("").parts))
                shown = f"<sandbox>/{name.replace('.', '/')}.py"
                found[name] = compile(path.read_bytes(), shown, "exec", dont_inherit=True, optimize=2)
    return found


def first_words(place: Place, flavour: Flavour, walls: tuple[str, ...]) -> bytes:
    """Returns the bytes that a fresh worker reads first: its code and its setup."""
    setup: dict[str, Any] = {
        "root": place.root,
        "flavour": flavour,
        "walls": walls,
        "read_only": [*place.read_only, place.cache],
    }
    # only folders: Python would import from a data file that is a ZIP archive
    setup["paths"] = [path for path in place.paths if os.path.isdir(path)]
    words = marshal.dumps({"modules": _modules(), "setup": setup})
    return struct.pack("<I", len(words)) + words


_SHARED_PREFIXES = ("/", "/usr", "/usr/local")
"""Prefixes where the interpreter lives among other software; there only its own folders are named."""
_OF_A_PREFIX = ("bin", "lib", "lib64", "share", "etc", "ssl")
"""Subfolders of an interpreter's prefix that programs may read. The whole prefix stays closed, since the app may lie in
it."""


@cache
def executable() -> str:
    """Returns the interpreter's path without detours, however the app was started (`../venv/bin/python`): a folder is
    made visible under one name, and the interpreter must be started by that name."""
    if sys.prefix == sys.base_prefix:
        return os.path.realpath(sys.executable)
    # In a virtual environment the last part of the path is a link that must stay: pyvenv.cfg lies beside it.
    folder, name = os.path.split(sys.executable)
    plain = os.path.normpath(folder)
    real = os.path.realpath(folder)
    return os.path.join(plain if os.path.realpath(plain) == real else real, name)


@cache
def folders() -> tuple[str, ...]:
    """Returns the folders and files of the standard library, the installed packages, their shared libraries and the
    virtual environment, each by the name that Python uses and by its real path, which the linker may use."""
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
    """Yields a path and each path that it links to, step by step."""
    for _ in range(40):
        yield path
        if not os.path.islink(path):
            return
        path = os.path.join(os.path.dirname(path), os.readlink(path))


def hidden_from_workers() -> str:
    """Returns, in words, which folder above the interpreter this process may enter only because it is root; "" for
    none. Workers give up root's privileges before they run anything, so they could not reach the interpreter."""
    if os.geteuid() != 0:
        return ""
    for path in (executable(), *folders()):
        for above in [*Path(os.path.realpath(path)).parents][:-1]:
            status = os.stat(above)
            if status.st_uid != 0 and not status.st_mode & (stat.S_IXOTH if status.st_gid else stat.S_IXGRP):
                return f"the interpreter lies where only root may look: {above} belongs to another user"
    return ""
