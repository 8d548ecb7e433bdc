"""Keeps honest what the filter of system calls only pretends to do: changing the times and the mode of a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

_PRETENDED = ("utime", "chmod")
_SETS = (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks)


def miss_missing_files() -> None:
    """Let these calls fail for a file that is not there: `Path.touch` makes a new one only where they do."""
    for name in _PRETENDED:
        doing = getattr(os, name)
        checked = _checked(doing)
        setattr(os, name, checked)
        for supporting in _SETS:
            if doing in supporting:
                supporting.add(checked)


def _checked(doing: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(doing)
    def checked(path: Any, *args: Any, dir_fd: int | None = None, follow_symlinks: bool = True, **more: Any) -> Any:
        os.stat(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
        return doing(path, *args, dir_fd=dir_fd, follow_symlinks=follow_symlinks, **more)

    return checked
