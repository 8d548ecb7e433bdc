"""Keeps files' modes and times as a program has set them. The filter of system calls forbids changing them, because
landlock does not cover that, so they are kept here and told to whoever asks `os` for a file's status."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

_SECOND = 1_000_000_000
"""Nanoseconds of a second."""
_SETS = (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks)
_ANY_EXECUTE = 0o111
_FIELDS = ("st_mode", "st_ino", "st_dev", "st_nlink", "st_uid", "st_gid", "st_size")
_TIMES = ("st_atime", "st_mtime", "st_ctime")
Kept = list[Any]
"""[mode or None, times or None]; the times are [access, change, the file's real time of change], in nanoseconds."""
_kept: dict[tuple[int, int], Kept] = {}
"""What is kept, by the numbers of device and file."""
_untold: set[tuple[int, int]] = set()
"""Files of which the other process of a split run has not heard."""
_stat, _access, _scandir = os.stat, os.access, os.scandir


def pretend() -> None:
    """Replaces `os.chmod`, `os.utime` and the functions that show their effect."""
    for name, doing in (("chmod", _chmod), ("utime", _utime), ("access", _accessible), ("scandir", _listed)):
        _replace(name, doing)
    for name in ("stat", "lstat", "fstat"):
        _replace(name, _telling(getattr(os, name)))


def _replace(name: str, doing: Callable[..., Any]) -> None:
    before = getattr(os, name)
    made = wraps(before)(doing)
    setattr(os, name, made)
    for supporting in _SETS:
        if before in supporting:
            supporting.add(made)


def add_kept(extras: dict[str, Any]) -> None:
    """Adds to a message what has changed, for the other process."""
    if _untold:
        extras["t"] = [[*key, _kept[key]] for key in _untold]


def kept_sent(extras: dict[str, Any]) -> None:
    """Records that the other process has been told these."""
    _untold.difference_update((device, number) for device, number, _ in extras.get("t", ()))


def take_kept(extras: dict[str, Any]) -> None:
    """Takes over what the other process told. Raises TypeError or ValueError if it is malformed."""
    for device, number, (mode, times) in extras.get("t", ()):
        _kept[device, number] = [mode and int(mode), times and [int(moment) for moment in times[:3]]]


def _keep(status: os.stat_result, at: int, value: Any) -> None:
    key = status.st_dev, status.st_ino
    _kept.setdefault(key, [None, None])[at] = value
    _untold.add(key)


def _chmod(path: Any, mode: int, **where: Any) -> None:
    _keep(_stat(path, **where), 0, stat.S_IMODE(mode))


def _utime(path: Any, times: Any = None, *, ns: Any = None, **where: Any) -> None:
    if ns is None:
        ns = [time.time_ns()] * 2 if times is None else [int(moment * _SECOND) for moment in times]
    status = _stat(path, **where)
    _keep(status, 1, [*ns, status.st_mtime_ns])


def _telling(asking: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
    return lambda *args, **kwargs: _as_pretended(asking(*args, **kwargs))


def _as_pretended(status: os.stat_result) -> os.stat_result:
    kept = _kept.get((status.st_dev, status.st_ino)) if _kept else None
    if kept is None:
        return status
    mode, times = kept
    told = {name: getattr(status, name) for name in dir(status) if name.startswith("st_")}
    if mode is not None:
        told["st_mode"] = stat.S_IFMT(status.st_mode) | mode
    if times is not None and times[2] == status.st_mtime_ns:  # otherwise the file was written since
        for name, moment in zip(_TIMES, times[:2], strict=False):
            told |= {name: moment / _SECOND, f"{name}_ns": moment}
    fields = [told.pop(name) for name in _FIELDS] + [told[f"{name}_ns"] // _SECOND for name in _TIMES]
    return os.stat_result(fields, told)


def _accessible(path: Any, mode: int, **where: Any) -> bool:
    """Returns whether the run may access a path. A run as root may read and write anything, as root does; a file's
    owner may do what its mode says."""
    effective = where.pop("effective_ids", False)
    if not _access(path, mode & ~os.X_OK, effective_ids=effective, **where):
        return False
    status = _as_pretended(_stat(path, **where))
    key = status.st_dev, status.st_ino
    if key not in _kept or _kept[key][0] is None:
        return _access(path, mode, effective_ids=effective, **where)
    if os.getuid() == 0:
        return not mode & os.X_OK or bool(status.st_mode & _ANY_EXECUTE) or stat.S_ISDIR(status.st_mode)
    return (status.st_mode >> 6) & mode == mode


def _listed(path: Any = ".") -> Any:
    found = _scandir(path)
    return _Listing(found) if _kept else found


class _Listing:
    """The listing that `os.scandir` returns, with the modes and times that the program believes it has set."""

    def __init__(self, found: Any) -> None:
        self._found = found
        self.close = found.close

    def __iter__(self) -> Iterator[_Entry]:
        return self

    def __next__(self) -> _Entry:
        return _Entry(next(self._found))

    def __enter__(self) -> _Listing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Entry(os.PathLike[Any]):
    """One entry of such a listing."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)

    def __fspath__(self) -> Any:
        return self._found.path

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return _as_pretended(self._found.stat(follow_symlinks=follow_symlinks))
