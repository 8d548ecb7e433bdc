"""What two processes cannot do explains a failure only where it may show, and never what a program brings about."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from sandbox import Limits, LocalSandbox, Mode, Program
from tests.sandbox.test_forged_passes import PLAIN, judged

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

INSIDE = "import time, inspect\n" + PLAIN
FRAMES = """
import sys
def add(a, b):
    frame = sys._getframe(1)
    while frame:
        if "add" in frame.f_globals and frame.f_globals["add"] is add:
            return a + b
        frame = frame.f_back
    return a - b
"""
LIMITED = {
    "a subclass": ("class A:\n    def go(self): return 1\n", "class B(A):\n    pass\ndef test_a():\n    assert B().go() == 1\n"),
    "a doctest": ('def f(a):\n    """\n    >>> f(1)\n    2\n    """\n    return a + 1\n', "import doctest, solution\ndef test_a():\n    result = doctest.testmod(solution)\n    assert result.failed == 0 and result.attempted == 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("tests", [PLAIN, INSIDE])
async def test_what_two_processes_refute_by_value_is_no_pass(sandbox: LocalSandbox, tests: str) -> None:
    done = await judged(sandbox, FRAMES, tests, "auto")
    assert (done.status, done.confirmed) == ("unverifiable", False), done
    assert "test_a" in done.error


LOOKING_FOR_IT = """
import sys
def wanted():
    for frame in [*sys._current_frames().values(), sys._getframe()]:
        while frame:
            if "want" in frame.f_locals:
                return frame.f_locals["want"]
            frame = frame.f_back
def f(x): return wanted()
def g(*given): pass
"""
"""It returns what the tests expect if that is in its own process, and else None."""
MET_BEFORE = {
    "its own thread": "import threading\ndef test_a():\n    want, found = 4, []\n    thread = threading.Thread(target=lambda: found.append(f(2)))\n    thread.start()\n    thread.join()\n    assert f(2) == want\n",
    "a class": "def test_a():\n    class E: pass\n    g(E)\n    want = 4\n    assert f(2) == want\n",
    "a lock": "import threading, solution\ndef test_a():\n    solution.g(threading.Lock())\n    want = 4\n    assert solution.f(2) == want\n",
    "a lock of a fixture": "import threading, pytest\n@pytest.fixture\ndef lock():\n    lock = threading.Lock()\n    g(lock)\n    return lock\ndef test_a(lock):\n    want = 4\n    assert f(2) == want\n",
    "a lock of a test case": "import threading, unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n        self.lock = threading.Lock()\n        g(self.lock)\n    def test_a(self):\n        want = 4\n        self.assertEqual(f(2), want)\n",
    "what cannot cross": "import sqlite3\ndef test_a():\n    want = 4\n    try: g(sqlite3.connect(':memory:'))\n    except TypeError: pass\n    assert f(2) == want\n",
    "identity of one that all share": "def test_a():\n    want = True\n    assert f(2) is want\n",
}  # fmt: skip
MET_ON_THE_WAY = {
    "a result by a thread": ("import threading\nlock = threading.RLock()\ndef take(): return lock.acquire(blocking=False)\n", "import threading\ndef test_a():\n    assert take()\n    got = []\n    thread = threading.Thread(target=lambda: got.append(take()))\n    thread.start()\n    thread.join()\n    assert got == [False]\n"),
    "another thread that has to wait": ("import queue\nclass Box:\n    def __init__(self): self.q = queue.Queue()\n    def put(self, x): self.q.put(x)\n    def get(self): return self.q.get(timeout=0.3)\n", "import threading\ndef test_a():\n    box = Box()\n    def give(): box.put(7)\n    threading.Timer(0.1, give).start()\n    assert box.get() == 7\n"),
    "an event that what it calls waits for": ("import threading\nclass Worker:\n    def submit(self, fn):\n        self.out = []\n        self.thread = threading.Thread(target=lambda: self.out.append(fn()))\n        self.thread.start()\n        self.thread.join(0.2)\n    def result(self):\n        self.thread.join()\n        return self.out\n", "import threading\nfrom solution import Worker\ndef test_a():\n    gate, worker = threading.Event(), Worker()\n    worker.submit(lambda: gate.wait(1))\n    gate.set()\n    assert worker.result() == [True]\n"),
    "an event that it waits for": ("import threading\ndef start(event, out):\n    thread = threading.Thread(target=lambda: (event.wait(2), out.append('done')))\n    thread.start()\n    return thread\n", "import threading\ndef test_a():\n    event, out = threading.Event(), []\n    thread = start(event, out)\n    event.set()\n    thread.join()\n    assert out == ['done']\n"),
    "the class itself": ("def shown(cls): return sorted(name for name in vars(cls) if name[0] != '_')\n", "class Thing:\n    def b(self): pass\n    a = 1\ndef test_a():\n    assert shown(Thing) == ['a', 'b']\n"),
    "memory that it writes to": ("def fill(view): view[0] = 7\n", "def test_a():\n    memory = bytearray(1)\n    try: fill(memoryview(memory))\n    except TypeError: pass\n    assert memory == b'\\x07'\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", MET_BEFORE)
async def test_what_was_met_before_excuses_no_value(sandbox: LocalSandbox, name: str) -> None:
    done = await judged(sandbox, LOOKING_FOR_IT, MET_BEFORE[name], "auto")
    assert (done.status, done.confirmed) == ("unverifiable", False), done
    assert "None" in done.error
    apart = await judged(sandbox, LOOKING_FOR_IT, MET_BEFORE[name], "split")
    assert apart.status == "fail", apart


@pytest.mark.parametrize("mode", ["split", "auto"])
@pytest.mark.parametrize("name", MET_ON_THE_WAY)
async def test_what_a_value_came_from_excuses_it(sandbox: LocalSandbox, name: str, mode: Mode) -> None:
    done = await judged(sandbox, *MET_ON_THE_WAY[name], mode)
    assert (done.status, done.confirmed) == ("pass", False), done


@pytest.mark.parametrize("name", LIMITED)
async def test_what_two_processes_cannot_do_leaves_a_pass_unconfirmed(sandbox: LocalSandbox, name: str) -> None:
    done = await judged(sandbox, *LIMITED[name], "auto")
    assert (done.status, done.confirmed) == ("pass", False), done
    assert done.unconfirmed_reason
    wrong = LIMITED[name][1] + "def test_b():\n    assert 1 == 2\n"
    assert (await judged(sandbox, LIMITED[name][0], wrong, "auto")).status == "fail"


SEEKING_EXCUSES = {
    "a class of the tests, by a function of theirs": ("GIVEN[1](type(GIVEN[0]))", "class Item: pass\ndef test_a():\n    want = 4\n    keep(Item(), lambda one: one)\n    assert f(2) == want\n"),
    "a lock in an object of the tests": ("GIVEN[0].lock", "import threading\nclass Store:\n    def __init__(self): self.lock = threading.Lock()\ndef test_a():\n    want = 4\n    keep(Store())\n    assert f(2) == want\n"),
    "a descriptor in a class that is described": ("return make_dataclass('Made', [('x', object, Descriptor())])()", "def test_a():\n    want = 4\n    assert f(2) == want\n"),
    "a function of the tests instead of an object": ("return x", "def test_a():\n    want = 4\n    assert f(lambda: 2).total == want\n"),
    "a sleep": ("__import__('time').sleep(100)", "import threading\ndef test_a():\n    want = 4\n    keep(threading.Lock())\n    assert f(2) == want\n"),
}  # fmt: skip
"""What a program does where it does not find what the tests expect, so that two processes seem to be to blame."""
SEEKING = """
from dataclasses import make_dataclass
class Descriptor:
    def __get__(self, thing, owner): return self
class Found:
    def __init__(self, total): self.total = total
    def __eq__(self, other): return self.total == other
GIVEN = []
def keep(*given): GIVEN.extend(given)
def f(x):
    want = wanted()
    if want is not None:
        return Found(want)
"""


@pytest.mark.parametrize("mode", ["split", "auto"])
@pytest.mark.parametrize("name", SEEKING_EXCUSES)
async def test_what_a_program_brings_about_itself_excuses_nothing(sandbox: LocalSandbox, name: str, mode: Mode) -> None:
    act, tests = SEEKING_EXCUSES[name]
    program = Program(
        solution=f"{LOOKING_FOR_IT}{SEEKING}    {act}\n", tests=tests, mode=mode, limits=Limits(timeout=0.5)
    )
    done = await sandbox.run(program)
    assert not done.passed, done
