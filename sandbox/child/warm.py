"""What a worker does once, before it forks, so that each run starts quicker."""

from __future__ import annotations

import ast

from .explain import prepare


def warm(flavour: str) -> None:
    """Import and touch what runs of this flavour need ("bare", "pytest", "data")."""
    prepare(ast.parse("assert f(1) == 2 and not g"), {})
    if flavour != "bare":
        from .full import warm as warm_pytest  # noqa: PLC0415 - 200 ms that a bare worker does without

        warm_pytest()
