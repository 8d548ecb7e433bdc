"""Every sort of object a solution may offer works the same in one process and across two."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.sandbox.child.harness import Outcome, run_inprocess, run_split

HERE = Path(__file__).parent
SOLUTION = (HERE / "zoo_solution.txt").read_text()
SUITE = (HERE / "zoo_suite.txt").read_text()
NAMES = re.findall(r"^(?:async )?def (test_\w+)", SUITE, re.MULTILINE)


@pytest.fixture(scope="module")
def together() -> Outcome:
    return run_inprocess(SOLUTION, SUITE)


@pytest.fixture(scope="module")
def apart() -> Outcome:
    return run_split(SOLUTION, SUITE)


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_works_in_one_process(together, name):
    assert together.checks.get(name) == "pass", together.messages.get(name, together.stderr)


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_works_across_two(apart, name):
    assert apart.checks.get(name) == "pass", apart.messages.get(name, apart.stderr)


def test_nothing_in_the_zoo_hits_a_limit(apart):
    assert not [record for record in apart.records if record.get("limit")]
