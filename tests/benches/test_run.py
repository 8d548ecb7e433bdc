"""The benches measure what they say: real runs beside bare processes, the router beside the bare stream."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benches import router, run


@pytest.mark.slow
async def test_a_whole_run_is_measured_beside_a_bare_process(tmp_path: Path) -> None:
    bare, runs = await run.measured(tmp_path, 2)
    assert len(bare) == len(runs) == 2
    assert 0 < min(bare) < min(runs)


async def test_the_routers_share_of_a_call_is_measured() -> None:
    measured = await router.measure(calls=3)
    assert measured["routed_ms"] > measured["bare_ms"] > 0
