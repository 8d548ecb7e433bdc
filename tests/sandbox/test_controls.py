"""Honest programs are right and confirmed, wrong ones are wrong: without this no wall means anything."""

from __future__ import annotations

import pytest

from sandbox import Execution, Limits, LocalSandbox, Program
from tests.sandbox.corpus import corpus

pytestmark = pytest.mark.asyncio(loop_scope="session")

ADD = "def test_add():\n    assert add(2, 3) == 5\n"

HONEST = corpus("honest")


async def judged(sandbox: LocalSandbox, solution: str, tests: str) -> Execution:
    return await sandbox.run(Program(solution=solution, tests=tests, limits=Limits(timeout=10)))


@pytest.mark.parametrize("name", HONEST)
async def test_an_honest_program_passes_and_is_confirmed(sandbox: LocalSandbox, name: str) -> None:
    done = await judged(sandbox, HONEST[name]["solution"], HONEST[name]["tests"])
    assert (done.status, done.confirmed) == ("pass", True), done
    assert done.checks
    assert all(check.status == "pass" for check in done.checks)


async def test_a_wrong_program_fails_with_expected_and_actual_values(sandbox: LocalSandbox) -> None:
    done = await judged(sandbox, "def add(a, b):\n    return a - b\n", ADD)
    assert (done.status, done.confirmed) == ("fail", False)
    assert "-1" in done.checks[0].message
    assert "5" in done.checks[0].message


async def test_a_slow_but_right_program_passes(sandbox: LocalSandbox) -> None:
    slow = "import time\ndef add(a, b):\n    time.sleep(0.3)\n    return a + b\n"
    done = await sandbox.run(Program(solution=slow, tests=ADD, limits=Limits(timeout=3)))
    assert (done.status, done.confirmed) == ("pass", True)


async def test_a_program_of_several_modules_is_imported_as_a_package(sandbox: LocalSandbox) -> None:
    package = {
        "shop/__init__.py": "from .cart import total\n",
        "shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    }
    tests = (
        "from shop import total\nfrom shop.cart import total as same\n"
        "def test_total():\n    assert total([1, 2]) == same([3])\n"
    )
    done = await sandbox.run(Program(package=package, tests=tests))
    assert (done.status, done.confirmed) == ("pass", True), done


async def test_a_test_can_run_the_program_behind_walls_of_its_own(sandbox: LocalSandbox) -> None:
    program = "import sys\nname = input()\nprint('hello', name, *sys.argv[1:], open('data.txt').read())\nsys.exit(3)\n"
    tests = (
        "def test_program():\n    done = run_program(['-v'], 'Ada\\n', {'data.txt': 'x'})\n"
        "    assert done.exit_code == 3\n    assert done.stdout == 'hello Ada -v x\\n'\n"
    )
    done = await sandbox.run(Program(solution=program, tests=tests))
    assert done.status == "pass", done
