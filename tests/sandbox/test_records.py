"""What a run reports is what happened: a check that hangs or dies costs itself only, in every mode."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import pytest

from sandbox import Limits, LocalSandbox, Mode, Program
from sandbox.child.reporter import NOT_LOADED
from sandbox.link import Frame, Link

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
MODES = pytest.mark.parametrize("mode", ["inprocess", "split", "auto"])
DOUBLE = "def f(x):\n    return 2 * x\n"
WAYS_TO_BE_LOST = {
    "computes for ever": ("while True: pass", "timeout"),
    "catches everything for ever": (
        "while True:\n        try:\n            while True: pass\n        except BaseException: pass", "timeout",
    ),
    "sleeps": ("__import__('time').sleep(600)", "timeout"),
    "leaves": ("__import__('os')._exit(0)", "error"),
    "crashes": ("__import__('ctypes').string_at(0)", "error"),
    "eats the memory": ("assert bytearray(4 << 30)", "error"),
}  # fmt: skip


def suite(body: str, fixture: str = "") -> str:
    """Four checks; the second is lost. With a fixture the suite needs pytest itself."""
    return "\n".join((
        *(["import pytest", "@pytest.fixture", "def one():", "    return 1"] if fixture else ["one = 1"]),
        f"def test_before({fixture}):", "    assert f(one) == 2",
        f"def test_lost({fixture}):", f"    {body}", "    assert f(1) == 2",
        f"def test_behind({fixture}):", "    assert f(2) == 4",
        f"def test_wrong({fixture}):", "    assert f(2) == 5",
    ))  # fmt: skip


@MODES
@pytest.mark.parametrize("fixture", [pytest.param("", id="plain"), pytest.param("one", id="pytest")])
@pytest.mark.parametrize("way", WAYS_TO_BE_LOST)
async def test_a_lost_check_costs_itself_only(sandbox: LocalSandbox, mode: Mode, fixture: str, way: str) -> None:
    body, expected = WAYS_TO_BE_LOST[way]
    limits = Limits(timeout=0.3, memory_mb=256)
    done = await sandbox.run(Program(solution=DOUBLE, tests=suite(body, fixture), mode=mode, limits=limits))
    found = {check.name: check.status for check in done.checks}
    assert found == {"test_before": "pass", "test_lost": expected, "test_behind": "pass", "test_wrong": "fail"}, done
    assert done.status == "fail"
    wrong = done.checks[-1].message
    assert "actual: 4" in wrong, "the failure is explained although another check had no end"
    assert "expected: 5" in wrong


@MODES
async def test_a_solution_that_dies_in_one_call_answers_the_next(sandbox: LocalSandbox, mode: Mode) -> None:
    source = "import os\ndef f(x):\n    if x == 2:\n        os._exit(5)\n    return x\n"
    tests = "".join(f"def test_{n}():\n    assert f({n}) == {n}\n" for n in (1, 2, 3))
    done = await sandbox.run(Program(solution=source, tests=tests, mode=mode))
    assert [check.status for check in done.checks] == ["pass", "error", "pass"], done
    assert "exit code 5" in done.checks[1].message


DYING = {
    "leaves": "__import__('os')._exit(0)",
    "kills itself": "__import__('os').kill(__import__('os').getpid(), 9)",
    "crashes": "__import__('ctypes').string_at(0)",
    "computes for ever": "while True: pass",
    "sleeps": "__import__('time').sleep(600)",
}


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of every process or pair that is asked for: split or inprocess."""
    asked: list[str] = []
    request = Link.request

    def counting(link: Link, head: dict[str, Any], body: bytes, patience: float) -> Coroutine[Any, Any, Frame]:
        if head["entry"] != "probe":
            asked.append("split" if head["second"] else "inprocess")
        return request(link, head, body, patience)

    monkeypatch.setattr(Link, "request", counting)
    return asked


@pytest.mark.parametrize("place", ["in its calls", "while it loads"])
@pytest.mark.parametrize("way", DYING)
async def test_a_program_that_dies_or_hangs_is_not_given_its_time_twice(
    sandbox: LocalSandbox, processes: list[str], way: str, place: str
) -> None:
    dies = f"def f(x):\n    if x:\n        {DYING[way]}\n    return x\n"
    source = dies if place == "in its calls" else f"{DYING[way]}\n"
    tests = "def test_before():\n    assert f(0) == 0\ndef test_a():\n    assert f(1)\ndef test_b():\n    assert f(2)\n"
    done = await sandbox.run(Program(solution=source, tests=tests, limits=Limits(timeout=0.2)))
    lost = "timeout" if way in ("computes for ever", "sleeps") else "error"
    at_load = ["not_run"] * 3
    assert [check.status for check in done.checks] == (["pass", lost, lost] if source is dies else at_load), done
    assert processes == ["split"] * (2 if source is dies else 1)


LONG = "def test_a():\n    assert len(f(1)) == 2_000_000\n"
SLOW_WAY = "def f(x):\n    return list(range(2_000_000))\n"
IN_THE_TESTS = "def test_a():\n    assert f(1) == 1\n    while True: pass\n"


@pytest.mark.parametrize(
    ("source", "tests", "status"),
    [(SLOW_WAY, LONG, "unverifiable"), ("def f(x): return x", IN_THE_TESTS, "timeout")],
    ids=["the way of a value is slow", "the tests loop"],
)
async def test_what_two_processes_alone_cannot_settle_is_run_in_one(
    sandbox: LocalSandbox, processes: list[str], source: str, tests: str, status: str
) -> None:
    done = await sandbox.run(Program(solution=source, tests=tests, limits=Limits(timeout=0.4)))
    assert done.status == status, done
    assert processes == ["split", "inprocess"]


@MODES
async def test_a_program_that_never_loads_leaves_its_checks_not_run(sandbox: LocalSandbox, mode: Mode) -> None:
    tests = "def test_a():\n    assert 1\ndef test_b():\n    assert f()\n"
    done = await sandbox.run(Program("while True: pass", tests=tests, mode=mode, limits=Limits(timeout=0.2)))
    assert done.status == "timeout"
    assert [(check.name, check.status) for check in done.checks] == [("test_a", "not_run"), ("test_b", "not_run")]


NEVER_BEGUN = {
    "a loop": "while True: pass\n",
    "parameters without an end": (
        "import pytest\ndef endless():\n    while True: yield 1\n@pytest.mark.parametrize('x', endless())\n"
        "def test_more(x):\n    assert x\n"
    ),
    "parameters that nothing takes": (
        "import pytest\n@pytest.mark.parametrize('x', [1])\ndef test_more():\n    assert f(1)\n"
    ),
}


@MODES
@pytest.mark.parametrize("name", NEVER_BEGUN)
async def test_a_suite_that_never_begins_is_told_apart_from_its_program(
    sandbox: LocalSandbox, mode: Mode, name: str
) -> None:
    tests = f"{NEVER_BEGUN[name]}def test_a():\n    assert f(1) == 2\n"
    done = await sandbox.run(Program(DOUBLE, tests=tests, mode=mode, limits=Limits(timeout=0.3)))
    assert done.error.startswith(NOT_LOADED), done
    assert {check.status for check in done.checks} <= {"not_run"}


@pytest.mark.parametrize("mode", ["split", "auto"])
async def test_a_program_that_the_suite_waits_for_is_no_suite_that_never_begins(
    sandbox: LocalSandbox, mode: Mode
) -> None:
    spin = "def f(x):\n    while True: pass\n"
    tests = "one = f(1)\ndef test_a():\n    assert one == 2\n"
    done = await sandbox.run(Program(spin, tests=tests, mode=mode, limits=Limits(timeout=0.3)))
    assert (done.status, done.error.startswith(NOT_LOADED)) == ("timeout", False), done


async def test_calls_behind_one_without_an_end_are_answered(sandbox: LocalSandbox) -> None:
    source = (
        "import re, time\ndef f(x):\n    if x == 1: sum(iter(int, 1))\n    if x == 2: time.sleep(600)\n    return x\n"
    )
    program = Program(solution=source, calls=tuple(f"f({n})" for n in range(5)), call_timeout=0.2)
    done = await sandbox.run(program)
    assert [out.kind for out in done.outputs] == ["value", "timeout", "timeout", "value", "value"], done


async def test_a_slow_suite_has_time_for_each_check(sandbox: LocalSandbox) -> None:
    """Five checks of 0.3 s of computing each, with a limit of 0.5 s: together they take longer than one may."""
    busy = (
        "from time import process_time as t\ndef f():\n    end = t() + 0.3\n    while t() < end: pass\n    return 1\n"
    )
    tests = "".join(f"def test_{n}():\n    assert f() == 1\n" for n in range(5))
    done = await sandbox.run(Program(solution=busy, tests=tests, mode="inprocess", limits=Limits(timeout=0.5)))
    assert done.status == "pass", done
    assert done.cpu_ms > 1400


async def test_a_run_gives_up_after_some_checks_without_an_end(sandbox: LocalSandbox) -> None:
    tests = "".join(f"def test_{n}():\n    assert f() == 1\n" for n in range(8))
    program = Program("def f():\n    while True: pass\n", tests=tests, mode="inprocess", limits=Limits(timeout=0.2))
    done = await sandbox.run(program)
    assert [check.status for check in done.checks] == ["timeout"] * 5 + ["not_run"] * 3


HYPOTHESIS = """
from hypothesis import given, strategies as st
seen = []

@given(st.text(max_size=3))
def test_text(x):
    seen.append(x)
    assert f(x) == x + x

@given(st.integers())
def test_slow(x):
    if x == 0:
        import time
        time.sleep(0.3)  # beyond the deadline that hypothesis sets by the wall's clock
    assert f(x) == 2 * x

def test_same_examples():
    print(seen)
    assert seen
"""


async def test_hypothesis_says_the_same_each_time_and_on_any_machine(sandbox: LocalSandbox) -> None:
    program = Program(solution=DOUBLE, tests=HYPOTHESIS, mode="inprocess", limits=Limits(timeout=10))
    first, second = await sandbox.run(program), await sandbox.run(program)
    assert first.status == "pass", first
    assert first.stdout == second.stdout != ""


ORDER = "def words():\n    return list({'alpha', 'beta', 'gamma', 'delta', 'epsilon'})\n"


@MODES
async def test_the_order_of_sets_never_decides_silently(sandbox: LocalSandbox, mode: Mode) -> None:
    """The suite expects the very order that one hash seed gives."""
    seen = await sandbox.run(Program(solution=ORDER, calls=("words()",)))
    tests = f"def test_words():\n    assert words() == {seen.outputs[0].text}\n"
    done = await sandbox.run(Program(solution=ORDER, tests=tests, mode=mode))
    assert (done.status, done.confirmed) == ("pass", False), done
    if mode != "inprocess":
        assert "order of sets" in done.unconfirmed_reason
        assert "test_words" in done.unconfirmed_reason


async def test_all_processes_share_the_order_of_sets(sandbox: LocalSandbox) -> None:
    printed = {(await sandbox.run(Program(solution=ORDER + "print(words())\n"))).stdout for _ in range(4)}
    asked = await sandbox.run(Program(solution=ORDER, calls=("words()",)))
    assert printed == {asked.outputs[0].text + "\n"}


@pytest.mark.parametrize("mode", ["split", "auto"])
async def test_a_given_file_that_the_program_changed_stops_the_confirmation(sandbox: LocalSandbox, mode: Mode) -> None:
    source = "def total():\n    open('data.csv', 'w').write('9')\n    return 9\n"
    tests = "def test_total():\n    assert total() == int(open('data.csv').read())\n"
    done = await sandbox.run(Program(solution=source, tests=tests, files={"data.csv": b"3"}, mode=mode))
    assert (done.status, done.confirmed) == ("pass", False), done
    assert "changed a data file" in done.unconfirmed_reason


READS = """
def test_reads():
    run = run_program(["a", "b"], "7", {"in.txt": "text", "raw.bin": bytes([0, 255])})
    assert run.stdout == "['a', 'b'] 7 text 2\\n"
    assert run.exit_code == 3
    assert run.files["out.txt"] == b"left"

def test_ends():
    run = run_program(["loop"])
    assert run.returncode == run.exit_code != 0

def test_behind():
    assert run_program([], "8", {"in.txt": "", "raw.bin": b""}).exit_code == 3
"""
PROGRAM = """
import sys
while sys.argv[1:] == ["loop"]: pass
print(sys.argv[1:], sys.stdin.read(), open("in.txt").read(), len(open("raw.bin", "rb").read()))
open("out.txt", "w").write("left")
sys.exit(3)
"""


@MODES
async def test_a_program_that_a_test_runs_counts_for_that_test(sandbox: LocalSandbox, mode: Mode) -> None:
    done = await sandbox.run(Program(solution=PROGRAM, tests=READS, mode=mode, limits=Limits(timeout=0.5)))
    found = {check.name: check.status for check in done.checks}
    assert found.pop("test_ends") in ("timeout", "pass")
    assert found == {"test_reads": "pass", "test_behind": "pass"}, done


@pytest.mark.parametrize(
    "body",
    ["check", "check = 3\n    f(check)"],
    ids=["it is only mentioned", "the name is the test's own"],
)
async def test_a_check_that_only_names_a_helper_holds_nothing(sandbox: LocalSandbox, body: str) -> None:
    tests = f"def check(v):\n    assert v == 99\ndef test_a():\n    {body}\n"
    done = await sandbox.run(Program(solution=DOUBLE, tests=tests))
    assert (done.status, [check.status for check in done.checks]) == ("error", ["pass"]), done
    assert not done.checks[0].shows
