"""Prepares hypothesis for a suite: it draws the same examples each time, and what a person's pytest may draw."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable

_SHRINKING_SECONDS = 1.0
"""How long hypothesis may look for a smaller example that fails too: what was found must be told within the check's
time."""


def prepare_hypothesis(sources: Iterable[str]) -> None:
    """Sets hypothesis to the same examples each time, without a limit of wall-clock time, because a check must say the
    same on a busy machine. `sources` are those of the program's modules, whose constants are drawn more often."""
    try:
        from hypothesis import HealthCheck, settings  # noqa: PLC0415 - only for suites that use it
        from hypothesis.internal.conjecture import engine  # noqa: PLC0415 - see above
    except ImportError:
        return
    settings.register_profile(
        "sandbox", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("sandbox")
    engine.__dict__["MAX_SHRINKING_SECONDS"] = _SHRINKING_SECONDS
    with contextlib.suppress(ImportError, AttributeError):
        know_utf8()
    with contextlib.suppress(ImportError, AttributeError):
        for source in sources:
            know_constants(source)


_SURROGATES = (0xD800, 0xDFFF)
"""The first and the last code point that utf-8 cannot encode."""


def know_utf8() -> None:
    """Tells hypothesis which letters utf-8 can encode. It would try every letter and keep the answer in a file, which
    no later run finds. Raises ImportError or AttributeError if hypothesis has changed inside; then it tries them
    itself."""
    from hypothesis.internal import charmap  # noqa: PLC0415 - only for suites that use it
    from hypothesis.internal.intervalsets import IntervalSet  # noqa: PLC0415 - see above

    try_all = charmap.intervals_from_codec
    all_but_surrogates = IntervalSet([(0, _SURROGATES[0] - 1), (_SURROGATES[1] + 1, sys.maxunicode)])
    known = (all_but_surrogates, IntervalSet([]))

    def intervals_from_codec(codec_name: str) -> tuple[IntervalSet, IntervalSet]:
        return known if codec_name == "utf-8" else try_all(codec_name)

    charmap.__dict__["intervals_from_codec"] = intervals_from_codec


def know_constants(source: str) -> None:
    """Tells hypothesis the constants of a module of the program, which it finds itself only if the module is a file
    that this process has imported. Raises ImportError or AttributeError if hypothesis has changed inside."""
    from hypothesis.internal import constants_ast  # noqa: PLC0415 - only for suites that use it
    from hypothesis.internal.conjecture import providers  # noqa: PLC0415 - see above

    # no parser reads a source that is nested too deep
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        providers.__dict__["_local_constants"] |= constants_ast.__dict__["_constants_from_source"](source, limit=True)
