"""The sandbox's bench runs real programs beside its rivals, judges by its bars, and counts what is wrong as missed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from evaluation import bench_sandbox
from evaluation.bench_peers import Task, cold_python, load_tasks
from evaluation.bench_sandbox import Times, measured


def times(**milliseconds: list[float]) -> Times:
    return Times("alone", "ms a run", "evalplus", {"split": 0.5}, {"evalplus": [20.0, 10.0, 30.0], **milliseconds})


def test_a_ratio_within_its_bar_passes() -> None:
    found = times(split=[10.0, 1.0, 11.0], auto=[40.0])
    assert not found.missed()
    assert found.lines()[1:] == [
        "  evalplus     median    20.00  p90    30.00",
        "  split        median    10.00  p90    11.00   0.50x evalplus  at most 0.50x: pass",
        "  auto         median    40.00  p90    40.00   2.00x evalplus",
    ]


def test_a_ratio_above_its_bar_and_a_wrong_answer_are_both_missed() -> None:
    slow, wrong = times(split=[10.1]), times(split=[1.0])
    wrong.wrong["split"] += 1
    assert slow.missed()
    assert slow.lines()[2].endswith("at most 0.50x: MISSED")
    assert wrong.missed()
    assert wrong.lines()[2].endswith("1 WRONG")


def test_the_tasks_without_a_file_are_right_and_all_different() -> None:
    tasks = load_tasks(None)
    assert len({task.solution for task in tasks}) == len(tasks) == 40
    assert cold_python(tasks[3].fresh(1))
    assert not cold_python(Task("wrong", "def f(): return 1", "def check(f): assert f() == 2", "f"))


def test_a_file_of_tasks_is_read_and_a_broken_one_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "humaneval.jsonl"
    row = {
        "task_id": "a",
        "prompt": "def f():\n",
        "canonical_solution": "    return 1\n",
        "test": "x",
        "entry_point": "f",
    }
    path.write_text(json.dumps(row))
    assert load_tasks(path) == [Task("a", "def f():\n    return 1\n", "x", "f")]
    path.write_text("{}")
    monkeypatch.setitem(sys.modules, "evalplus.eval", None)
    for arguments in (["--data", str(path)], ["--data", str(tmp_path / "none")], []):
        with pytest.raises(SystemExit) as ended:
            bench_sandbox.main(arguments)
        assert ended.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.slow
def test_every_peer_is_measured_and_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_sandbox.os, "cpu_count", lambda: 1)
    found = measured(load_tasks(None)[:4], {"evalplus": cold_python}, few=2, rounds=1)
    assert [comparison.title for comparison in found] == [
        "one at a time",
        "1 workers",
        "4 workers",
        "a script with a plot",
    ]
    for comparison in found:
        assert not comparison.wrong
        assert all(min(values) > 0 for values in comparison.values.values())
    assert set(found[0].values) == {"evalplus", "inprocess", "split", "auto"}
