"""Carries the solution's log records to the tests, so that caplog sees them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from ..objects.describe import is_known

if TYPE_CHECKING:
    from .solution_side import SolutionSide

_USUAL = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}
_SCALARS = (str, int, float, bool, bytes, type(None))
_shown = logging.Formatter()


class _LogSender(logging.Handler):
    def __init__(self, peer: SolutionSide) -> None:
        super().__init__(0)
        self._peer = peer

    def emit(self, record: logging.LogRecord) -> None:
        self._peer.told.setdefault("l", []).append(_parts(record))


def _parts(record: logging.LogRecord) -> list[Any]:
    """Returns what `hear` makes a record of; the message is formatted here if its arguments may change before it is
    heard."""
    own = _own_level(logging.getLogger(record.name))
    args = record.args if type(record.args) is tuple else ()
    kept = type(record.msg) is str and all(map(_is_steady, args))
    message: list[Any] = [record.msg, args] if kept and record.args == args else [record.getMessage(), ()]
    problem = record.exc_info[1] if record.exc_info else None
    trace = record.exc_text or (_shown.formatException(record.exc_info) if record.exc_info and problem else None)
    more = [[name, value] for name, value in record.__dict__.items() if name not in _USUAL]
    place = [record.filename, record.lineno, record.funcName]
    return [record.name, record.levelno, own, *message, *place, problem, trace, more]


def _is_steady(value: Any) -> bool:
    """Returns whether the other side has this value as well, and it cannot change: no container, and no object of the
    program's own."""
    kind = cast(type[Any], type(value))
    return kind in _SCALARS or (is_known(kind) and kind.__hash__ is not None and not hasattr(kind, "__iter__"))


def _own_level(logger: logging.Logger | None) -> bool:
    """Returns whether a level was set on the logger or on one above it, below the root."""
    while logger is not None and logger.parent is not None:
        if logger.level:
            return True
        logger = logger.parent
    return False


def send_logs(peer: SolutionSide) -> None:
    """Sends every log record from now on, whatever its level; the tests' side decides what is kept."""
    root = logging.getLogger()
    root.addHandler(_LogSender(peer))
    root.setLevel(1)
