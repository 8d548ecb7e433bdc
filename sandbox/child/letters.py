"""Spares suites that draw texts with hypothesis two seconds of computing and 200 MB."""

from __future__ import annotations

import sys

_SURROGATES = (0xD800, 0xDFFF)


def know_utf8() -> None:
    """Hypothesis tries every letter there is to learn which ones utf-8 can encode, and keeps what it learnt in a file;
    no file of an earlier run is there in this one, and the answer is known. Raises ImportError or AttributeError where
    hypothesis has changed inside; then it tries them."""
    from hypothesis.internal import charmap  # noqa: PLC0415 - only for suites that use it
    from hypothesis.internal.intervalsets import IntervalSet  # noqa: PLC0415 - see above

    try_all = charmap.intervals_from_codec
    all_but_surrogates = IntervalSet([(0, _SURROGATES[0] - 1), (_SURROGATES[1] + 1, sys.maxunicode)])
    known = (all_but_surrogates, IntervalSet([]))

    def intervals_from_codec(codec_name: str) -> tuple[IntervalSet, IntervalSet]:
        return known if codec_name == "utf-8" else try_all(codec_name)

    charmap.__dict__["intervals_from_codec"] = intervals_from_codec
