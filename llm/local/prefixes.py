"""Keeps the attention states of earlier prompts.

A prompt with the same beginning is then computed only from where it differs.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

SMALLEST = 16
"""The shared tokens below which copying a cache is not worth it."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A kept cache and its size in bytes."""

    cache: Any
    bytes: int


def rewindable(cache: Any) -> bool:
    """Returns whether a cache holds one entry for each token, so that its end can be taken off. Models that sum the
    past up (state space, convolution) have no such cache, and run without kept prompts and drafts."""
    return all(type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in cache.layers)


class PrefixStore:
    """Keeps caches by the exact token ids they were computed from. It is not thread-safe: one generation at a time uses
    it.

    A cache of other tokens raises nothing when it is used and silently changes the answer, so ids are compared one by
    one.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[int, ...], _Kept] = OrderedDict()

    @property
    def bytes(self) -> int:
        return sum(kept.bytes for kept in self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, prompt: tuple[int, ...]) -> tuple[Any, int] | None:
        """Returns a private copy of the cache with the longest shared beginning, and its length in tokens; None if none
        is long enough. At least the last prompt token is left to compute, because the reply starts from its logits."""
        best: tuple[int, tuple[int, ...]] | None = None
        for ids, kept in self._kept.items():
            usable = min(_shared(ids, prompt), len(prompt) - 1)
            if usable < len(ids) and not _can_shrink(kept.cache):
                continue
            if usable >= SMALLEST and (best is None or usable > best[0]):
                best = usable, ids
        if best is None:
            return None
        usable, ids = best
        self._kept.move_to_end(ids)
        cache = _shortened(self._kept[ids].cache, len(ids) - usable)
        return cache, usable

    def keep(self, ids: tuple[int, ...], cache: Any) -> None:
        """Takes the cache over. Entries that it covers are dropped, and the oldest are dropped if memory runs out."""
        size = _size(cache)
        if size > self._max_bytes or len(ids) < SMALLEST or cache.get_seq_length() != len(ids):
            return
        if _can_shrink(cache):
            for other in [other for other in self._kept if other == ids[: len(other)]]:
                del self._kept[other]
        self._kept[ids] = _Kept(cache, size)
        while self.bytes > self._max_bytes:
            self._kept.popitem(last=False)

    def prompts(self) -> tuple[tuple[int, ...], ...]:
        """Returns the token ids of the kept caches, oldest first."""
        return tuple(self._kept)


def _shared(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def _can_shrink(cache: Any) -> bool:
    """Returns False if a window of attention has already forgotten the beginning."""
    return not any(layer.is_sliding and layer.get_seq_length() >= layer.sliding_window for layer in cache.layers)


def _shortened(cache: Any, surplus: int) -> Any:
    own = copy.deepcopy(cache)
    if surplus:
        own.crop(-surplus)
    return own


def _size(cache: Any) -> int:
    """Returns the bytes of every tensor that the layers hold, whatever kind of attention they serve."""
    states: list[dict[str, Any]] = [vars(layer) for layer in cache.layers]
    values = [value for state in states for value in state.values() if hasattr(value, "element_size")]
    return sum(value.numel() * value.element_size() for value in values)
