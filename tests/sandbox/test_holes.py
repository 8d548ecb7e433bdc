"""Objects that a worker's child makes lie side by side."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRY = """
import sys
from sandbox.worker.holes import filled
blocks = [b"%200d" % number for number in range(3000)]
del blocks[::30]
held = filled() if "fill" in sys.argv else []
new = [b"%200d" % number for number in range(40)]
print(len({id(block) >> 14 for block in new}))
"""


def _pools(*words: str) -> int:
    """Pools that forty new objects come to lie in, among thousands of holes."""
    done = subprocess.run([sys.executable, "-c", TRY, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_new_objects_lie_side_by_side_where_the_holes_are_filled() -> None:
    assert _pools() > 10
    assert _pools("fill") <= 2
