"""How the commands end when they are stopped while they load, while they leave, and when nobody reads any more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INTERRUPTS = """
import atexit, os, signal, sys

moment = os.environ["MOMENT"]

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class Moment:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            sys.meta_path.remove(self)
            interrupt()

sys.meta_path.insert(0, Moment())
if moment == "exit":
    atexit.register(interrupt)
"""
"""Loaded by the interpreter before anything else: Ctrl-C comes when MOMENT is imported, or when the process leaves."""


def ended(tmp_path: Path, moment: str, *words: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTS)
    (tmp_path / "script.py").write_text("print(1)\n")
    named = [str(tmp_path / "script.py") if word == "SCRIPT" else word for word in words]
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "MOMENT": moment}
    return subprocess.run(
        [sys.executable, *named], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
        text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("moment", ["argparse", "framework.settings", "gradio"])
def test_ctrl_c_ends_an_app_that_loads(tmp_path: Path, moment: str) -> None:
    done = ended(tmp_path, moment, "app.py", "--port", "0")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        (["-m", "sandbox", "run", "SCRIPT", "--json"], "argparse"),
        pytest.param(["-m", "sandbox", "run", "SCRIPT", "--json"], "asyncio", marks=pytest.mark.slow),
        pytest.param(["-m", "agent", "a task", "--json"], "langgraph", marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_while_a_command_loads_is_told_in_one_object(tmp_path: Path, words: list[str], moment: str) -> None:
    done = ended(tmp_path, moment, *words)
    assert (done.returncode, done.stdout.count("\n"), done.stderr.count("\n")) == (130, 1, 1), done.stderr
    told = json.loads(done.stdout)
    assert "stopped" in (told["error"] or told["stop_reason"])
    assert "stopped" in done.stderr


@pytest.mark.slow
def test_ctrl_c_after_the_last_word_changes_nothing(tmp_path: Path) -> None:
    done = ended(tmp_path, "exit", "-m", "evaluation", "--help")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_reader_that_has_gone_is_met_in_silence(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = ended(tmp_path, "never", "-m", "evaluation", "--help", stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
