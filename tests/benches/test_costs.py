"""Costs are told of each process that has them, and of those that it has reaped."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.benches.costs import Costs, look, measured, used
from tests.benches.peers import load_tasks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux's own files")
REAPS = """
import os, sys
for forked in range(2):
    if os.fork() == 0:
        if forked == 0:
            kept = [bytes(4096) for _ in range(3000)]
            os._exit(0)
        sys.stdin.read()
        os._exit(0)
    if forked == 0:
        os.wait()
print(flush=True)
os.wait()
"""


def test_a_worker_that_ended_between_two_looks_takes_nothing_away() -> None:
    before = {1: Costs(5), 2: Costs(0, 8, 11, 300, 900), 3: Costs(0, 40, 40, 40, 40)}
    after = {1: Costs(7), 2: Costs(0, 9, 13, 304, 906), 4: Costs(0, 2, 0, 2, 0)}
    assert used(before, after) / 2 == Costs(1, 1.5, 1, 3, 3)


def test_faults_of_a_child_that_was_reaped_are_the_children_s() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", REAPS], stdin=pipe, stdout=pipe) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        found = used({}, look([worker.pid]))
        worker.communicate()
    assert found.children_faults > 2000 > found.workers_faults > 0


def test_without_a_worker_only_the_supervisor_has_costs() -> None:
    alone = used({}, look([]))
    assert alone.supervisor_ms > 0
    assert alone.all_ms == alone.supervisor_ms


@pytest.mark.slow
async def test_a_run_in_two_processes_copies_more_memory_than_one_in_one() -> None:
    found = await measured(load_tasks(None) * 4, 1)
    assert found["an empty script"].children_faults > 0
    assert found["split"].children_faults > found["inprocess"].children_faults
