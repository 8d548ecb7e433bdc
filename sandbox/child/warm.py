"""What a worker does once, before it forks, so that each run starts quicker."""

from __future__ import annotations

from .judge import prepare_judging
from .plan import plan, unpack
from .pretended import miss_missing_files
from .refusals import refuse_commands
from .serve import prepare_serving


def warm(flavour: str) -> None:
    """Import and touch what runs of this flavour need ("bare", "pytest", "data")."""
    refuse_commands()
    miss_missing_files()
    unpack(plan("assert f(1) == 2 and not g") or b"")
    prepare_serving()
    prepare_judging()
    if flavour != "bare":
        from . import measure  # noqa: PLC0415 - brings coverage, which a bare worker does without
        from .full import warm as warm_pytest  # noqa: PLC0415 - 200 ms that a bare worker does without

        measure.warm()
        warm_pytest()
