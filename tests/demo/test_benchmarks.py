"""A benchmark that the page starts, where it cannot go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from demo.benchmarks import Benchmarks
from evaluation.harness import Harness
from framework.errors import StoreError
from framework.settings import Settings


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (StoreError("the disk is full"), "it could not be stored: the disk is full"),
        (RuntimeError("sk-secret"), "it broke: RuntimeError"),
    ],
)
async def test_whatever_ends_a_benchmark_is_told_in_one_line(
    error: Exception, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(Harness, "open", fails)
    benchmarks = Benchmarks(Settings.from_env({"STATE_DIR": str(tmp_path), "LLM_PROVIDER": "mock"}))
    benchmarks.start(repair=False)
    states = [state async for state in benchmarks.watch()]
    assert (states[-1].running, states[-1].error) == (False, told)
    await benchmarks.stop()
