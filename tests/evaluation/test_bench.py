"""The bench measures real runs beside bare processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation import bench


@pytest.mark.slow
async def test_a_whole_run_is_measured_beside_a_bare_process(tmp_path: Path) -> None:
    bare, runs = await bench.measured(tmp_path, 2)
    assert len(bare) == len(runs) == 2
    assert 0 < min(bare) < min(runs)
