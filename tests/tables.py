"""Tests of long tables: all rows of a table are one test, which names each row that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def in_one_test(
    names: str, table: Iterable[Any], ids: Callable[[Any], str] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Stands in place of `pytest.mark.parametrize` where a table is long and a row takes less time than a test of its
    own costs, which every process of the session collects. Every row is tried, and each that fails is named."""
    arguments, rows = names.split(", "), [*table]

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(check)
        def test(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for row in rows:
                values = (row,) if len(arguments) == 1 else row
                try:
                    check(**fixtures, **dict(zip(arguments, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - told below, with the others
                    error.add_note(f"The row is: {ids(row)}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} rows", failed)

        asked = inspect.signature(check)
        others = [one for name, one in asked.parameters.items() if name not in arguments]
        test.__dict__.update(__signature__=asked.replace(parameters=others))
        del test.__wrapped__  # pyright: ignore[reportFunctionMemberAccess] - pytest would ask for the row's names as fixtures
        return test

    return decorate
