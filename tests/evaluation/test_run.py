"""The command line: what it refuses in one line, and that nothing finished is lost."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import pytest
from rich.console import Console

from agent.events import codec
from evaluation.__main__ import main
from evaluation.arms import ARMS, config_of
from evaluation.console import Progress
from evaluation.trials import FILE
from tests.llm.recorded import write
from tests.tables import in_one_test

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, out: Path) -> int:
    return main(["run", *arguments, "--out", str(out)])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--suite", "humaneval"], 2, "needs --data PATH: humaneval.jsonl"),
        (["--suite", "humaneval", "--data", "nowhere"], 2, "nowhere cannot be read: No such file"),
        (["--suite", "mbpp", "--data", __file__], 2, "is not a file of JSON lines"),
        (["--suite", "scenarios", "--data", "nowhere"], 2, "nowhere cannot be read"),
        (["--suite", "bundled", "--data", "nowhere"], 2, "nowhere cannot be read"),
        (["--suite", "scenarios", "--task-ids", "slugify,unknown"], 2, "unknown task ids: unknown"),
        (["--suite", "bundled", "--provider", "unknown"], 2, "there is no provider 'unknown'"),
        (["--suite", "bundled", "--provider", "anthropic"], 3, "needs a key: set ANTHROPIC_API_KEY"),
        (["--suite", "bundled", "--provider", "replay"], 3, "--data DIR"),
        (["--suite", "scenarios", "--provider", "mock", "--engine", "celery"], 3, "REDIS_URL"),
    ],
)
def test_what_cannot_be_run_is_one_line(
    arguments: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments, out=tmp_path / "out") == code
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [["--suite", "unknown"], ["--suite", "bundled", "--limit", "0"], ["--suite", "bundled", "--samples", "x"], []],
)
def test_bad_usage_is_one_line_and_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", *arguments])
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_row_without_a_field_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "humaneval.jsonl").write_text('{"task_id": "HumanEval/0", "prompt": "def f(): ..."}\n')
    assert run("--suite", "humaneval", "--data", str(tmp_path), out=tmp_path / "out") == 2
    assert "no field 'test'" in capsys.readouterr().err


@pytest.mark.slow
def test_only_recorded_problems_are_replayed_and_the_report_says_what_is_simulated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = write(tmp_path / "data"), tmp_path / "out"
    assert (
        run("--suite", "humaneval", "--provider", "replay", "--data", str(data), "--samples", "2", "--plant", out=out)
        == 0
    )
    told = capsys.readouterr()
    assert "1 of 2 problems have recorded programs" in told.err
    assert told.out.count("SIMULATED: ") == 4
    assert "one wrong test was planted" in told.out
    assert "80 % of their calls" in told.out
    rows = [json.loads(line) for line in (out / FILE).read_text().splitlines()]
    assert sorted(row["key"] for row in rows) == ["HumanEval/4#0", "HumanEval/4#1"]
    for row in rows:
        made = row["made"]
        assert made["versions"]["prompts"]["generator"] >= 1
        assert made["versions"]["packages"]["pytest"]
        assert made["settings"]["max_repairs"] == 4
        assert made["budget"] == {"usd": None, "calls": 40, "tokens": None}
        assert "cores" in made["machine"]
        assert datetime.fromisoformat(row["date"]).tzinfo is not None


@pytest.mark.slow
def test_the_demo_model_is_given_its_own_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--suite", "bundled", "--provider", "mock", "--task-ids", "slugify", out=tmp_path) == 0
    told = capsys.readouterr()
    assert "the suite is `scenarios`" in told.err
    assert told.out.startswith("# scenarios with mock")


def test_replaying_another_suite_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write(tmp_path / "data", programs=[])
    assert run("--suite", "humaneval", "--provider", "replay", "--data", str(data), out=tmp_path / "out") == 3
    assert "no program of gpt-3.5-turbo-1106 is recorded" in capsys.readouterr().err


THREE = [sys.executable, "-m", "evaluation", "run", "--suite", "scenarios", "--provider", "mock", "--workers", "1"]
THREE += ["--task-ids", "interval_merging,roman_numerals,wrong_test"]
"""The second takes longest, so that there is time to end the run while it is made."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a run of three trials wrote what nobody ended half way."""
    folder = tmp_path_factory.mktemp("undisturbed")
    alone = subprocess.run(
        [*THREE, "--out", str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert alone.returncode == 0, alone.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_ended_half_way_goes_on_without_repeating_anything(
    tmp_path: Path, how: signal.Signals, undisturbed: Path
) -> None:
    command, log = [*THREE, "--out", str(tmp_path)], tmp_path / FILE
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        until = time.monotonic() + 180
        while not (log.exists() and log.read_bytes().endswith(b"\n")) and time.monotonic() < until:
            time.sleep(0.01)  # another process is watched; there is nothing to await
        process.send_signal(how)
        _, said = process.communicate(timeout=30)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert how != signal.SIGINT or "go on with --resume" in said
    assert "Traceback" not in said
    finished = log.read_text().splitlines()
    assert 1 <= len(finished) < 3
    again = subprocess.run([*command, "--resume"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert again.returncode == 0, again.stderr
    lines = log.read_text().splitlines()
    assert lines[: len(finished)] == finished
    assert outcomes(tmp_path) == outcomes(undisturbed)
    assert len(outcomes(tmp_path)) == len(lines) == 3


def outcomes(folder: Path) -> dict[str, dict[str, object]]:
    """What of each trial does not depend on when, how fast and from which commit it was made."""
    rows = [json.loads(line) for line in (folder / FILE).read_text().splitlines()]
    timing = ("seconds", "model_seconds", "sandbox_seconds", "grading_seconds", "run_id", "date", "made")
    return {row["key"]: {name: value for name, value in row.items() if name not in timing} for row in rows}


@pytest.mark.parametrize(
    ("arm", "field", "value"), [("no_adversary", "adversary", False), ("no_repair", "max_repairs", 0)]
)
def test_an_arm_is_one_flag_under_the_same_budget(arm: str, field: str, value: object) -> None:
    full, less = (asdict(codec.configs.decode(config_of(name, 5000))) for name in ("full", arm))
    assert less == {**full, field: value}
    assert full["budget_tokens"] == 5000


@in_one_test("arm", ARMS)
def test_every_arm_but_the_full_loop_changes_something(arm: str) -> None:
    changed = codec.configs.decode(config_of(arm, None)) != codec.configs.decode({})
    assert changed is (arm != "full")


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_tells_rate_and_time_left(terminal: bool) -> None:
    times, seen = iter([0.0, 10.0, 20.0]), io.StringIO()
    screen = Console(file=seen, force_terminal=terminal, width=100)
    with Progress(4, lambda: next(times), screen) as progress:
        progress.tell("one: right")
        progress.tell("two: wrong")
    assert "2 of 4, 6.0 a minute, about 0 min left" in seen.getvalue()
    assert ("one: right (1 of 4" in seen.getvalue()) is not terminal
