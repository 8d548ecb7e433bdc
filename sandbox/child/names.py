"""Which of the solution's public names a suite gets without importing them."""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from .describe import is_standard
from .handle import NUMBER

_ALIASES = ("np", "pd", "plt", "numpy", "pandas", "pytest", "unittest")
_RUN_PROGRAM = "run_program"


def is_reserved(name: str) -> bool:
    """A name that a suite may use in its usual meaning: a builtin, a standard module, a common library."""
    return name in builtins.__dict__ or name in sys.stdlib_module_names or name in _ALIASES or name == _RUN_PROGRAM


def wanted_names(public: Iterable[str], used: frozenset[str]) -> set[str]:
    """The public names that the suite uses; one with a usual meaning only where the suite uses no other.

    So a solution asked for `max` can be tested by that name, and one asked for something else cannot slip the suite
    an `abs` or `math` of its own.
    """
    wanted = {name for name in public if name in used and not name.startswith("_")}
    return {name for name in wanted if not is_reserved(name)} or wanted


def genuine(name: str, get: Callable[[], Any]) -> Any:
    """What a reserved name stands for, where the solution imported the real thing; None where it did not."""
    if name in builtins.__dict__ or name == _RUN_PROGRAM:
        return None
    value = get()
    if type(value) is ModuleType or (isinstance(value, type) and NUMBER not in value.__dict__):
        return value
    return getattr(importlib.import_module(name), name, None) if is_standard(name) else None
