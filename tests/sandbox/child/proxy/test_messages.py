"""What goes with a message that could not be composed is not lost, and what two processes cannot do is said."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from tests.sandbox.child.harness import run_inprocess, run_split

UNSENT = {
    "what the tests let go of": ("import argparse\ndef made(): return argparse.Namespace(n=[1])\n",
        "import argparse\nfrom solution import made\ndef test_a():\n    given = made()\n    assert given.n == [1]\n    assert given == argparse.Namespace(n=[1])\n"),
    "what the tests changed": ("HELD = []\ndef hold(xs): HELD.append(xs)\ndef total(): return sum(HELD[0])\ndef take(thing): pass\n",
        "import sqlite3\nfrom solution import hold, total, take\ndef test_a():\n    xs = [1]\n    hold(xs)\n    xs.append(2)\n    try:\n        take(sqlite3.connect(':memory:'))\n    except TypeError:\n        pass\n    assert total() == 3\n"),
    "what the program wrote": ("def deep():\n    print('before')\n    found = []\n    for _ in range(700): found = [found]\n    return found\n",
        "from solution import deep\ndef test_a(capsys):\n    assert deep() is not None\n    assert capsys.readouterr().out == 'before\\n'\n"),
    "what the program changed": ("def fill(xs):\n    xs.append(1)\n    found = []\n    for _ in range(700): found = [found]\n    return found\n",
        "from solution import fill\ndef test_a():\n    xs = []\n    fill(xs)\n    assert xs == [1]\n"),
}  # fmt: skip


REPLACED = {
    "too large, then cleared (tests)": ("HELD = []\ndef hold(xs): HELD.append(xs)\ndef f(x): return x + len(HELD[0])\n",
        "from solution import hold, f\ndef test_a():\n    xs = []\n    hold(xs)\n    xs.append('x' * (34 << 20))\n    for _ in range(2):\n        try:\n            f(1)\n        except TypeError:\n            pass\n    xs.clear()\n    assert f(1) == 1\n    xs.append(2)\n    assert f(1) == 2\n"),
    "too large, then cleared (program)": ("HELD = []\ndef hold(xs): HELD.append(xs)\ndef grow():\n    print('grown')\n    HELD[0].append('x' * (34 << 20))\ndef clear(): HELD[0].clear()\ndef f(x): return x + len(HELD[0])\n",
        "from solution import hold, grow, clear, f\ndef test_a(capsys):\n    xs = [1]\n    hold(xs)\n    try:\n        grow()\n    except TypeError:\n        pass\n    clear()\n    assert xs == [] and f(1) == 1\n    assert capsys.readouterr().out == 'grown\\n'\n"),
    "many failures": ("HELD = []\ndef hold(xs): HELD.append(xs)\ndef f(x): return HELD[0][-1]\n",
        "from solution import hold, f\ndef test_a():\n    xs = ['x' * (1 << 20)]\n    hold(xs)\n    deep = []\n    for _ in range(20000): deep = [deep]\n    for at in range(50):\n        xs.append(at)\n        try:\n            f(deep)\n        except TypeError:\n            pass\n    assert f(1) == 49\n"),
    "a container in an update that another replaces": ("HELD = []\ndef hold(xs): HELD.append(xs)\ndef total(): return sum(HELD[0][0])\ndef take(thing): pass\n",
        "import sqlite3\nfrom solution import hold, total, take\ndef test_a():\n    xs, inner = [], [1]\n    hold(xs)\n    for _ in range(3):\n        xs.insert(0, inner)\n        try:\n            take(sqlite3.connect(':memory:'))\n        except TypeError:\n            pass\n    inner.append(2)\n    assert total() == 3\n"),
    "what nobody else holds": ("HELD = []\ndef hold(xs): HELD.append(xs)\ndef total(): return sum(HELD[0])\ndef take(thing): pass\n",
        "import sqlite3\nfrom solution import hold, total, take\ndef test_a():\n    xs = [1]\n    hold(xs)\n    xs.append(2)\n    del xs\n    try:\n        take(sqlite3.connect(':memory:'))\n    except TypeError:\n        pass\n    assert total() == 3\n"),
    "an environment and a warning": ("import os, warnings\ndef told(): return os.environ['TOLD']\ndef take(thing): return thing\ndef warn():\n    warnings.warn('oh')\n    return 'x' * (34 << 20)\n",
        "import sqlite3\nimport pytest\nfrom solution import told, take, warn\ndef test_a(monkeypatch):\n    for text in 'abc':\n        monkeypatch.setenv('TOLD', text)\n        try:\n            take(sqlite3.connect(':memory:'))\n        except TypeError:\n            pass\n    assert told() == 'c'\n    with pytest.warns(UserWarning, match='oh'):\n        try:\n            warn()\n        except TypeError:\n            pass\n"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", REPLACED)
def test_what_could_not_be_told_is_told_as_it_is_by_then(name):
    for run in (run_inprocess, run_split):
        outcome = run(*REPLACED[name])
        assert outcome.passed, (outcome.messages, outcome.error)
        assert not outcome.doubts


@pytest.mark.parametrize("name", UNSENT)
def test_what_goes_with_a_message_that_cannot_be_composed_goes_with_the_next(name):
    for run in (run_inprocess, run_split):
        outcome = run(*UNSENT[name])
        assert outcome.passed, (outcome.messages, outcome.error)


LIMITS = {
    "descriptor": ("class Whole:\n    def __set_name__(self, owner, name): self.name = name\n    def __get__(self, thing, owner=None): return self if thing is None else thing.__dict__[self.name]\n    def __set__(self, thing, value):\n        if type(value) is not int: raise TypeError(self.name)\n        thing.__dict__[self.name] = value\n",
        "import pytest\nfrom solution import Whole\ndef test_a():\n    class Car:\n        doors = Whole()\n    with pytest.raises(TypeError):\n        Car().doors = 'two'\n"),
    "view of memory": ("def fill(view, value):\n    for at in range(len(view)): view[at] = value\n",
        "from solution import fill\ndef test_a():\n    kept = bytearray(4)\n    fill(memoryview(kept)[1:3], 7)\n    assert kept == b'\\0\\7\\7\\0'\n"),
    "subclass a class of the solution (Toml)": ("class Plugin:\n    known = {}\n    def __init_subclass__(cls, /, name): cls.known[name] = cls\n",
        "from solution import Plugin\ndef test_a():\n    class Toml(Plugin, name='toml'): pass\n    assert Plugin.known == {'toml': Toml}\n"),
}  # fmt: skip


@pytest.mark.parametrize("word", LIMITS)
def test_a_check_that_two_processes_cannot_do_says_so(word):
    assert run_inprocess(*LIMITS[word]).passed
    outcome = run_split(*LIMITS[word])
    assert not outcome.passed
    assert {name for name, _ in outcome.all("limit")} >= {"test_a"}, outcome.records
    assert any(word in reason for _, reason in outcome.all("limit"))


@pytest.mark.parametrize(("run", "seconds"), [(run_inprocess, 60), (run_split, 0.1)])
def test_a_thread_of_the_tests_that_waits_in_the_program_keeps_others_out_of_it_there(run, seconds):
    solution = f"import threading\nGATE = threading.Event()\ndef wait(entered):\n    entered()\n    return GATE.wait({seconds})\ndef enter(): GATE.set()\n"
    tests = "import threading\nfrom solution import wait, enter\ndef test_a():\n    waits, got = threading.Event(), []\n    waiter = threading.Thread(target=lambda: got.append(wait(lambda: waits.set())))\n    waiter.start()\n    waits.wait()\n    enter()\n    waiter.join()\n    assert got == [True]\n"
    outcome = run(solution, tests)
    told = [name for name, reason in outcome.all("limit") if "a thread of their own" in reason]
    assert (outcome.passed, "test_a" in told) == (run is run_inprocess, run is run_split), outcome.records


def test_a_generic_class_and_a_typed_dict_can_be_looked_at():
    solution = "from typing import Generic, TypedDict, TypeVar\nT = TypeVar('T')\nclass Box(Generic[T]):\n    def __init__(self, value): self.value = value\nclass Film(TypedDict, total=False):\n    title: str\n"
    tests = "from typing import get_args, get_origin\nfrom solution import Box, Film\ndef test_a():\n    assert get_origin(Box[int]) is Box and get_args(Box[int]) == (int,)\n    assert Box[int](3).value == 3 and Film.__total__ is False\n"
    for run in (run_inprocess, run_split):
        outcome = run(solution, tests)
        assert outcome.passed, outcome.messages


@pytest.mark.parametrize(("name", "hidden"), [("pytest", True), ("helper", True), ("other", False)])
def test_a_star_import_that_hides_what_the_tests_had_confirms_nothing(name, hidden):
    solution = f"def add(a, b): return a + b\ndef {name}(*_): return True\n"
    tests = f"import pytest\ndef helper(x): return x == 3\nfrom solution import *\ndef test_a():\n    assert {name}(add(1, 2))\n"
    outcome = run_split(solution, tests)
    assert outcome.passed, outcome.messages
    assert bool(outcome.doubts) is hidden


@pytest.mark.parametrize("before", ["", "        await asyncio.sleep(0)\n"])
@pytest.mark.parametrize("run", [run_inprocess, run_split])
def test_a_task_of_the_program_can_be_cancelled_once_before_and_after_it_waits(run, before):
    solution = "import asyncio\ndef begin():\n    return asyncio.get_running_loop().create_task(asyncio.sleep(9))\n"
    tests = f"import asyncio\nfrom solution import begin\ndef test_a():\n    async def main():\n        task = begin()\n{before}        assert task.cancel() is True\n        await asyncio.wait([task])\n        assert task.cancelled() and task.cancel() is False\n    asyncio.run(main())\n"
    assert run(solution, tests).passed


def test_tests_that_await_a_program_hear_at_once_that_its_process_has_ended():
    solution = "import asyncio, os\nasync def f():\n    await asyncio.sleep(0)\n    os._exit(3)\n"
    tests = "import asyncio\nfrom solution import f\ndef test_a():\n    asyncio.run(f())\n"
    outcome = run_split(solution, tests)
    assert outcome.messages["test_a"] == "SolutionEnded: the other process has ended", outcome.stderr


@pytest.mark.parametrize("run", [run_inprocess, run_split])
def test_each_task_of_the_tests_has_a_context_of_its_own_in_the_program_for_all_of_its_calls(run):
    solution = "from contextvars import ContextVar\nheld = ContextVar('held', default=0)\ndef put(x): held.set(x)\ndef get(): return held.get()\n"
    tests = "import asyncio\nfrom solution import put, get\nasync def both(x):\n    put(x)\n    await asyncio.sleep(0)\n    first = get()\n    put(x + 10)\n    await asyncio.sleep(0)\n    return first, get()\ndef test_a():\n    async def main(): return await asyncio.gather(both(1), both(2))\n    assert asyncio.run(main()) == [(1, 11), (2, 12)]\n    assert get() == 0\n"
    outcome = run(solution, tests)
    assert outcome.passed, outcome.messages
