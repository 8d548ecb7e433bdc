"""Says whether a report gives a figure of the program in fewer digits."""

from __future__ import annotations

import re

_FIGURE = re.compile(r"-?(?<![\w.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")


def is_rounded(told: str, given: str) -> bool:
    """Returns whether two values agree in the digits that are told, rounded or cut off."""
    ours, theirs = _FIGURE.findall(told), _FIGURE.findall(given)
    return (
        _FIGURE.sub("0", told).split() == _FIGURE.sub("0", given).split()
        and len(ours) == len(theirs)
        and all(map(_is_near, ours, theirs))
    )


def _is_near(told: str, given: str) -> bool:
    digits = len(told.partition(".")[2])
    if told == given:
        return True
    if "." not in given or digits >= len(given.partition(".")[2]):
        return False
    return given.startswith(told) or abs(float(told) - float(given)) <= 0.5000001 * 10.0**-digits
