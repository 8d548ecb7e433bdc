"""All canonical solutions of HumanEval pass in both modes, and each fails once an assert is made wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.child.harness import run_inprocess, run_split

DATA = Path(__file__).parents[4].parent / "shared" / "data" / "humaneval.jsonl"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the HumanEval data is not here")


def _rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in DATA.read_text().splitlines()] if DATA.exists() else []


def _program(row: dict[str, Any]) -> tuple[str, str]:
    return row["prompt"] + row["canonical_solution"], f"{row['test']}\ncheck({row['entry_point']})\n"


QUICK = _rows()[::8]
SHARES = [QUICK, pytest.param(_rows(), marks=pytest.mark.slow)]


@pytest.mark.parametrize("rows", SHARES, ids=["every eighth", "all"])
@pytest.mark.parametrize("run", [run_inprocess, run_split])
def test_every_canonical_solution_passes(run, rows):
    for row in rows:
        outcome = run(*_program(row))
        assert outcome.passed, (row["task_id"], outcome.records, outcome.stderr)
        assert not outcome.doubts, row["task_id"]


@pytest.mark.slow
@pytest.mark.parametrize("rows", SHARES, ids=["every eighth", "all"])
@pytest.mark.parametrize("run", [run_inprocess, run_split])
def test_a_planted_wrong_assert_is_found(run, rows):
    for row in rows:
        solution, tests = _program(row)
        outcome = run(solution, f"{tests}\nassert {row['entry_point']} is None\n")
        assert outcome.checks == {"module": "fail"}, row["task_id"]
