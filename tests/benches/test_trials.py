"""The race of whole suites judges by its bars, times what the harness adds, and says what of its rivals is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sandbox import open_sandbox
from tests.benches import trials
from tests.benches.peers import BenchTask, load_tasks

TASKS = load_tasks(None)[:2]
PEER = """
import json, sys
tasks = [json.loads(line) for line in open(sys.argv[1 + sys.argv[1].endswith("inspected.py")])]
print("ready", flush=True)
for line in sys.stdin:
    print(json.dumps([1.5, len(tasks)]), flush=True)
"""


def test_whoever_is_faster_or_wrong_is_told() -> None:
    right = {"ours": [(1.0, 0), (9.0, 0), (1.1, 0)], "evalplus": [(2.0, 0)], "inspect_ai": [(8.0, 0)]}
    assert all(trials._told(right))
    assert not all(trials._told({**right, "evalplus": [(0.9, 0)]}))
    assert not all(trials._told({**right, "ours": [(1.0, 1)]}))


def test_a_bar_is_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    assert trials._kept({"grading adds": 4.9, "a trial adds": 5.1}) == [True, False]
    assert capsys.readouterr().out.splitlines()[1].endswith("at most 5: MISSED")


async def test_inspect_runs_all_tasks_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "peer.py").write_text(PEER)
    async with trials._inspected(TASKS, [sys.executable, str(tmp_path / "peer.py")]) as run:
        assert await run(TASKS) == (1.5, 2)
        assert await run(TASKS) == (1.5, 2)


async def test_inspect_that_cannot_be_started_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"inspect_ai==.* could not be installed or started"):
        async with trials._inspected(TASKS, [sys.executable, "-c", "pass"]):
            pass


@pytest.mark.slow
async def test_known_answers_are_graded_and_the_harness_is_timed() -> None:
    sandbox = open_sandbox(2)
    try:
        seconds, wrong = await trials._ours(sandbox, TASKS)
        assert seconds > 0
        assert wrong == 0
        off = BenchTask("off", "def f():\n    return 1\n", "def check(f):\n    assert f() == 2\n", "f")
        assert (await trials._ours(sandbox, [*TASKS, off]))[1] == 1
        assert await trials._grading_adds(sandbox, TASKS) > 0
    finally:
        await sandbox.aclose()
    assert await trials.trial_adds(2) > 0
