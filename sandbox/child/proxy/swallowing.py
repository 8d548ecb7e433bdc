"""Tells where a failed check of the tests may end in the solution instead of being seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ..objects.raising import is_own_failure

SWALLOWED = "the solution swallowed an AssertionError of the tests"
_CATCHES = "an exception class that the solution gave catches the AssertionErrors of the tests"


def lost_failures(raised: bool, args: tuple[Any, ...], answer: Any) -> Iterator[str]:
    """Yields reasons to doubt what passes after a call that ended with this answer. `raised` tells whether a callback
    of the tests failed meanwhile. What an `ExitStack` calls is told as an argument how a check failed."""
    if raised or (tells_failure(args) and answer is not None and answer is not False):
        yield SWALLOWED
    if _catches_failures(answer):
        yield _CATCHES


def tells_failure(args: tuple[Any, ...]) -> bool:
    """Returns whether one of these arguments is the exception by which a check of the tests is failing."""
    return any(isinstance(arg, BaseException) and _is_raised(arg) for arg in args)


def _is_raised(arg: BaseException) -> bool:
    return arg.__traceback__ is not None and is_own_failure(arg)


def _catches_failures(answer: Any) -> bool:
    """Returns whether `except` with what the solution gave catches the AssertionErrors of the tests as well."""
    classes = cast(tuple[Any, ...], answer) if type(answer) is tuple else (answer,)
    return any(type(one) is type and issubclass(AssertionError, one) and one is not object for one in classes)
