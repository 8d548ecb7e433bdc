"""Trials made by real Celery workers over a real Redis on this machine, where both are installed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluation.fleet import NoFleet, Watch, application
from evaluation.trials import FILE
from framework.settings import Settings
from tests.agent.command_line import free_port

ROOT = Path(__file__).resolve().parents[2]


def test_without_an_address_it_says_what_to_set() -> None:
    with pytest.raises(NoFleet, match="REDIS_URL"):
        application(Settings.from_env({}))


def begun(worker: str) -> SimpleNamespace:
    return SimpleNamespace(state="STARTED", info={"hostname": worker})


def test_what_a_killed_worker_had_begun_is_lost_after_two_silent_pings_and_nothing_else_is() -> None:
    watch, queued = Watch(), SimpleNamespace(state="PENDING", info=None)
    waiting = {"a#0": begun("one"), "b#0": begun("two"), "c#0": queued}
    for answers, lost in (
        ("one two", []), ("two", []), ("one two", []), ("two", []), ("two", ["a#0"]), ("two three", ["a#0"]),
    ):  # fmt: skip
        watch.heard(frozenset(answers.split()))
        assert watch.lost(waiting) == lost, answers
    assert watch.lost({"a#0": begun("three")}) == [], "what was sent again is another worker's"


def test_a_fleet_that_is_gone_is_told_after_two_silent_pings() -> None:
    watch = Watch()
    watch.heard(frozenset({"one"}))
    watch.heard(frozenset())
    assert watch.lost({"a#0": begun("one")}) == []
    watch.heard(frozenset())
    with pytest.raises(NoFleet, match="no worker answers"):
        watch.lost({"a#0": begun("one")})


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment that names a Redis of this test."""
    pytest.importorskip("celery", reason="needs the extra `celery`")
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("redis-server is not installed")
    port = free_port()
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        until = time.monotonic() + 10
        while time.monotonic() < until and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
        yield {**os.environ, "REDIS_URL": f"redis://127.0.0.1:{port}/0", "STATE_DIR": str(tmp_path / "workers")}
        process.terminate()


def evaluate(out: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evaluation", "run", "--suite", "scenarios", "--provider", "mock"]
    command += ["--task-ids", "slugify,roman_numerals", "--engine", "celery", "--out", str(out), "--resume"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_workers_make_the_trials_and_their_absence_is_one_line(broker: dict[str, str], tmp_path: Path) -> None:
    alone = evaluate(tmp_path / "out", broker)
    assert alone.returncode == 3
    assert alone.stderr.splitlines()[-1].endswith("start one with: python -m evaluation worker")
    command = [sys.executable, "-m", "evaluation", "worker", "--workers", "2"]
    with subprocess.Popen(command, cwd=ROOT, env=broker, stdout=subprocess.DEVNULL) as worker:
        until = time.monotonic() + 60
        while (done := evaluate(tmp_path / "out", broker)).returncode == 3 and time.monotonic() < until:
            pass
        worker.terminate()
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out" / FILE).read_text().splitlines()]
    assert {row["problem"]: (row["verdict"], row["final_correct"]) for row in rows} == {
        "slugify": ("verified", True),
        "roman_numerals": ("verified", True),
    }
