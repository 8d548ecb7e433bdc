"""What imports leave in the interpreter's memory: free blocks here and there. What a forked child makes would be put
into them, and each page that holds such a block be copied; with the holes filled new objects lie side by side."""

from __future__ import annotations

import sys

_HEAD = sys.getsizeof(b"")
_STEP, _LARGEST = 16, 512
"""Blocks come in sizes of so many bytes more each, up to the last that the interpreter manages itself."""
_SMALLEST = -(-(_HEAD + 1) // _STEP) * _STEP
_POOL, _POOL_HEAD = 1 << 14, 48
"""A pool holds blocks of one size, from its head on."""
_MOST = 3000


def filled() -> list[bytes]:
    """What fills them now; they are filled as long as it lives."""
    return [block for size in range(_SMALLEST, _LARGEST + 1, _STEP) for block in _filled(size)]


def _filled(size: int) -> list[bytes]:
    """Blocks of one size, until a fresh pool is full from first to last: none is begun while another has room."""
    blocks = [bytes(size - _HEAD)]
    in_a_row = 1
    while in_a_row < (_POOL - _POOL_HEAD) // size and len(blocks) < _MOST:
        blocks.append(bytes(size - _HEAD))
        in_a_row = in_a_row + 1 if id(blocks[-1]) - id(blocks[-2]) == size else 1
    return blocks
