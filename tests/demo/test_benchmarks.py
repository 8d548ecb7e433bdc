"""The benchmarks of the page: how results are shown, and what is told where one cannot go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from demo.benchmarks import SHIPPED, Benchmarks
from demo.panels.benchmarks import BenchmarkResult, benchmarks_panel
from evaluation.harness import Harness
from evaluation.metrics import figures
from framework.errors import StoreError
from framework.settings import Settings


async def test_the_benchmark_that_came_with_the_app_is_shown_with_its_intervals(tmp_path: Path) -> None:
    settings = Settings.from_env({"STATE_DIR": str(tmp_path), "LLM_PROVIDER": "mock"})
    shown = str(
        benchmarks_panel([*await Benchmarks(settings).stored(), BenchmarkResult("none yet", False, figures([]))])
    )
    shipped, none = shown.split("none yet", 1)
    told = json.loads(SHIPPED.read_text())["tier1"]
    for percent, (low, high) in (
        (told["final_correct"], told["final_correct_ci"]),
        (told["verdicts"]["verified"]["right"], told["verdicts"]["verified"]["right_ci"]),
    ):
        assert f"<td>{percent:.1f}</td><td>{low:.1f} to {high:.1f}</td>" in shipped
    assert "0 problems, 0 trials, first program only" in none
    assert "<td>" not in none


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
