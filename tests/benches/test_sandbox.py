"""The sandbox's bench runs real programs beside its rivals, judges by its bars, and counts what is wrong as missed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benches import sandbox
from tests.benches.peers import BenchTask, cold_python, load_tasks
from tests.benches.sandbox import Times, measured

ROOT = Path(__file__).resolve().parents[2]
EVALPLUS = """
def untrusted_check(dataset, code, inputs, entry_point, expected, atol, ref_time, fast_check):
    space = {}
    exec(code, space)
    try:
        return ("pass" if space[entry_point](*inputs[0]) == expected[0] else "fail"), []
    except AssertionError:
        return "fail", []
"""
"""Stands for the package, which is no dependency of the tests: the same signature, no walls, no fork."""


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


async def test_the_tasks_without_a_file_are_right_and_all_different() -> None:
    tasks = load_tasks(None)
    assert len({task.solution for task in tasks}) == len(tasks) == 40
    assert tasks[3].fresh(1) != tasks[3].fresh(2)
    async with cold_python(1) as run:
        assert await run(tasks[3].fresh(1))
        assert not await run(BenchTask("wrong", "def f(): return 1", "def check(f): assert f() == 2", "f"))


def test_a_file_of_tasks_is_read(tmp_path: Path) -> None:
    row = {
        "task_id": "a",
        "prompt": "def f():\n",
        "canonical_solution": "    return 1\n",
        "test": "x",
        "entry_point": "f",
    }
    (tmp_path / "tasks.jsonl").write_text(json.dumps(row) + "\n\n")
    assert load_tasks(tmp_path / "tasks.jsonl") == [BenchTask("a", "def f():\n    return 1\n", "x", "f")]


@pytest.mark.parametrize("text", ["{}", "5", "not json", None])
def test_a_file_that_holds_no_tasks_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    path = tmp_path / "tasks.jsonl"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SystemExit) as ended:
        sandbox.main(["--data", str(path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def rival(package: Path, lines: str) -> subprocess.CompletedProcess[str]:
    """The process that runs evalplus, with the package that lies in a folder."""
    code = f"import sys; sys.path.insert(0, {str(package)!r}); from tests.benches.rival import main; sys.exit(main())"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, input=lines, capture_output=True, text=True, timeout=60, check=False)


def test_the_rival_answers_a_line_for_a_line(tmp_path: Path) -> None:
    (tmp_path / "evalplus").mkdir()
    (tmp_path / "evalplus" / "__init__.py").touch()
    (tmp_path / "evalplus" / "eval.py").write_text(EVALPLUS)
    right = {"solution": "def f(): return 1", "tests": "def check(f): assert f() == 1", "entry": "f"}
    wrong = right | {"solution": "def f(): return 2"}
    done = rival(tmp_path, "".join(json.dumps(task) + "\n" for task in (right, wrong, right)))
    assert (done.returncode, done.stdout.split()) == (0, ["ready", "pass", "fail", "pass"])


def test_a_rival_that_is_not_installed_says_so(tmp_path: Path) -> None:
    (tmp_path / "evalplus.py").write_text("raise ImportError('no evalplus here')\n")
    done = rival(tmp_path, "")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "no evalplus here\n")


@pytest.mark.slow
def test_every_peer_is_measured_and_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox.os, "cpu_count", lambda: 1)
    found = measured(load_tasks(None)[:4], {"evalplus": cold_python}, few=2, rounds=1)
    among = "good programs among killers, "
    assert [times.title for times in found] == [
        "one at a time", "1 workers", f"{among}1 workers", "4 workers", f"{among}4 workers", "a script with a plot"
    ]  # fmt: skip
    for times in found:
        assert not times.wrong
        assert all(min(values) > 0 for values in times.values.values())
    assert set(found[0].values) == {"evalplus", "inprocess", "split", "auto"}
