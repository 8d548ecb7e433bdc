"""What a worker starts from: an interpreter with a clean environment, and its own code."""

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
"""Under names that no program's module can have, and no import statement can say."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one worker lives."""

    root: str
    """Its own folder, for run folders."""
    cache: str
    """Folder that only workers write to: font lists and the like."""
    paths: tuple[str, ...] = ()
    """What its programs may read besides: folders to import from (the environment made for a run), and data files."""
    seed: int = 0
    """Of str hashes, so that sets have the same order in all processes of a run."""

    @property
    def python(self) -> list[str]:
        # Not -I: it would ignore PYTHONHASHSEED. The environment holds nothing else that the interpreter reads.
        return [executable(), "-s", "-P", "-B", "-X", "utf8", "-c", _boot()]

    @property
    def read_only(self) -> tuple[str, ...]:
        """What the worker and its programs may read: the interpreter, its packages, nothing of the project."""
        return (*folders(), *self.paths)

    @property
    def environment(self) -> dict[str, str]:
        """The whole environment of a worker; nothing of the app's own passes."""
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
    """Module name -> code of everything that runs in a worker, compiled once for all of them, without docstrings: what
    a worker holds, each fork takes along."""
    found: dict[str, CodeType] = {}
    for room, folder in _ROOMS.items():
        for path in sorted(folder.rglob("*.py")):
            if path.stem != "boot":
                name = ".".join((room, *path.relative_to(folder).with_suffix("").parts))
                shown = f"<sandbox>/{name.replace('.', '/')}.py"
                found[name] = compile(path.read_bytes(), shown, "exec", dont_inherit=True, optimize=2)
    return found


def first_words(place: Place, flavour: Flavour, walls: tuple[str, ...]) -> bytes:
    """What a fresh worker reads first: its own code and how it is set up."""
    setup: dict[str, Any] = {
        "root": place.root,
        "flavour": flavour,
        "walls": walls,
        "read_only": [*place.read_only, place.cache],
    }
    setup["paths"] = [path for path in place.paths if os.path.isdir(path)]  # a file here could be an archive of modules
    words = marshal.dumps({"modules": _modules(), "setup": setup})
    return struct.pack("<I", len(words)) + words


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
    real = os.path.realpath(folder)
    return os.path.join(plain if os.path.realpath(plain) == real else real, name)


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
        for above in [*Path(os.path.realpath(path)).parents][:-1]:
            status = os.stat(above)
            if status.st_uid != 0 and not status.st_mode & (stat.S_IXOTH if status.st_gid else stat.S_IXGRP):
                return f"the interpreter lies where only root may look: {above} belongs to another user"
    return ""
