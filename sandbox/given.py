"""Reads what a person names on the command line into a program, and holds the bounds that batch lines must keep too."""

from __future__ import annotations

import importlib.util
import keyword
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

from .console import UsageError
from .types import Limits

MAX_TEXT = 4 << 20
"""The most bytes of a source, or characters of a text in a batch line."""
MAX_DATA_BYTES = 64 << 20
"""The most bytes of all data files together."""
_MAX_FILES = 1000
_FEWER = 1e6
"""Every limit in seconds, megabytes or kilobytes must be smaller."""


def positive(value: float) -> float:
    """Returns the value of a limit. Raises ValueError unless it is above 0 and below the bound; NaN is refused too."""
    if not 0 < value < _FEWER:
        raise ValueError(f"not a number above 0 and below {_FEWER:,.0f}")
    return value


def limits_of(timeout: float, memory_mb: float, output_kb: float) -> Limits:
    """Returns limits in whole megabytes and kilobytes, at least one of each."""
    return Limits(timeout, max(1, int(memory_mb)), max(1, int(output_kb)))


def read_source(path: Path) -> str:
    """Reads Python source as Python decodes it: byte order mark, declared encoding, line ends. Raises UsageError."""
    try:
        return importlib.util.decode_source(_read(path, MAX_TEXT))
    except (SyntaxError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not Python text: {error}") from error


def read_text(path: Path) -> str:
    try:
        return _read(path, MAX_TEXT).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text") from error


def read_files(paths: Iterable[Path]) -> dict[str, bytes]:
    """Reads data files; the keys are their names without folders. Raises UsageError."""
    named: dict[str, Path] = {}
    for path in paths:
        if path.name in named:
            raise UsageError(f"two data files are called {path.name}")
        named[path.name] = path
    return _read_all(named)


def read_package(folder: Path) -> tuple[dict[str, str], dict[str, bytes]]:
    """Reads the modules and data files of a package directory; the keys are paths from the folder that holds it. Raises
    UsageError."""
    folder = folder.resolve()
    if not folder.name.isidentifier() or keyword.iskeyword(folder.name):
        raise UsageError(f"{folder} is no package: {folder.name!r} cannot be imported")
    names = {f"{folder.name}/{path.relative_to(folder).as_posix()}": path for path in _files_below(folder)}
    modules = {name: read_source(path) for name, path in names.items() if path.suffix == ".py"}
    if not modules:
        raise UsageError(f"{folder} is no package: it holds no .py file")
    return modules, _read_all({name: path for name, path in names.items() if name not in modules})


def _read_all(named: Mapping[str, Path]) -> dict[str, bytes]:
    """Reads data files, which have MAX_DATA_BYTES together. Raises UsageError."""
    files: dict[str, bytes] = {}
    for name, path in named.items():
        files[name] = _read(path, MAX_DATA_BYTES - sum(map(len, files.values())))
    return files


def _files_below(folder: Path) -> Iterator[Path]:
    """Yields ordinary files in a stable order, without hidden ones and without `__pycache__`. Raises UsageError."""

    def refuse(error: OSError) -> None:
        raise UsageError(f"cannot read {error.filename}: {error.strerror}") from error

    count = 0
    for place, inner, names in os.walk(folder, onerror=refuse):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name != "__pycache__")
        for path in (Path(place, name) for name in sorted(names) if not name.startswith(".")):
            if os.path.isfile(path):
                count += 1
                if count > _MAX_FILES:
                    raise UsageError(f"{folder} holds more than {_MAX_FILES} files")
                yield path


def _read(path: Path, limit: int) -> bytes:
    """Returns the bytes of a file, or of stdin for "-". Raises UsageError when there are more than `limit`; no more are
    read."""
    try:
        if str(path) == "-":
            data = standard_input().read(limit + 1)
        else:
            with path.open("rb") as file:
                data = file.read(limit + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > limit:
        raise UsageError(f"{path} is too large: more than {limit:,} bytes")
    return data


def standard_input() -> BinaryIO:
    """Returns the binary stdin. Raises UsageError when the process was started without one."""
    if cast(object, sys.stdin) is None:
        raise UsageError("standard input is closed")
    return sys.stdin.buffer
