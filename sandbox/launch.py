"""What a worker starts from: an interpreter with a clean environment, and its own sources as text."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from . import interpreter

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
        return [interpreter.executable(), "-s", "-P", "-B", "-X", "utf8", "-c", _boot()]

    @property
    def read_only(self) -> tuple[str, ...]:
        """What the worker and its programs may read: the interpreter, its packages, nothing of the project."""
        return (*interpreter.folders(), *self.paths)

    @property
    def environment(self) -> dict[str, str]:
        """The whole environment of a worker; nothing of the app's own passes."""
        run = os.path.join(self.root, "main", "run")
        return {
            "PATH": os.pathsep.join((os.path.dirname(interpreter.executable()), "/usr/local/bin", "/usr/bin", "/bin")),
            "LANG": "C.UTF-8",
            "HOME": run,
            "USER": "sandbox",
            "LOGNAME": "sandbox",
            "TMPDIR": os.path.join(self.root, "main", "tmp"),
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": self.cache,
            "XDG_CACHE_HOME": self.cache,
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "NUMEXPR_NUM_THREADS": "1",
            "JOBLIB_MULTIPROCESSING": "0",
            "MALLOC_ARENA_MAX": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONHASHSEED": str(self.seed),
        }


@cache
def _boot() -> str:
    return (_HERE / "worker" / "boot.py").read_text(encoding="utf-8")


@cache
def _sources() -> Mapping[str, str]:
    """Module name -> source of everything that runs in a worker."""
    return {
        ".".join((room, *path.relative_to(folder).with_suffix("").parts)): path.read_text(encoding="utf-8")
        for room, folder in _ROOMS.items()
        for path in sorted(folder.rglob("*.py"))
        if path.stem != "boot"
    }


def first_words(place: Place, flavour: Flavour, walls: tuple[str, ...]) -> bytes:
    """What a fresh worker reads first: its sources and how it is set up."""
    setup = {"root": place.root, "flavour": flavour, "walls": walls, "read_only": [*place.read_only, place.cache]}
    setup["paths"] = [path for path in place.paths if os.path.isdir(path)]  # a file here could be an archive of modules
    text = json.dumps({"sources": _sources(), "setup": setup}).encode()
    return struct.pack("<I", len(text)) + text
