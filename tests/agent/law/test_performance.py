"""Claims of growth, seconds and memory, measured on right programs and on ones that are too slow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from agent.runs import AgentRuns
from tests.agent.model_server import ModelServer
from tests.agent.test_witnesses import plays, run

from .conftest import Inspect

MEASURED = ("complexity", "time", "memory")
TASKS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("performance.yaml").read_text(encoding="utf-8"))


def programs(kind: str) -> list[Any]:
    """A sixth of them runs in CI."""
    found: list[tuple[str, str, str]] = []
    for task in TASKS:
        codes = [task[kind]] if isinstance(task[kind], str) else task[kind]
        found += [(task["task"], code, f"{task['name']}-{place}") for place, code in enumerate(codes)]
    return [
        pytest.param(text, code, id=name, marks=pytest.mark.corpus if number % 6 else pytest.mark.slow)
        for number, (text, code, name) in enumerate(found)
    ]


def test_there_are_more_than_twenty_tasks() -> None:
    assert len(TASKS) >= 25


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("task", "code"), programs("right"))
async def test_a_program_as_fast_as_claimed_is_never_broken(inspected: Inspect, task: str, code: str) -> None:
    """On a quiet machine it is kept; on a loaded one it may be left open."""
    findings = [finding for finding in await inspected(task, code) if finding.kind in MEASURED]
    assert findings
    assert "broken" not in {finding.standing for finding in findings}, findings


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("task", "code"), programs("slow"))
async def test_a_program_that_is_too_slow_is_never_kept(inspected: Inspect, task: str, code: str) -> None:
    findings = [finding for finding in await inspected(task, code) if finding.kind in MEASURED]
    assert {finding.standing for finding in findings} & {"broken", "open"}, findings
    assert "kept" not in {finding.standing for finding in findings if finding.kind != "memory"} or any(
        finding.standing == "broken" for finding in findings
    ), findings


BUBBLES = next(task for task in TASKS if task["name"] == "sorting")["slow"][0]
SORTS = "def test_none():\n    assert psort([]) == []\n\ndef test_equal():\n    assert psort([5, 4, 4]) == [4, 4, 5]\n"


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_a_bubble_sort_fails_where_n_log_n_and_a_second_for_a_million_are_demanded(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    plays(model_server, generator=BUBBLES, spec_tester=SORTS, **dict.fromkeys(("planner", "reviewer", "debugger"), "x"))
    task = (
        "psort(xs) sorts in O(n log n), within 1 s for 10^6 elements, e.g. psort([2, 1]) -> [1, 2] and psort([]) == []"
    )
    played = await run(live_runs, task, max_repairs=0, max_rewrites=0, reference=False, valid_inputs=False)
    assert played.outcome["verdict"] == "failed", played.outcome["verdict_reason"]
    scaling = played.outcome["evidence"]["scaling"]
    assert scaling["low"] > 1.5, "the interval lies above the claim"
    assert "O(n log n)" in played.outcome["verdict_reason"]
