"""What the solution's process told besides its answers, brought before the tests' own streams and handlers."""

from __future__ import annotations

import builtins
import sys
import warnings
from typing import Any


def hear(extras: dict[str, Any]) -> None:
    """Write, warn and log here what was written, warned and logged there."""
    for text in extras.get("o", ()):
        sys.stdout.write(str(text))
    for text in extras.get("e", ()):
        sys.stderr.write(str(text))
    for message, category, filename, lineno in extras.get("w", ()):
        warnings.warn_explicit(str(message), _warning(str(category)), str(filename), int(lineno))
    for told in extras.get("l", ()):
        _log(told)


def _warning(name: str) -> type[Warning]:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, Warning) else UserWarning


def _log(told: list[Any]) -> None:
    name, level, message, filename, line, function, own = told
    import logging  # noqa: PLC0415 - only where the tests look at log records

    logger = logging.getLogger(name)
    if own or logger.isEnabledFor(level):
        logger.handle(logger.makeRecord(name, level, filename, line, message, (), None, function))
