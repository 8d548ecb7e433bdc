"""Computes intervals of plain proportions, as fractions. They never have width 0."""

from __future__ import annotations

import math

_HALVINGS = 60
"""The steps of the search for a bound. Its error is far below any figure that is shown."""


def wilson(hits: float, total: int, z: float = 1.96) -> tuple[float, float]:
    """Returns the 95 % interval of a proportion; (0, 1) if `total` is 0. `hits` may be a sum of shares, one for each of
    `total` units."""
    if not total:
        return 0.0, 1.0
    share, spread = hits / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def at_most(hits: int, total: int, share: float) -> float:
    """Returns the probability of at most `hits` among `total` independent units that each hit with probability
    `share`."""
    return math.fsum(math.comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(hits + 1))


def upper_bound(hits: int, total: int, level: float) -> float:
    """Returns the exact (Clopper-Pearson) one-sided bound: the share at which so few hits have probability `level`."""
    if hits >= total:
        return 1.0
    low, high = hits / total, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(hits, total, middle) > level else (low, middle)
    return high
