"""What a worker does once, before it forks, so that each run starts quicker."""

from __future__ import annotations

from _socket import socketpair
from typing import Any

from .guest import Guest
from .host import Host
from .judge import prepare_judging
from .plan import plan, unpack
from .pretended import pretend
from .refusals import refuse_commands
from .serve import prepare_serving

_REHEARSALS = 20
"""So often has code to run until the interpreter has adapted it; what is adapted here, no child has to copy."""


def warm(flavour: str) -> None:
    """Import and touch what runs of this flavour need ("bare", "pytest", "data")."""
    refuse_commands()
    pretend()
    unpack(plan("assert f(1) == 2 and not g") or b"")
    _rehearse()
    prepare_serving()
    prepare_judging()
    if flavour != "bare":
        from . import measure  # noqa: PLC0415 - brings coverage, which a bare worker does without
        from .full import warm as warm_pytest  # noqa: PLC0415 - 200 ms that a bare worker does without

        measure.warm()
        warm_pytest()


def _rehearse() -> None:
    """Lets two ends that no run uses talk to each other once, so that what they import is loaded before the fork."""

    def same(value: Any) -> Any:
        return value

    ours, theirs = socketpair()
    guest, host = Guest(), Host()
    host.begin(theirs.fileno(), ())
    guest.begin(ours.fileno(), ())
    mirrored = guest.codec.decode(host.codec.encode(same))
    for _ in range(_REHEARSALS):
        guest.ask({"~": guest.mirrors.number(mirrored)}, ([1, "a", (2.5, None)],), {})
        host.answer(host.wire.receive())
        guest.reply()
    ours.close()
    theirs.close()
