"""Costs are told of each process that has them, and of those that it has reaped."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.benches.costs import Costs, measured, used_until_now
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


def test_costs_of_a_run_are_those_between_two_looks() -> None:
    assert Costs(5, 8, 11, 300, 900).per_run(Costs(1, 2, 3, 100, 100), 4) == Costs(1, 1.5, 2, 50, 200)


def test_faults_of_a_child_that_was_reaped_are_the_children_s() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", REAPS], stdin=pipe, stdout=pipe) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        found = used_until_now([worker.pid])
        worker.communicate()
    assert found.children_faults > 2000 > found.workers_faults > 0


def test_without_a_worker_only_the_supervisor_has_costs() -> None:
    alone = used_until_now([])
    assert alone.supervisor_ms > 0
    assert alone.all_ms == alone.supervisor_ms


@pytest.mark.slow
async def test_a_run_in_two_processes_copies_more_memory_than_one_in_one() -> None:
    found = await measured(load_tasks(None)[:8], 1)
    assert found["an empty script"].children_faults > 100
    assert found["split"].children_faults > 1.5 * found["inprocess"].children_faults
