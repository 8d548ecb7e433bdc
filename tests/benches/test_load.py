"""What counts as the same answer of a busy machine; no scenario is run here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from tests.benches.load import busy, main, read_facts, table

RUN = {
    "verdict": "verified",
    "evidence": {
        "checks": [{"outcome": "pass"}, {"outcome": "skipped"}, {"outcome": "pass"}],
        "mutation": {"killed": 28, "total": 30},
    },
}
FACTS = ("verified", "2 pass, 1 skipped", "28 of 30")


def test_a_run_is_read_for_verdict_counts_and_mutants() -> None:
    assert read_facts(RUN) == FACTS
    assert read_facts({"verdict": "failed", "evidence": None}) == ("failed", "", "")


def test_a_scenario_that_answers_in_two_ways_is_marked() -> None:
    other = ("verified", "2 pass, 1 skipped", "27 of 30")
    lines = list(table({"same": [Counter({FACTS: 3}), Counter({FACTS: 3})], "odd": [Counter({FACTS: 3, other: 1})]}))
    assert [("DIFFERS" in line, line.split()[0]) for line in lines] == [(False, "same"), (True, "odd"), (True, "odd")]
    assert "6 x" in lines[0]


def test_busy_loops_end_with_the_block() -> None:
    before = set(os.listdir("/proc"))
    with busy(2):
        pass
    mine = [name for name in set(os.listdir("/proc")) - before if name.isdigit() and _parent(name) == os.getpid()]
    assert not mine


@pytest.mark.slow
def test_busy_loops_end_with_a_process_that_is_killed() -> None:
    code = "import os\nfrom tests.benches.load import busy\nwith busy(1):\n    os.kill(os.getpid(), 9)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300, check=False)
    assert done.returncode == -9, "and the loop has let go of the pipe that it shared"


def _parent(name: str) -> int:
    try:
        with open(f"/proc/{name}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_an_unknown_scenario_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["no_such_thing"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
