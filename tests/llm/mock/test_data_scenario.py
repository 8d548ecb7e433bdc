"""The script over a data file: the first version stumbles, two written independently print the same and draw."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from llm.scenarios import get_scenario
from tests.llm.mock.scripted import programs

TOTALS = ["Jan 30.50", "Feb 20.25", "Mar 1230.75"]


def run(step: str, folder: Path) -> subprocess.CompletedProcess[str]:
    scenario = get_scenario("csv_to_plot")
    assert scenario is not None
    for name, data in scenario.files.items():
        (folder / name).write_bytes(data)
    command = [sys.executable, "-I", "-c", programs("csv_to_plot")[step]]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.slow
def test_first_script_ends_in_an_error_and_draws_nothing(tmp_path: Path) -> None:
    done = run("first", tmp_path)
    assert done.returncode != 0
    assert "ValueError" in done.stderr
    assert not (tmp_path / "sales.png").exists()


@pytest.mark.slow
@pytest.mark.parametrize("step", ["repair:1", "independent:1"])
def test_later_scripts_print_the_totals_and_draw_a_picture(step: str, tmp_path: Path) -> None:
    done = run(step, tmp_path)
    assert done.stdout.splitlines() == TOTALS, done.stderr
    assert (tmp_path / "sales.png").read_bytes().startswith(b"\x89PNG")
