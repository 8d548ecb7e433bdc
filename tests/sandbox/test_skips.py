"""A skipped check asks for nothing; whether it was skipped is the tests' to say, never the program's."""

from __future__ import annotations

import pytest

from sandbox import LocalSandbox, Mode, Program

pytestmark = pytest.mark.asyncio(loop_scope="session")
MODES = pytest.mark.parametrize("mode", ["split", "auto"])
HALF = "def half(n):\n    return n // 2\ndef extra():\n    return None\n"
MARKED = """
import sys
import unittest
import pytest

@pytest.mark.skip(reason="later")
def test_later():
    assert half(3) == 7

@pytest.mark.skipif(sys.platform != "nowhere", reason="not there")
def test_nowhere():
    assert half(3) == 7

@pytest.mark.xfail(raises=ZeroDivisionError)
def test_expected():
    assert half(3) / 0

class TestLater(unittest.TestCase):
    @unittest.expectedFailure
    def test_bug(self):
        self.assertEqual(half(3), 7)

    @unittest.skip("later")
    def test_it(self):
        self.assertEqual(half(3), 7)

def test_runs():
    half(3)

def test_half():
    assert half(3) == 1
"""


@MODES
async def test_what_marks_skip_keeps_no_pass_from_being_confirmed(sandbox: LocalSandbox, mode: Mode) -> None:
    done = await sandbox.run(Program(solution=HALF, tests=MARKED, mode=mode))
    assert (done.status, done.confirmed) == ("pass", True), done
    assert [(check.status, check.shows) for check in done.checks] == [
        *[("skipped", False)] * 5, ("pass", False), ("pass", True),
    ]  # fmt: skip


BY_VALUE = {
    "while it runs": "import pytest\ndef test_extra():\n    if extra() is None:\n        pytest.skip('none')\n"
    "    assert extra() == 1\n",
    "by unittest": "import unittest\nclass TestExtra(unittest.TestCase):\n    def test_extra(self):\n"
    "        if extra() is None:\n            self.skipTest('none')\n        self.assertEqual(extra(), 1)\n",
    "by a condition": "import pytest\nimport solution\n"
    "@pytest.mark.skipif(not hasattr(solution, 'more'), reason='none')\n"
    "def test_extra():\n    assert solution.more() == 1\n",
    "by a condition in words": "import pytest\nimport solution\n"
    "@pytest.mark.skipif('not hasattr(solution, \"more\")', reason='none')\n"
    "def test_extra():\n    assert solution.more() == 1\n",
    "by giving no parameters": "import pytest\nimport solution\n"
    "@pytest.mark.parametrize('n', getattr(solution, 'MORE', []))\ndef test_extra(n):\n    assert half(n) == 1\n",
    "by an expected failure": "import pytest\ndef test_extra():\n"
    "    if extra() is None:\n        pytest.xfail('none')\n"
    "    assert extra() == 1\n",
}


@MODES
@pytest.mark.parametrize("how", BY_VALUE)
async def test_a_pass_is_not_confirmed_where_the_program_may_have_had_a_check_skipped(
    sandbox: LocalSandbox, mode: Mode, how: str
) -> None:
    tests = f"{BY_VALUE[how]}def test_half():\n    assert half(3) == 1\n"
    done = await sandbox.run(Program(solution=HALF, tests=tests, mode=mode))
    assert (done.status, done.confirmed) == ("pass", False), done
    assert "test_extra" in done.unconfirmed_reason


EVADING = {
    "unittest": "import unittest\n    raise unittest.SkipTest('no')",
    "a class derived from unittest's": "import unittest\n    raise type('No', (unittest.SkipTest,), {})('no')",
    "pytest": "import pytest\n    pytest.skip('no')",
    "pytest, as by a mark": "import pytest\n    raise pytest.skip.Exception('no', _use_item_location=True)",
    "a class of that name": "raise type('Skipped', (Exception,), {})('no')",
    "an expected failure": "import pytest\n    pytest.xfail('no')",
}
EVADED = """
import unittest

def test_half():
    assert half(3) == 1

class TestHalf(unittest.TestCase):
    def test_half(self):
        self.assertEqual(half(5), 2)

def test_extra():
    assert extra() is None
"""


@pytest.mark.parametrize("mode", ["inprocess", "split", "auto"])
@pytest.mark.parametrize("how", EVADING)
async def test_a_program_cannot_have_a_check_skipped(sandbox: LocalSandbox, mode: Mode, how: str) -> None:
    solution = f"def half(n):\n    {EVADING[how]}\ndef extra():\n    return None\n"
    done = await sandbox.run(Program(solution=solution, tests=EVADED, mode=mode))
    assert not done.passed, done


async def test_a_method_of_unittest_is_not_skipped_either(sandbox: LocalSandbox) -> None:
    how = EVADING["a class derived from unittest's"]
    solution = f"def half(n):\n    {how}\ndef extra():\n    return None\n"
    tests = EVADED.replace("def test_half():", "def unused():")
    done = await sandbox.run(Program(solution=solution, tests=tests, mode="auto"))
    assert not done.passed, done


async def test_where_only_failures_stop_a_run_it_goes_on_behind_a_skipped_check(sandbox: LocalSandbox) -> None:
    done = await sandbox.run(Program(solution=HALF, tests=MARKED, mode="inprocess", fail_fast=True))
    assert (done.status, len(done.checks)) == ("pass", 7), done
