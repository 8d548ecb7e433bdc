"""Fills the free blocks that imports leave in the interpreter's memory. A fork shares each page until it is written to
(copy-on-write). What a forked child makes would be put into those blocks, and each page that holds one be copied; once
they are filled, new objects lie side by side."""

from __future__ import annotations

import sys

_HEAD = sys.getsizeof(b"")
_STEP, _LARGEST = 16, 512
"""Blocks come in sizes that differ by _STEP bytes, up to the largest size that the interpreter manages itself."""
_SMALLEST = -(-(_HEAD + 1) // _STEP) * _STEP
_POOL, _POOL_HEAD = 1 << 14, 48
"""Bytes of a pool, which holds blocks of one size, and of the head before them."""
_MAX_BLOCKS_PER_SIZE = 3000
"""The blocks of one size after which filling stops, should no fresh pool come: about 1.5 MB of the largest size."""


def filled() -> list[bytes]:
    """Returns the objects that fill the free blocks; the blocks stay filled as long as the list lives."""
    return [block for size in range(_SMALLEST, _LARGEST + 1, _STEP) for block in _filled(size)]


def _filled(size: int) -> list[bytes]:
    """Returns blocks of one size. The last of them fill a fresh pool from first to last, and the interpreter begins no
    pool while another one has room."""
    blocks = [bytes(size - _HEAD)]
    in_a_row = 1
    while in_a_row < (_POOL - _POOL_HEAD) // size and len(blocks) < _MAX_BLOCKS_PER_SIZE:
        blocks.append(bytes(size - _HEAD))
        in_a_row = in_a_row + 1 if id(blocks[-1]) - id(blocks[-2]) == size else 1
    return blocks
