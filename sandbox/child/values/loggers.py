"""Loggers, which each process finds by name: what is set on one side holds on both, handlers included. Only handlers
that the tests add themselves stay theirs, for records are led to them anyway."""

from __future__ import annotations

import sys
from typing import Any

KEEPS_OWN = [False]
"""Whether this is the tests' side."""
_told: dict[str, list[Any]] = {}
"""By logger the handlers that both sides know of."""


def is_logger(kind: type) -> bool:
    return kind is getattr(sys.modules.get("logging"), "Logger", None)


def is_plain(value: Any) -> bool:
    """Whether a logger is the one that its name finds. The root's is each side's own: there records are led across."""
    return value.name != "root" and value.manager.loggerDict.get(value.name) is value


def is_told(logger: Any, handler: Any) -> bool:
    """Whether the other side has this handler on the logger of that name, too."""
    return any(handler is other for other in _told.get(logger.name, ()))


def pack(value: Any) -> list[Any]:
    """What is set on a logger, in a list that nobody else holds, with the logger to which it hands its records."""
    told = [handler for handler in value.handlers if not KEEPS_OWN[0] or is_told(value, handler)]
    _told[value.name] = told
    above = value.parent if value.parent is not None and is_plain(value.parent) else None
    return [value.name, value.level, bool(value.propagate), bool(value.disabled), above, *told]


def unpack(parts: list[Any]) -> Any:
    """The logger of that name."""
    logger = sys.modules["logging"].root.manager.getLogger(str(parts[0]))
    fill(logger, parts)
    return logger


def fill(value: Any, parts: list[Any]) -> None:
    """Set this on a logger."""
    _, level, value.propagate, value.disabled, _, *told = parts
    if value.level != level:
        value.setLevel(int(level))
    own = [handler for handler in value.handlers if not is_told(value, handler)]
    value.handlers[:] = [*own, *told]
    _told[value.name] = told
